"""Several classes from two-class classifiers."""
