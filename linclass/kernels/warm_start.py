"""A start from the function of the previous fit:  f = Σ_j β_j k(x_j, ·) + b,  if its rows x_j are still there."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from scipy import sparse

from linclass.base.arrays import Array, EstimatorLike, Matrix, MatrixLike
from linclass.kernels.near_the_mean import own_intercepts


class Previous(NamedTuple):
    """What a fit left: indices of its rows among those given, their coefficients (K, m), intercepts, and the rows."""

    support: Array
    beta: Array
    intercept: Array
    rows: Any  # None for a precomputed kernel

    @classmethod
    def of(cls, model: EstimatorLike) -> Previous | None:
        """None if there was no fit, or if warm starts are not requested."""
        if not model.warm_start or "dual_coef_" not in vars(model):
            return None
        beta = np.atleast_2d(model.dual_coef_)
        return cls(model.support_, beta, own_intercepts(model), model._basis)

    def start(self, X: MatrixLike, kept: Array, scores: int) -> tuple[Array, Array] | None:
        """(β (K, n) of all rows, b (K,)), if so many scores are fitted and the rows with coefficients are the same."""
        if len(self.beta) != scores or self.support.max(initial=-1) >= len(kept):
            return None
        place = (np.cumsum(kept) - 1)[self.support]
        if not kept[self.support].all() or not _equal(self.rows, X, place):
            return None
        beta = np.zeros((scores, int(kept.sum())))
        beta[:, place] = self.beta
        return beta, self.intercept


def thetas(design: Any, found: tuple[Array, Array] | None) -> list[Array] | None:
    """Parameters of each score, for functions of the columns of the kernel or for features Φ of it, w = Φᵀβ."""
    if found is None:
        return None
    beta, b = found
    W = beta if design.is_kernel else beta @ design.X
    return [np.append(w, own) for w, own in zip(W, b, strict=True)]


def _equal(rows: Any, X: Matrix, place: Array) -> bool:
    if rows is None:
        return True
    if rows.shape[1] != X.shape[1] or sparse.issparse(rows) != sparse.issparse(X):
        return False
    other = X[place]
    return bool((rows != other).nnz == 0 if sparse.issparse(rows) else np.array_equal(rows, other))
