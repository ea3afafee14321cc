"""Solvers of smooth objectives: Newton and gradient methods."""
