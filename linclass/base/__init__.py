"""What every model builds on: the estimator classes, input checks, arrays, tables and the design matrix."""
