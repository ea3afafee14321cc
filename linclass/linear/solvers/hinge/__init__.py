"""Solvers of losses with a kink."""
