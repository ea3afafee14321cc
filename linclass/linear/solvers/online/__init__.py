"""Passes of the perceptron rule over the rows."""
