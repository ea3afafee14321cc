"""TF–IDF: counts weighted by the rarity of their words, then rows of unit length.

    x_ij → t(x_ij) · w_j / ‖…‖,      w_j = ln((1 + n) / (1 + n_j)) + 1

with n training rows, of which n_j have a nonzero value in column j. Without smoothing, w_j = ln(n / n_j) + 1,
and 0 if n_j = 0. Zeros stay zeros and sparse rows sparse; categorical columns are unchanged.
                            Salton & Buckley (1988), Term-weighting approaches in automatic text retrieval
"""

from collections.abc import Callable
from dataclasses import replace
from typing import Self

import numpy as np
import scipy.sparse as sp

from linclass.base.arrays import ArrayLike
from linclass.base.messages import NotApplicable
from linclass.base.parameters import require_flag
from linclass.base.tables import Table
from linclass.preprocessing.transforms.base import Transform, occurrences

COUNTS: dict[str, Callable[[np.ndarray], np.ndarray]] = {
    "as_is": lambda x: x,
    "log": lambda x: 1 + np.log(x),
    "presence": np.ones_like,
}
SIZES: dict[str, Callable[[np.ndarray], np.ndarray]] = {"l1": np.abs, "l2": np.square}
ROOTS: dict[str, Callable[[np.ndarray], np.ndarray]] = {"l1": np.positive, "l2": np.sqrt}


class Idf(Transform):
    """TF–IDF weights.

    Parameters
    ----------
    counts : {'as_is', 'log', 'presence'}, default='as_is'
        Function t of the counts: x, 1 + ln x, or 1; each is 0 where x is 0.
    smooth : bool, default=True
        Whether to add 1 to numerator and denominator of the weights.
    norm : {'l2', 'l1', 'none'} or None, default='l2'
        Norm of the weighted row by which it is divided; 'none' and None leave its length.

    Attributes
    ----------
    weight_ : array of shape (d,)
        Weight w_j of each column.
    """

    def __init__(self, counts: str = "as_is", smooth: bool = True, norm: str | None = "l2"):
        for name, value, known in (("counts", counts, COUNTS), ("norm", norm, (*SIZES, "none"))):
            if value not in [*known] and not (name == "norm" and value is None):
                raise ValueError(f"idf: {name} is {value!r}; choose one of {', '.join(known)}.")
        require_flag("idf: smooth", smooth)
        self.counts, self.smooth, self.norm = counts, smooth, norm or "none"

    def fit(self, table: Table, y: ArrayLike | None = None) -> Self:
        n, rows = table.shape[0], occurrences(table)
        if self.smooth:
            self.weight_ = np.log((1 + n) / (1 + rows)) + 1
        else:
            self.weight_ = np.where(rows > 0, np.log(n / np.maximum(rows, 1)) + 1, 0)
        self.weight_[[table.names.index(name) for name in table.levels]] = 1
        return self

    def transform(self, table: Table) -> Table:
        X = table.X.copy()
        categories = np.isin(table.names, [*table.levels])
        values = X.data if table.is_sparse else X
        column = X.indices if table.is_sparse else np.arange(table.shape[1])
        counted = (values != 0) & ~np.isnan(values) & ~categories[column]
        if self.counts == "log" and (values[counted] < 0).any():
            raise NotApplicable(
                "idf: counts: log needs counts, and the data hold negative numbers; "
                "leave it out, or choose presence."
            )
        values[counted] = COUNTS[self.counts](values[counted])
        values *= self.weight_[column]
        if self.norm != "none":
            size = SIZES[self.norm](np.where(counted, values, 0))
            total = _row_sums(X, size) if table.is_sparse else size.sum(axis=1)
            scale = ROOTS[self.norm](np.where(total > 0, total, 1))
            each = np.repeat(scale, np.diff(X.indptr)) if table.is_sparse else scale[:, None]
            np.divide(values, each, out=values, where=~categories[column])
        return replace(table, X=X)


def _row_sums(X: sp.csr_array, values: np.ndarray) -> np.ndarray:
    row = np.repeat(np.arange(X.shape[0]), np.diff(X.indptr))
    return np.bincount(row, values, minlength=X.shape[0])
