"""Standard errors and tables of maximum-likelihood fits."""
