"""Rows in the coordinates of mixture discriminant analysis: whitened for EM, in units of the features for k-means."""

from __future__ import annotations

import numpy as np
import scipy.sparse as sp

from linclass.base.arrays import Array, Matrix
from linclass.discriminant.statistics.class_moments import ClassMoments
from linclass.discriminant.statistics.covariance import AnySpread, tied_spread
from linclass.discriminant.statistics.row_spreads import SpanSpread
from linclass.discriminant.statistics.shrunk_spread import ShrunkSpread
from linclass.discriminant.statistics.spread import Spread


class SubclassRows:
    """The rows of each class in both coordinates, with their weights, for one shrinkage and all numbers of subclasses.

    `spread` factors Σ_w, `along` the same along the directions with variance within the classes.
    """

    def __init__(
        self, X: Matrix, codes: Array, weights: Array, moments: ClassMoments, shrinkage: float
    ):
        self.moments, self.shrinkage = moments, shrinkage
        self.spread, self.along = shrunk_spreads(moments, shrinkage)
        self.weights = [weights[codes == k] for k in range(len(moments.mass))]
        self.white = white_rows(X, codes, moments, self.along)
        self.in_units = in_units(X, codes, moments)


def shrunk_spreads(moments: ClassMoments, a: float) -> tuple[AnySpread, Spread | SpanSpread]:
    """(Σ_w shrunk by a, the same along the directions with variance within the classes)."""
    if not a:
        plain = tied_spread(moments, "maximum_likelihood")
        assert isinstance(plain, Spread | SpanSpread), "the form is full, without shrinkage"
        return plain, plain
    values, axes = moments.axes
    N, d = moments.total, axes.shape[1]
    shrunk = ShrunkSpread((1 - a) * values / N, axes, a * values.sum() / (N * d))
    W = shrunk.whiten(axes)
    return shrunk, Spread(shrunk.times(W), W.T)


def white_rows(
    X: Matrix, codes: Array, moments: ClassMoments, along: Spread | SpanSpread
) -> list[Array]:
    """The rows of each class about its mean, whitened."""
    K = len(moments.mass)
    if isinstance(along, SpanSpread):
        Y = along.whitened_rows() / along.R.roots[:, None]
        return [Y[along.R.codes == k] for k in range(K)]
    Y = along.whiten(X) - along.whiten(moments.means)[codes]
    return [Y[codes == k] for k in range(K)]


def in_units(X: Matrix, codes: Array, moments: ClassMoments) -> list[Matrix]:
    """The rows of each class, in units of the deviations within the classes, and without features that have none.

    They are about a common point of their class: its mean, if they are dense.
    """
    squares = moments.squares.sum(axis=0) if moments.form == "rows" else moments.squares
    units = np.sqrt(squares / moments.total)
    units = np.where(units > moments.negligible, units, np.inf)
    classes = range(len(moments.mass))
    if sp.issparse(X) and moments.form == "rows":
        R = moments.scatter.scaled(units)
        R.near.data /= np.repeat(R.roots, np.diff(R.near.indptr))
        return [R.near[R.codes == k] for k in classes]
    X = X.toarray() if sp.issparse(X) else X
    return [(X[codes == k] - moments.means[k]) / units for k in classes]
