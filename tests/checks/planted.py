"""Small random tables with planted defects, dense and sparse, and their rows as plain Python values."""

import numpy as np
from scipy import sparse

from linclass.base.tables import Table

LEVELS = ("red", "green", "7", "blue")


def random_table(seed, rows=40, is_sparse=False):
    """Few values, so that equal rows and columns come by themselves; zeros, −0, gaps and categories.

    Three columns are constant: of zeros, of gaps, and of another number.
    """
    generator = np.random.default_rng(seed)
    d = int(generator.integers(2, 5))
    X = generator.choice([0.0, 0.0, 1.0, -2.5], size=(rows, d))
    codes = generator.choice([0.0, 1.0, 2.0, 3.0], size=(rows, 1))
    constants = np.tile([0.0, np.nan, 3.0], (rows, 1))
    X = np.hstack([X, codes, constants, X[:, :1]])
    X[generator.random(X.shape) < 0.05] = np.nan
    X[:, -1] = X[:, 0]
    if not is_sparse:
        X[(X == 0) & (generator.random(X.shape) < 0.5) & (np.arange(d + 5) != d)] = -0.0
    X[generator.integers(rows, size=5)] = X[generator.integers(rows, size=5)]
    names = (*tuple(f"x{j}" for j in range(d)), "colour", "zeros", "gaps", "always", "again")
    matrix = sparse.csr_array(X) if is_sparse else np.ascontiguousarray(X)
    return Table(matrix, names, {"colour": LEVELS})


def values(table):
    """The rows as tuples that Python can compare: a gap is None, a category its text."""
    X = table.X.toarray() if table.is_sparse else table.X
    columns = []
    for name, column in zip(table.names, X.T, strict=True):
        levels = table.levels.get(name)
        known = [None if np.isnan(v) else levels[int(v)] if levels else float(v) for v in column]
        columns.append(known)
    return list(zip(*columns, strict=True))


def numbers(columns, levels=None):
    """A dense table of these columns."""
    X = np.column_stack([np.asarray(values, float) for values in columns.values()])
    return Table(np.ascontiguousarray(X), tuple(columns), levels or {})
