"""Regressors: one model, one file."""
