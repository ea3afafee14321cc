"""Linear regressors as generalized linear models with identity link: the mean of y may have an offset,

    E y = w·x + b + offset,

so that the fit is that to y − offset.   McCullagh & Nelder (1989), §2.2
"""

from __future__ import annotations

from typing import Self

import numpy as np

from linclass.base.annotations import ArrayLike, MatrixLike
from linclass.base.offsets import given_offset, offsets_of
from linclass.base.regressor import Regressor


class RegressorWithOffset(Regressor):
    """Mixin of regressors whose prediction has the offset as a summand."""

    def fit(
        self,
        X: MatrixLike,
        y: ArrayLike,
        sample_weight: ArrayLike | None = None,
        offset: ArrayLike | None = None,
    ) -> Self:
        """Fit the regressor to training rows.

        Parameters
        ----------
        X : array, sparse matrix or data frame of shape (n, d)
            Training rows; finite numbers.
        y : array of shape (n,)
            Target of each row, a finite number.
        sample_weight : array of shape (n,) or None, default=None
            Weight of each row, at least 0; rows of weight 0 take no part. None weighs all rows
            equally.
        offset : array of shape (n,) or None, default=None
            Known part of the prediction. None is 0.

        Returns
        -------
        self
        """
        raise NotImplementedError

    def predict(self, X: MatrixLike, offset: ArrayLike | None = None) -> np.ndarray:
        """Predicted target of each row.

        Parameters
        ----------
        X : array, sparse matrix or data frame of shape (n, d)
            Rows with the features of the training rows.
        offset : array of shape (n,) or None, default=None
            Known part of the prediction, which is added. None is 0.

        Returns
        -------
        array of shape (n,)
        """
        raise NotImplementedError

    def score(
        self,
        X: MatrixLike,
        y: ArrayLike,
        sample_weight: ArrayLike | None = None,
        offset: ArrayLike | None = None,
    ) -> float:
        """Coefficient of determination R² = 1 − Σ w (y − ŷ)² / Σ w (y − ȳ)².

        A constant y scores 1 if it is predicted exactly, else 0.

        Parameters
        ----------
        X : array, sparse matrix or data frame of shape (n, d)
            Test rows.
        y : array of shape (n,)
            True target of each row.
        sample_weight : array of shape (n,) or None, default=None
            Weight of each row; None weighs all rows equally.
        offset : array of shape (n,) or None, default=None
            Known part of the prediction. None is 0.

        Returns
        -------
        float
        """
        return self._determination(self.predict(X, **given_offset(offset)), y, sample_weight)

    def _offsets(
        self, offset: ArrayLike | None, sample_weight: ArrayLike | None, y: ArrayLike
    ) -> np.ndarray | None:
        """Those of the rows whose weight is not zero, if there are any."""
        return None if offset is None else offsets_of(offset, sample_weight, y, 2)
