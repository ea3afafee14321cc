"""What code that takes only matrices made of the numeric columns of a table, as columns of a table."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np
from scipy import sparse

from linclass.base.arrays import Matrix, MatrixLike
from linclass.base.tables import Table, unique


def beside_the_others(
    table: Table, made: MatrixLike, names: Sequence[str] | None, what: str
) -> Table:
    """The categorical columns of a table, with a matrix that `what` made of the numeric ones to their right.

    Without as many `names` as columns, they are called after `what`.
    """
    X = _plain_matrix(made, table.shape[0], what)
    width = X.shape[1]
    if names is None or len(names) != width:
        names = [f"{what}.{j}" for j in range(1, width + 1)]
    if not table.levels:
        return Table(X, unique(names))
    left = table.categorical()
    if sparse.issparse(X) or sparse.issparse(left.X):
        X = _csr(sparse.hstack([sparse.csr_array(left.X), sparse.csr_array(X)]))
    else:
        X = np.hstack([left.X, X])
    return replace(left, X=X, names=unique([*left.names, *names]))


def _plain_matrix(made: MatrixLike, rows: int, what: str) -> Any:
    """float64, dense or CSR with 32-bit indices."""
    try:
        X = _csr(made) if sparse.issparse(made) else np.array(made, dtype=np.float64, order="C")
    except (TypeError, ValueError):  # texts, rows of different lengths
        raise ValueError(f"{what} must return a matrix of numbers") from None
    if X.ndim != 2 or X.shape[0] != rows:
        raise ValueError(
            f"{what} made {' × '.join(map(str, X.shape))} values of {rows} rows; it must return a row for each row"
        )
    return X


def _csr(X: Matrix) -> sparse.csr_array:
    X = sparse.csr_array(X, dtype=np.float64)
    if not X.has_canonical_format:
        X = X.copy()  # it is theirs
        X.sum_duplicates()
    X.indices, X.indptr = X.indices.astype(np.int32), X.indptr.astype(np.int32)
    return X
