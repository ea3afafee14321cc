"""Algorithms that minimize an objective: one solver, one file."""
