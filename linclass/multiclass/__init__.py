"""Several classes from binary classifiers: one-vs-rest, one-vs-one, error-correcting output codes."""
