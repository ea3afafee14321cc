"""Penalties on the weights: one penalty, one file."""
