"""The basis of all models: estimator classes, input checks, arrays, tables and the design matrix."""
