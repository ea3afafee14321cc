"""Geometry of a linear model: the hyperplane z = w·x + b = 0 and the position of rows relative to it.

With the unit normal w/‖w‖, a row x has
  signed distance  z(x)/‖w‖,   coordinate along w  w·x/‖w‖,   projection  x − (z(x)/‖w‖²) w.
Two classes (or one regression) have one hyperplane; K classes have one for each pair,
z_k = z_l, selected by `pair`.   Duda, Hart & Stork (2001), §5.2
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
from scipy import sparse

from linclass.base.annotations import Matrix, MatrixLike
from linclass.base.numerics.arrays import Array
from linclass.base.parameter_types import is_list


class Hyperplane(NamedTuple):
    """The hyperplane {x : normal·x + offset = 0}.

    Attributes
    ----------
    normal : array of shape (d,)
        Unit normal, pointing to the second class.
    offset : float
        Signed distance of the origin.
    """

    normal: Array
    offset: float


class LinearGeometry:
    """Methods of estimators with `coef_` and `intercept_` that concern their boundary."""

    coef_: Array
    intercept_: Any
    # Defined by the estimator.
    _check_rows: Callable[..., Matrix]
    _require_fit: Callable[[], None]

    def boundary(self, pair: tuple[int, int] | None = None) -> Hyperplane:
        """The hyperplane between two classes.

        Parameters
        ----------
        pair : (int, int) or None, default=None
            Indices (l, k) in `classes_` of the two classes, required for more than two. The normal
            points to class k.

        Returns
        -------
        Hyperplane
            Its `normal` and `offset`.
        """
        w, b = self._plane(pair)
        length = float(np.linalg.norm(w))
        if length == 0:
            raise ValueError("the weights are all zero, so there is no boundary; fit other data.")
        return Hyperplane(w / length, b / length)

    def signed_distance(self, X: MatrixLike, pair: tuple[int, int] | None = None) -> Array:
        """Euclidean distance of rows from the boundary, negative on the side of the first class.

        Parameters
        ----------
        X : array, sparse matrix or data frame of shape (n, d)
            Rows with the features of the training rows.
        pair : (int, int) or None, default=None
            Indices (l, k) in `classes_` of the two classes, required for more than two.

        Returns
        -------
        array of shape (n,)
        """
        normal, offset = self.boundary(pair)
        return self._check_rows(X) @ normal + offset

    def coordinate(self, X: MatrixLike, pair: tuple[int, int] | None = None) -> Array:
        """Coordinate of rows along the normal of the boundary, which lies at −offset.

        Parameters
        ----------
        X : array, sparse matrix or data frame of shape (n, d)
            Rows with the features of the training rows.
        pair : (int, int) or None, default=None
            Indices (l, k) in `classes_` of the two classes, required for more than two.

        Returns
        -------
        array of shape (n,)
        """
        return self._check_rows(X) @ self.boundary(pair).normal

    def project(self, X: MatrixLike, pair: tuple[int, int] | None = None) -> Array:
        """The nearest point of the boundary to each row.

        Parameters
        ----------
        X : array, sparse matrix or data frame of shape (n, d)
            Rows with the features of the training rows.
        pair : (int, int) or None, default=None
            Indices (l, k) in `classes_` of the two classes, required for more than two.

        Returns
        -------
        array of shape (n, d)
            Dense, also for sparse rows.
        """
        normal, offset = self.boundary(pair)
        X = self._check_rows(X)
        distance = X @ normal + offset
        X = X.toarray() if sparse.issparse(X) else X
        return X - distance[:, None] * normal

    def _plane(self, pair: tuple[int, int] | None) -> tuple[Array, float]:
        self._require_fit()
        W, b = np.atleast_2d(self.coef_), np.atleast_1d(self.intercept_)
        l, k = _checked_pair(pair, max(2, len(W)))
        if len(W) == 1:
            return (k - l) * W[0], (k - l) * float(b[0])
        return W[k] - W[l], float(b[k] - b[l])


def _checked_pair(pair: tuple[int, int] | None, K: int) -> tuple[int, int]:
    if pair is None and K > 2:
        raise ValueError(f"{K} classes have many boundaries; give pair=(l, k).")
    pair = (0, 1) if pair is None else pair
    if not is_list(pair) or len(pair) != 2 or len({*pair} & {*range(K)}) != 2:
        raise ValueError(
            f"pair is {pair!r}; give the numbers of two classes, from 0 to {K - 1}, as in pair=(0, 1)."
        )
    l, k = pair
    return l, k
