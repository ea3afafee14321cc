"""Checks of every data set: facts, and warnings about suspicious ones."""
