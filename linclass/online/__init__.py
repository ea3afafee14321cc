"""Classifiers that learn from one row after another: the order of the rows, passes over them, their base class."""
