"""The classifiers and regressors: each composes parts and states its equation."""
