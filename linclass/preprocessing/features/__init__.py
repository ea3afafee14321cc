"""Features: maps of a table row by row. Nothing is fitted, so they may run before the folds are split.

A file holds one map, `apply(table, **options) -> Table`, found by the file's name.
"""
