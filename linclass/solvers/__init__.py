"""Ways to the minimum of an objective: one solver, one file."""
