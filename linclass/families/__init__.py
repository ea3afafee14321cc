"""Exponential families, one a file: what a generative classifier supposes of the rows of a class."""
