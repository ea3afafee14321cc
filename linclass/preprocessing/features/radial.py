"""Radial basis functions:  x → (x, φ_1(x), …, φ_K(x)),  φ_k(x) = exp(−‖x − c_k‖² / (2·width²)).

    radial: {centres: [[0, 0], [2, 2]], width: 1}

The centres c_k are given, so nothing is fitted. For sparse rows the distance is computed from the nonzero
values and ‖c‖² alone; the functions, which are hardly ever 0, add K numbers to each row.
                                         Hastie, Tibshirani & Friedman (2009), §6.7, equation 6.28
"""

from collections.abc import Sequence

import numpy as np
import scipy.sparse as sp

from linclass.base.messages import NotApplicable, counted, require_memory
from linclass.base.parameters import is_number
from linclass.base.tables import Table
from linclass.preprocessing.features._products import append, refuse_text


def apply(table: Table, centres: Sequence[Sequence[float]], width: float = 1.0) -> Table:
    """Append radial basis functions of the columns.

    Parameters
    ----------
    table : Table
        Rows and the names of their columns.
    centres : sequence of sequences of float
        The points c_k, each with one coordinate per column.
    width : float, default=1.0
        Distance from the centre at which φ is e^(−1/2), above 0.

    Returns
    -------
    Table
        The columns, then one column per centre.
    """
    try:
        C = np.array(centres, dtype=np.float64)
    except (TypeError, ValueError):
        C = np.empty(0)
    if C.ndim != 2 or not C.size or not np.isfinite(C).all():
        raise ValueError(
            f"radial: centres is {centres!r}; give a list of points, each a list of numbers."
        )
    if not (is_number(width) and 0 < width < np.inf):
        raise ValueError(f"radial: width is {width!r}; it must be a positive number.")
    refuse_text(table, "radial")
    n, d = table.shape
    if C.shape[1] != d:
        raise NotApplicable(
            f"radial: the centres have {counted(C.shape[1], 'coordinate')} and the data {counted(d, 'column')}; "
            "give each centre a coordinate per column."
        )
    require_memory(8 * n * (2 * d + 3 * len(C)), f"radial appends {len(C)} columns")
    distances = _sparse_distances if table.is_sparse else _dense_distances
    bumps = np.exp(distances(table.X, C) / (-2 * width**2))
    columns = sp.csr_array(bumps) if table.is_sparse else bumps
    return append(table, columns, [f"radial{k}" for k in range(1, len(C) + 1)])


def _dense_distances(X: np.ndarray, C: np.ndarray) -> np.ndarray:
    """‖x_i − c_k‖² from differences: ‖x‖² − 2x·c + ‖c‖² would cancel far from the origin."""
    D = np.empty((len(X), len(C)))
    for k, c in enumerate(C):
        D[:, k] = ((X - c) ** 2).sum(axis=1)
    return D


def _sparse_distances(X: sp.csr_array, C: np.ndarray) -> np.ndarray:
    """‖x − c‖² = ‖c‖² + Σ_{x_j ≠ 0} x_j·(x_j − 2c_j)."""
    row = np.repeat(np.arange(X.shape[0]), np.diff(X.indptr))
    D = np.empty((X.shape[0], len(C)))
    for k, c in enumerate(C):
        change = np.bincount(row, X.data * (X.data - 2 * c[X.indices]), minlength=X.shape[0])
        D[:, k] = np.maximum(c @ c + change, 0)
    return D
