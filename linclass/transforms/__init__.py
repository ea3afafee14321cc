"""Transforms: maps of a table that are fitted, and so learn from a fold's training rows alone.

A file is one class, named after it (one_hot.py holds OneHot): `fit(table, y=None)` returns the
transform, `transform(table)` a table. Sparse rows stay sparse, unless the class says
`makes_dense = True`.
"""
