"""Scores that are linear in the features."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from scipy import sparse

from linclass.base.annotations import Matrix, MatrixLike
from linclass.base.classifier import Classifier
from linclass.base.many_fits import Scaling

LARGEST = 1e300  # score far outside the data: sums and differences of some are still finite
SMALL = 2.0**-200  # such a share of any row has finite products


def products(X: Matrix, W: np.ndarray) -> np.ndarray:
    """X Wᵀ, dense; what is larger than ±LARGEST, as far outside the data, is ±LARGEST."""
    with np.errstate(over="ignore", invalid="ignore"):
        Z = _dense(X @ W.T)
        usual = np.vdot(Z, Z) < np.inf  # one pass, no allocation
    if not usual:
        far = np.flatnonzero(~(np.abs(Z) <= LARGEST).all(axis=1))  # also NaN, which is ∞ − ∞
        Z[far] = np.clip(_dense((X[far] * SMALL) @ W.T), -LARGEST * SMALL, LARGEST * SMALL) / SMALL
    return Z


def _dense(Z: Matrix) -> np.ndarray:
    return Z.toarray() if sparse.issparse(Z) else Z


class LinearScores(Classifier):
    """Scores Z = X Wᵀ + b, with W = coef_ (K, d) and b = intercept_ (K,); one row for two classes."""

    coef_: np.ndarray
    intercept_: np.ndarray

    def decision_function(self, X: MatrixLike) -> np.ndarray:
        X = self._check_rows(X)
        Z = products(X, self.coef_)
        Z += self.intercept_
        return Z[:, 0] if Z.shape[1] == 1 else Z

    @staticmethod
    def _scores_of_stack(
        models: Sequence[LinearScores], X: np.ndarray, scaling: Scaling | None = None
    ) -> np.ndarray:
        """decision_function of each model for its rows, X (models, n, d), at once; with scaling, for the rows
        (x − shift)/scale. X is overwritten.
        """
        W = np.array([model.coef_.T for model in models])
        with np.errstate(over="ignore", invalid="ignore"):
            if scaling is not None:
                shift, scale = map(np.array, zip(*scaling, strict=True))
                X -= shift[:, None]
                W = W / scale[..., None]
            Z = X @ W + np.array([model.intercept_ for model in models])[:, None]
        return Z[..., 0] if Z.shape[-1] == 1 else Z

    def _set_scores(self, W: np.ndarray, b: np.ndarray) -> None:
        """Set coef_ and intercept_ from one score per class, W (K, d) and b (K,).

        Two classes keep the difference of their scores.
        """
        if len(W) == 2:
            W, b = W[1:] - W[:1], b[1:] - b[:1]
        self.coef_, self.intercept_ = W, b
