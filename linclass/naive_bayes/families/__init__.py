"""Exponential families, one a file: the distribution of the features in a class."""
