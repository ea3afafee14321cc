"""Scores that are linear in the features, the geometry of their boundaries, and coordinates along directions."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import numpy as np
from sklearn.base import TransformerMixin

from linclass.base.arrays import Array, ArrayLike, Matrix, MatrixLike, PerRow, as_dense
from linclass.base.classifier import Classifier
from linclass.base.documentation import documented
from linclass.base.estimator import Estimator
from linclass.base.many_fits import Scaling
from linclass.base.parameters import is_list

MAX_SCORE = 1e300  # score far outside the data: sums and differences of some are still finite
SAFE_SCALE = 2.0**-200  # such a share of any row has finite products


def products(X: Matrix, W: Array) -> Array:
    """X Wᵀ, dense, clipped to ±MAX_SCORE."""
    with np.errstate(over="ignore", invalid="ignore"):
        Z = as_dense(X @ W.T)
        usual = np.vdot(Z, Z) < np.inf  # one pass, no allocation
    if not usual:
        far = np.flatnonzero(~(np.abs(Z) <= MAX_SCORE).all(axis=1))  # also NaN, which is ∞ − ∞
        limit = MAX_SCORE * SAFE_SCALE
        Z[far] = np.clip(as_dense((X[far] * SAFE_SCALE) @ W.T), -limit, limit) / SAFE_SCALE
    return Z


def scores_of_stack(models: Sequence[Any], X: Array, scaling: Scaling | None = None) -> Array:
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


# Geometry of a linear model: the hyperplane z = w·x + b = 0 and the position of rows relative to it.
#
# With the unit normal w/‖w‖, a row x has
#   signed distance  z(x)/‖w‖,   coordinate along w  w·x/‖w‖,   projection  x − (z(x)/‖w‖²) w.
# Two classes (or one regression) have one hyperplane; K classes have one for each pair,
# z_k = z_l, selected by `pair`.   Duda, Hart & Stork (2001), §5.2


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


@documented
class LinearGeometry:
    """Methods of estimators with `coef_` and `intercept_` that concern their boundary."""

    coef_: Array
    intercept_: Any
    # Defined by the estimator.
    _check_rows: Callable[..., Matrix]
    _require_fit: Callable[[], None]

    def boundary(self, pair: tuple[int, int] | None = None) -> Hyperplane:
        """The hyperplane between two classes.

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

        Returns
        -------
        array of shape (n,)
        """
        normal, offset = self.boundary(pair)
        return self._check_rows(X) @ normal + offset

    def coordinate(self, X: MatrixLike, pair: tuple[int, int] | None = None) -> Array:
        """Coordinate of rows along the normal of the boundary, which lies at −offset.

        Returns
        -------
        array of shape (n,)
        """
        return self._check_rows(X) @ self.boundary(pair).normal

    def project(self, X: MatrixLike, pair: tuple[int, int] | None = None) -> Array:
        """The nearest point of the boundary to each row.

        Returns
        -------
        array of shape (n, d)
            Dense, also for sparse rows.
        """
        normal, offset = self.boundary(pair)
        X = self._check_rows(X)
        distance = X @ normal + offset
        return as_dense(X) - distance[:, None] * normal

    def _plane(self, pair: tuple[int, int] | None) -> tuple[Array, float]:
        self._require_fit()
        W, b = np.atleast_2d(self.coef_), np.atleast_1d(self.intercept_)
        K = max(2, len(W))
        if pair is None and K > 2:
            raise ValueError(f"{K} classes have many boundaries; give pair=(l, k).")
        pair = (0, 1) if pair is None else pair
        if not is_list(pair) or len(pair) != 2 or len({*pair} & {*range(K)}) != 2:
            raise ValueError(
                f"pair is {pair!r}; give the numbers of two classes, from 0 to {K - 1}, as in pair=(0, 1)."
            )
        l, k = pair
        if len(W) == 1:
            return (k - l) * W[0], (k - l) * float(b[0])
        return W[k] - W[l], float(b[k] - b[l])


class LinearScores(Classifier):
    """Scores Z = X Wᵀ + b, with W = coef_ (K, d) and b = intercept_ (K,); one row for two classes."""

    coef_: Array
    intercept_: Array

    def decision_function(self, X: MatrixLike) -> Array:
        X = self._check_rows(X)
        Z = products(X, self.coef_)
        Z += self.intercept_
        return Z[:, 0] if Z.shape[1] == 1 else Z

    _scores_of_stack = staticmethod(scores_of_stack)

    def _set_scores(self, W: Array, b: Array) -> None:
        """Set coef_ and intercept_ from one score per class, W (K, d) and b (K,).

        Two classes keep the difference of their scores.
        """
        if len(W) == 2:
            W, b = W[1:] - W[:1], b[1:] - b[:1]
        self.coef_, self.intercept_ = W, b

    # methods of LinearGeometry, which would be one base class more than tests allow
    boundary: Any = LinearGeometry.boundary
    signed_distance: Any = LinearGeometry.signed_distance
    coordinate: Any = LinearGeometry.coordinate
    project: Any = LinearGeometry.project
    _plane: Any = LinearGeometry._plane


class Coordinates(TransformerMixin, Estimator):
    """A subclass learns `scalings_` (d, q), the directions as columns, and `centre_` (d,), their origin.

    Coordinates may be linear in functions of the features instead, the columns of `_basis(X)`.
    """

    scalings_: Array
    centre_: Array
    fit: Callable[..., Any]

    def transform(self, X: MatrixLike) -> Any:
        """Coordinates of rows along the directions, relative to the overall mean.

        Returns
        -------
        array or data frame of shape (n, q)
            A data frame if `set_output` asks for one.
        """
        rows, directions = self._basis(self._check_rows(X)), self.scalings_
        return rows @ directions - self.centre_ @ directions

    def _basis(self, X: MatrixLike) -> Any:
        """The columns that the coordinates are linear in, by default the features."""
        return X

    def fit_transform(self, X: MatrixLike, y: ArrayLike, sample_weight: PerRow = None) -> Any:
        """Fit to the rows and return their coordinates.

        Returns
        -------
        array or data frame of shape (n, q)
            A data frame if `set_output` asks for one.
        """
        return self.fit(X, y, sample_weight).transform(X)

    def get_feature_names_out(self, input_features: Sequence[str] | None = None) -> Array:
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
