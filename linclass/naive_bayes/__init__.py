"""Naive Bayes over the exponential family."""
