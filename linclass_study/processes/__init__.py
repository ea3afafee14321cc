"""Processes with limits of time and memory, and the environment in which they run."""
