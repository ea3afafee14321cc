"""The classifiers: each composes parts and states its equation."""
