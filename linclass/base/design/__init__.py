"""The rows as a linear map: products with X, or with a kernel matrix."""
