"""The objective in other coordinates of theta,

    u_j = s_j w_j,   u_0 = b + x̄·w   (the score of the mean row),   ∂/∂u_j = (∂/∂w_j − x̄_j ∂/∂b)/s_j.

With the standard deviations s about the means x̄, features are alike, whatever their units: Hessians are formed, and
steps measured, in u (`Units.of`). With s = 1 the rows are centred, and uncentred sums of squares would lose the
digits of |x̄|² (`centred`). With x̄ = 0 and the roots s = √f of the factors of an L2 penalty all factors are equal
(`equal_factors`)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from scipy import sparse

from linclass.base.arrays import BLOCK, Array, as_dense, shifted, squares_of_columns
from linclass.base.design_matrix import DesignMatrix
from linclass.linear.objective.objective import CONSTANT_BELOW, Objective, Point, is_far
from linclass.linear.penalties.entrywise import L2

ROWS_LOOKED_AT = 1000  # rows by which it is decided whether all are far from 0
CENTRED_BEYOND = 3  # deviations from 0 above which sparse columns are centred
LEAST_DEVIATION = 1e-7  # relative to the norm of a column: a deviation below it is rounding
SINGLE_UP_TO = 1e3  # deviations from 0 up to which uncentred columns may be in single precision


@dataclass(frozen=True)
class Units:
    """Means x̄ and scales s of the coordinates u."""

    mean: Array  # x̄
    scale: Array  # s

    @classmethod
    def of(cls, objective: Objective) -> Units:
        """Means and standard deviations (about 0 without an intercept).

        Sparse columns are not centred unless they are far from 0, as centring would fill them in.
        """
        design = objective.design
        length = objective.column_norms[: design.n_features]
        mean = objective.column_means
        deviation = np.maximum(
            np.sqrt(np.maximum(length**2 - mean**2, 0)), LEAST_DEVIATION * length
        )
        if design.is_sparse:
            mean = np.where(np.abs(mean) > CENTRED_BEYOND * deviation, mean, 0)
        scale = np.where(mean != 0, deviation, length)
        return cls(mean, np.where(scale > 0, scale, 1))

    @property
    def needs_double(self) -> bool:
        """Whether uncentred columns lose too many digits in single precision."""
        return bool((np.abs(self.mean) > SINGLE_UP_TO * self.scale).any())

    def coordinates(self, theta: Array) -> Array:
        """u of (w, b)."""
        W, d = theta[..., : len(self.scale)], len(self.scale)
        u = theta.copy()
        u[..., :d] *= self.scale
        u[..., d:] += (W @ self.mean)[..., None]
        return u

    def move(self, u: Array) -> Array:
        """(w, b) of u: the inverse of `coordinates`."""
        theta, d = u.copy(), len(self.scale)
        theta[..., :d] /= self.scale
        if self.mean.any():
            theta[..., d:] -= (theta[..., :d] @ self.mean)[..., None]
        return theta

    def pull(self, g: Array) -> Array:
        """The gradient in u from that in (w, b): the adjoint of `move`."""
        g, d = g.copy(), len(self.scale)
        g[..., :d] = self.centred(g) / self.scale
        return g

    def steepest(self, point: Point) -> Array:
        """The subgradient of least norm, in u."""
        g, d = point.gradient.copy(), len(self.scale)
        np.divide(self.excess(point), self.scale, out=g[..., :d])
        return g

    def excess(self, point: Point) -> Array:
        """The excess of the slopes of W over the kink, for a fixed score of the mean row, in the units of w."""
        P = point.objective
        W = P.weight_part(point.theta)
        return P.penalty.steepest(W, self.centred(point.gradient), P.strength)

    def centred(self, g: Array) -> Array:
        d = len(self.scale)
        return g[..., :d] - g[..., d:] * self.mean if self.mean.any() else g[..., :d]


def about_mean(X: Array, weights: Array) -> tuple[Array, Array]:
    """(X − x̄, x̄) of dense rows; columns that are constant but for rounding become 0."""
    mean = np.average(X, axis=0, weights=weights)
    C = X - mean
    C[:, np.linalg.norm(C, axis=0) <= CONSTANT_BELOW * np.linalg.norm(X, axis=0)] = 0
    return C, mean


def far_about_mean(X: sparse.csr_array, weights: Array) -> tuple[sparse.csr_array, Array]:
    """(X − x̄, x̄) of sparse rows, with x̄ = 0 but for columns far from 0, which have few zeros to fill in.

    The weights sum to 1.
    """
    mean, norms = np.asarray(weights @ X), np.sqrt(squares_of_columns(X, weights))
    return about_far_means(X, weights, mean, norms)


def about_far_means(
    X: sparse.csr_array, weights: Array, mean: Array, norms: Array
) -> tuple[sparse.csr_array, Array]:
    """(X − x̄, x̄) as `far_about_mean` gives it, from the means and norms of the columns."""
    far = np.flatnonzero(is_far(mean, norms * norms))
    mean = np.where(np.isin(np.arange(X.shape[1]), far), mean, 0.0)
    if not len(far):
        return X, mean
    C = shifted(X, mean)
    constant = np.sqrt(squares_of_columns(C, weights)) <= CONSTANT_BELOW * norms
    C.data[constant[C.indices]] = 0
    C.eliminate_zeros()
    return C, mean


class InUnits(NamedTuple):
    """An objective in coordinates u."""

    objective: Objective
    units: Units


def centred(objective: Objective) -> InUnits | None:
    """The objective of the rows about their mean, which has the same minimum if the intercept is not penalized; None
    for rows near the origin.

    Dense rows are copied. Of sparse ones only columns far from 0 are centred.
    """
    P, design = objective, objective.design
    if design.is_kernel or not design.intercept or design.is_centred:
        return None
    if design.is_sparse:
        norms = P.column_norms[: design.n_features]
        X, mean = about_far_means(design.X, P.weights, P.column_means, norms)
        if not mean.any():
            return None
    else:
        some = design.X[:: max(1, design.n_rows // ROWS_LOOKED_AT)]
        mean, squares = some.mean(axis=0), np.einsum("ij,ij->j", some, some) / len(some)
        if not is_far(mean, squares).any():
            return None
        mean = design.X.mean(axis=0)
        X = design.X - mean
    moved = DesignMatrix(X)
    moved.is_centred = True  # constant columns are not 0 then, but for rounding
    P = Objective(moved, P.loss, P.y, P.weights, P.chosen_penalty, P.strength)
    return InUnits(P, Units(mean, np.ones(len(mean))))


def equal_factors(objective: Objective) -> InUnits | None:
    """L2 with a factor of each feature is plain L2 with columns in other units; None for other penalties:

    Σ_j f_j ½w_j² = ½‖v‖²,   X w = X′ v,   v_j = √f_j w_j,   x′_j = x_j/√f_j   for factors f_j > 0.
    """
    P = objective
    if P.uniform or P.kinked or not (P.strongly_convex and P.penalty.entrywise):
        return None
    design = P.design
    roots = np.sqrt(np.broadcast_to(P.curvature, (design.n_features,)) / P.strength)
    if design.is_sparse:
        parts = design.X.data / roots[design.X.indices], design.X.indices, design.X.indptr
        X = sparse.csr_array(parts, shape=design.X.shape)
    else:
        X = design.X / roots
    moved = DesignMatrix(X, design.intercept)
    P = Objective(moved, P.loss, P.y, P.weights, L2(), P.strength)
    return InUnits(P, Units(np.zeros(len(roots)), roots))


# Second moments about the mean, from one pass over the rows, with Σw = 1:
#
#     x̄ = Σ w x,   G = Σ w (x − x̄)(x − x̄)ᵀ,   c = Σ w (x − x̄) y_c.
#
# XᵀX − x̄x̄ᵀ costs half as much if all rows have equal weight, because X is neither shifted nor scaled. But it
# loses the digits that x̄x̄ᵀ and XᵀX have in common.   Chan, Golub & LeVeque (1983), Am. Statistician 37

VARIANCE_LEFT = 1e-3  # share of variance in Σ w x², above which at most three digits cancel

Moments = tuple[Array, Array, Array]


def second_moments(design: DesignMatrix, weights: Array, Y: Array) -> Moments:
    """(x̄, G, c) for K rows of centred targets; without an intercept x̄ is 0."""
    if not design.is_sparse and weights.min() == weights.max():
        mean, G, c = moments_at_once(design, weights, Y)
        if (G.diagonal() >= VARIANCE_LEFT * mean**2).all():
            return mean, G, c
    return moments_by_blocks(design, weights, Y)


def centred_gram(design: DesignMatrix, weights: Array) -> tuple[Array, Array]:
    """(x̄, G) to all digits; without an intercept x̄ is 0."""
    mean, G, _ = moments_by_blocks(design, weights, np.empty((0, design.n_rows)))
    return mean, G


def moments_at_once(design: DesignMatrix, weights: Array, Y: Array) -> Moments:
    """G = XᵀX − x̄x̄ᵀ."""
    X = design.X
    sums = np.vstack([weights, weights * Y]) @ X
    mean = sums[0] if design.intercept else np.zeros(design.n_features)
    G = X.T @ X  # the same matrix on both sides: half the work (syrk)
    G *= weights[0]
    G -= np.outer(mean, mean)
    design.passes += 1
    return mean, G, sums[1:] - np.outer(Y @ weights, mean)


def moments_by_blocks(design: DesignMatrix, weights: Array, Y: Array) -> Moments:
    """The moments from the products of the columns of [X − s, y_c, 1].

    With a shift s near x̄ the correction  G = Σ w (x − s)(x − s)ᵀ − (x̄ − s)(x̄ − s)ᵀ  is small.
    """
    K, d, root = len(Y), design.n_features, np.sqrt(weights)
    shift, H = np.zeros(d), np.zeros((d + K + 1, d + K + 1))
    buffer = np.empty((min(BLOCK, design.n_rows), len(H)))
    for start in range(0, design.n_rows, BLOCK):
        rows = slice(start, min(start + BLOCK, design.n_rows))
        X, B = design.X[rows], buffer[: rows.stop - start]
        X = as_dense(X)
        if design.intercept and not start:
            w = weights[rows]
            shift = w @ X / w.sum()
        np.subtract(X, shift, out=B[:, :d])
        B[:, d:-1], B[:, -1] = Y[:, rows].T, 1
        B *= root[rows, None]
        H += B.T @ B
    design.passes += 1
    off = H[:d, -1] if design.intercept else np.zeros(d)
    G = H[:d, :d] - np.outer(off, off)
    return shift + off, G, H[d:-1, :d] - np.outer(H[d:-1, -1], off)
