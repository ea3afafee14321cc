"""The normal posterior of the scores  z_k = x·θ_k  of rows, if that of all θ is N(·, C): Cov(z_k, z_l) = xᵀ C_kl x.

Rows are in units in which no square overflows. Of K > 1 scores these are those relative to their mean, as a shift of
all of them changes no probability.
"""

from __future__ import annotations

import numpy as np
from scipy import sparse

from linclass.base.arrays import Array, Matrix
from linclass.bayes.mean_of_softmax import log_mean_of_softmax

COVARIANCES = 1_000_000  # entries of S at a time
FAR = 1e100  # the squares are still finite


class PosteriorOfScores:
    """That of rows (n, p), for the covariance (K p, K p)."""

    def __init__(self, rows: Array, covariance: Array):
        self.unit = row_units(rows)
        self.rows = rows / self.unit
        K = len(covariance) // rows.shape[1]
        blocks = covariance.reshape(K, rows.shape[1], K, rows.shape[1])
        if K > 1:
            centring = np.eye(K) - 1 / K
            blocks = np.einsum("ka,aibj,bl->kilj", centring, blocks, centring, optimize=True)
        self.blocks, self.n_scores = blocks, K

    def _part(self, k: int, l: int, rows: slice = slice(None)) -> Array:
        X = self.rows[rows]
        return np.asarray(((X @ self.blocks[k, :, l]) * X).sum(axis=1))

    def deviations(self, largest: float) -> Array:
        """√Cov(z_k, z_k) (n, K)."""
        parts = [self._part(k, k) for k in range(self.n_scores)]
        with np.errstate(over="ignore"):
            return np.minimum(self.unit * np.sqrt(np.maximum(np.column_stack(parts), 0)), largest)

    def covariances(self, rows: slice) -> Array:
        """Cov(z_k, z_l)/unit² (n, K, K) of some rows."""
        K, n = self.n_scores, len(self.rows[rows])
        found = np.empty((n, K, K))
        for k in range(K):
            for l in range(k + 1):
                found[:, k, l] = found[:, l, k] = self._part(k, l, rows)
        return found

    def log_means_of_softmax(self, mean: Array) -> Array:
        """ln ∫ softmax_k(z) N(z; μ, S) dz, for means (n, K) of the scores."""
        found, step = np.empty(mean.shape), max(COVARIANCES // mean.shape[1] ** 2, 1)
        for i in range(0, len(mean), step):
            rows = slice(i, i + step)
            S, unit = self.covariances(rows), self.unit[rows]
            found[rows] = log_mean_of_softmax(mean[rows], S, unit)
        return found


def row_units(X: Matrix) -> Array:
    """Units of rows (n, 1) in which no square overflows."""
    largest = abs(X).max(axis=1)
    if sparse.issparse(X):
        largest = largest.toarray()
    return np.maximum(largest.reshape(-1, 1) / FAR, 1.0)
