"""Sums over rows that add and subtract: moments of classes, covariances, and models that are functions of them."""
