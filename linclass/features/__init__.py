"""Features: maps of a table row by row, without anything fitted, so they can run at any time.

A file is one map, `apply(table, **options) -> Table`, found by the file's name.
"""
