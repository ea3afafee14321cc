"""Models that are transforms, too: coordinates of rows along directions, as scikit-learn takes them.

`get_feature_names_out` and `set_output` follow scikit-learn's conventions (SLEP018), so that such a
model is a step of a Pipeline or a ColumnTransformer whose output is a data frame.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from linclass.base.annotations import ArrayLike, MatrixLike, Tags
from linclass.base.estimator import Estimator
from linclass.base.sets_output import SetsOutput


class Coordinates(SetsOutput, Estimator):
    """A subclass learns `scalings_` (d, q), the directions as columns, and `centre_` (d,), their origin.

    Coordinates may be linear in functions of the features instead, the columns of `_basis(X)`.
    """

    scalings_: np.ndarray
    centre_: np.ndarray
    fit: Callable[..., Any]

    def transform(self, X: MatrixLike) -> Any:
        """Coordinates of rows along the directions, relative to the overall mean.

        Parameters
        ----------
        X : array, sparse matrix or data frame of shape (n, d)
            Rows with the features of the training rows.

        Returns
        -------
        array or data frame of shape (n, q)
            A data frame if `set_output` asks for one.
        """
        rows = self._basis(self._check_rows(X))
        Z = rows @ self.scalings_ - self.centre_ @ self.scalings_
        return self._as_asked_for(Z, X)

    def _basis(self, X: MatrixLike) -> Any:
        """What the coordinates are linear in: here the features."""
        return X

    def fit_transform(
        self, X: MatrixLike, y: ArrayLike, sample_weight: ArrayLike | None = None
    ) -> Any:
        """Fit to the rows and return their coordinates.

        Parameters
        ----------
        X : array, sparse matrix or data frame of shape (n, d)
            Training rows; finite numbers.
        y : array of shape (n,)
            Class, or target, of each row.
        sample_weight : array of shape (n,) or None, default=None
            Weight of each row; None weighs all rows equally.

        Returns
        -------
        array or data frame of shape (n, q)
            A data frame if `set_output` asks for one.
        """
        return self.fit(X, y, sample_weight).transform(X)

    def get_feature_names_out(self, input_features: Sequence[str] | None = None) -> np.ndarray:
        """Names of the coordinates: the name of the class in lower case, and a number.

        Parameters
        ----------
        input_features : sequence of str or None, default=None
            Ignored; the coordinates have names of their own.

        Returns
        -------
        array of str, shape (q,)
        """
        self._require_fit()
        name = type(self).__name__.lower()
        return np.array([f"{name}{r}" for r in range(self.scalings_.shape[1])], dtype=object)

    def __sklearn_tags__(self) -> Tags:
        from sklearn.utils import TransformerTags

        tags = super().__sklearn_tags__()
        tags.transformer_tags = TransformerTags()
        return tags
