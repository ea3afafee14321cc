"""What classifiers and regressors with a kernel share."""
