"""Metrics, statistical comparisons of methods, and Bayes decisions."""
