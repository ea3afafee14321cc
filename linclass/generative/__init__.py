"""What classifiers that model the classes share: a fit is a function of sums over rows."""
