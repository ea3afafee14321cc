"""Transforms: maps of a table that are fitted, on the training rows of a fold alone.

A file holds one class, named after it (one_hot.py holds OneHot), with the interface of `Transform`:
`fit(table, y=None)` returns the transform, `transform(table)` a table. Sparse rows stay sparse, unless the
class says `makes_dense = True`.
"""
