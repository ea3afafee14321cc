"""Solvers of penalties with a kink at 0."""
