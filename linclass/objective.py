"""The one objective  P(W, b) = (1/Σw_i) Σ w_i loss(y_i, z_i) + strength · penalty(W),  Z = X W + b.

This is the only place that decides what it is normalized by (the sum of row weights) and that the
intercept is free. In scikit-learn's terms C = 1/(Σw·strength) for sums of losses, alpha =
Σw·strength for Ridge and alpha = strength for Lasso and SGD. See `strength_of_C`.

A solver sees an `Objective` and `Point`s of it, never a loss.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np

from linclass.applicability import require_memory
from linclass.certificate import Certified
from linclass.losses.base import Loss, MarginLoss
from linclass.numerics import BLOCK, Array, DesignMatrix
from linclass.penalties.base import Penalty
from linclass.point import Point
from linclass.prepared import affine_gradient

IN_CACHE = 100_000  # entries of X up to which single precision would save no memory traffic


class Objective(Certified):
    def __init__(
        self,
        design: DesignMatrix,
        loss: Loss,
        y: Array,
        weights: Array | None = None,
        penalty: Penalty | None = None,
        strength: float = 0.0,
    ):
        self.design, self.loss, self.y = design, loss, y
        weights = np.ones(design.n_rows) if weights is None else weights
        self.weights = weights / weights.sum()
        self.penalty = penalty
        self.strength = float(strength) if penalty is not None and penalty.binds else 0.0
        self.curvature = self.strength * penalty.curvature if penalty is not None else 0.0
        scores = loss.n_scores if y.ndim == 1 else len(y)
        many = scores > 1 or y.ndim == 2
        self.shape = (scores, design.width) if many else (design.width,)

    @property
    def n_parameters(self) -> int:
        return math.prod(self.shape)

    @property
    def is_quadratic(self) -> bool:
        return self.loss.quadratic and self.penalty_is_smooth

    def zero(self) -> Array:
        return np.zeros(self.shape)

    def at(self, theta: Array) -> Point:
        return Point(self, theta, self.design.scores(theta))

    def survey(self, theta: Array) -> Point:
        """The point with value, gradient and Hessian, all rows read once.

        Blocks of [X 1] stay in the cache from their scores to their part of the Hessian; for one
        score of sparse rows a sparse product takes less.
        """
        design, p = self.design, self.n_parameters
        if p > 1000:  # asking the system costs more than a small Hessian
            require_memory(24 * p * p, f"newton needs a dense {p} × {p} Hessian")
        if design.is_sparse and len(self.shape) == 1:
            point = self.at(theta)
            H = design.sparse_gram(self.weights * point.curvatures)
            if self.curvature:
                self._weights_of_diagonal(H)[...] += self.curvature
            return point.with_known(hessian=H)
        one = len(self.shape) == 1
        scores, slopes, curvatures = (np.empty((*self.shape[:-1], design.n_rows)) for _ in range(3))
        values = np.empty(design.n_rows)
        size = BLOCK if one else max(64, BLOCK // self.shape[0])
        g, H = np.zeros(self.shape), np.zeros((p, p))
        for rows, B in design.blocks(size, filled=not one):
            w = self.weights[rows]
            z = scores[..., rows] = design.scores_of(rows, theta) if one else theta @ B.T
            jet = self.loss.jet(self.y[..., rows], z)
            values[rows], slopes[..., rows], curvatures[..., rows] = jet
            slope, curvature = jet[1:]
            if one:  # √(w ℓ″) [X 1], written once, is all that H needs (syrk: half the work)
                g += design.pull_of(rows, w * slope)
                root = np.sqrt(w * curvature)[:, None]
                np.multiply(design.X[rows], root, out=B[:, : design.n_features])
                B[:, design.n_features :] = root
                H += B.T @ B
            else:
                g += (w * slope) @ B
                H += self.loss.hessian(B, w, curvature)
        design.passes += 1
        value = self.weights @ values
        if self.strength and self.penalty is not None:
            W = self.weight_part(theta)
            value += self.strength * self.penalty.value(W)
            self.weight_part(g)[...] += self.strength * self.penalty.gradient(W)
        if self.curvature:
            self._weights_of_diagonal(H)[...] += self.curvature
        known = {"value": float(value), "gradient": g, "hessian": H}
        known["_jet"] = values, slopes, curvatures
        return Point(self, theta, scores).with_known(**known)

    def hessian_times(
        self, point: Point, exact: bool = True
    ) -> Callable[[Array], tuple[Array, Array | None]]:
        """s ↦ (H s, X s) at a point; X s comes for free and makes the line search cheap.

        Unless it must be exact, H s for K scores of many dense rows comes in single precision,
        without X s.
        """
        curvatures, w, design = point.curvatures, self.weights, self.design
        many = design.n_rows * design.width > IN_CACHE and len(self.shape) == 2
        if many and not exact and not design.is_sparse:
            return self._hessian_times_in_single(curvatures)

        def times(s: Array) -> tuple[Array, Array]:
            Xs = design.scores(s)
            Hs = design.pull(w * self.loss.curve(curvatures, Xs))
            if self.curvature:
                self.weight_part(Hs)[...] += self.curvature * self.weight_part(s)
            return Hs, Xs

        return times

    def shared_hessian(self) -> Array:
        """XᵀWX/K + the penalty's curvature, one block of ∇²P if all K classes were as likely."""
        H = np.zeros((self.design.width, self.design.width))
        for rows, B in self.design.blocks():
            B *= np.sqrt(self.weights[rows])[:, None]
            H += B.T @ B
        H /= self.shape[0]
        H[np.diag_indices(len(H))] += self.curvature
        return H

    def _hessian_times_in_single(self, curvatures: Array) -> Callable[[Array], tuple[Array, None]]:
        """H s for K dense scores, in blocks that stay in the cache and in single precision.

        Steps need no more digits: gradients and objectives, which decide, are in double.
        """
        design, loss = self.design, self.loss
        C, w = curvatures.astype(np.float32), self.weights.astype(np.float32)
        size = max(64, 8 * BLOCK // len(C))
        blocks = [slice(i, i + size) for i in range(0, design.n_rows, size)]

        def times(s: Array) -> tuple[Array, None]:
            single, Hs = s.astype(np.float32), self.curvature * s
            if design.intercept:
                Hs[:, -1] = 0
            for rows in blocks:
                B = design.single[rows]
                V = loss.curve(C[:, rows], single @ B.T)
                V *= w[rows]
                Hs += V @ B
            design.passes += 1
            return Hs, None

        return times

    def prepared_gradient(self, scale: float = 1.0) -> Callable[[Array, Array], Any]:
        """(theta, out) ↦ out = scale·∇P(theta), without allocating, for many small steps."""
        loss, design = self.loss, self.design
        plain = not design.is_sparse and not self.strength
        if plain and isinstance(loss, MarginLoss) and loss.slope_as_ufunc is not None:
            return affine_gradient(loss, design, self.y, self.weights, scale)

        def gradient(theta: Array, out: Array) -> None:
            np.multiply(self.at(theta).gradient, scale, out=out)

        return gradient

    @property
    def penalty_is_smooth(self) -> bool:
        return self.penalty is None or self.penalty.smooth

    def steepness(self) -> float:
        """A bound L on the curvature of P: gradient steps of 1/L descend."""
        s = np.sqrt(self.weights)
        v = np.random.default_rng(0).standard_normal(self.design.width)
        top = 0.0
        for _ in range(30):  # power iteration, then a margin for what it has not reached
            v /= np.linalg.norm(v)
            v = self.design.pull(s * s * self.design.scores(v))
            top = float(np.linalg.norm(v))
        return 1.05 * self.loss.smoothness * top + self.curvature

    def batch_gradient(self, rows: slice, theta: Array) -> Array:
        """An unbiased estimate of ∇P from a few rows."""
        z = self.design.scores_of(rows, theta)
        scale = self.design.n_rows / (rows.stop - rows.start)
        g = self.design.pull_of(
            rows, scale * self.weights[rows] * self.loss.slopes(self.y[..., rows], z)
        )
        if self.strength and self.penalty is not None:
            self.weight_part(g)[...] += self.strength * self.penalty.gradient(
                self.weight_part(theta)
            )
        return g

    def take(self, rows: Any) -> Objective:
        """The same on some rows; being a mean, it needs no other strength."""
        return Objective(
            self.design.take(rows),
            self.loss,
            self.y[..., rows],
            self.weights[rows],
            self.penalty,
            self.strength,
        )

    def weight_part(self, theta: Array) -> Array:
        """W without the intercept, as a view."""
        return theta[..., : self.design.n_features]

    @property
    def passes(self) -> float:
        return self.design.passes

    def _weights_of_diagonal(self, H: Array) -> Array:
        """The diagonal of a Hessian where W is, as a view."""
        return self.weight_part(np.einsum("ii->i", H).reshape(self.shape))


def strength_of_C(C: float, total_weight: float) -> float:
    """scikit-learn's C·Σ loss + penalty has the same minimum as ours with strength 1/(Σw·C)."""
    return 1.0 / (C * total_weight)
