"""Bayes decisions of least expected cost, and the least error that any classifier can have."""
