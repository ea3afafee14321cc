"""Rows that are held out: folds and seeds."""
