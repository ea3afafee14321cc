"""Scaled coordinates, in which features are alike, whatever their units and means:

    u_j = s_j w_j,   u_0 = b + x̄·w   (the score of the mean row),   ∂/∂u_j = (∂/∂w_j − x̄_j ∂/∂b)/s_j,

with s the standard deviation of a column about x̄ (about 0 without an intercept). Hessians are formed, and steps
measured, in u: in w one column of large numbers, or far from 0, would dominate them. Sparse columns are not
centred unless they are far from 0, as centring would fill them in.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from linclass.base.arrays import Array
from linclass.linear.objective.certificate import Certified
from linclass.linear.objective.point import Point

FAR = 3  # deviations from 0 above which sparse columns are centred
DIGITS = 1e-7  # of the norm of a column: a deviation below it is rounding
SINGLE = 1e3  # deviations from 0 up to which uncentred columns may be in single precision


@dataclass(frozen=True)
class Units:
    mean: Array  # x̄
    scale: Array  # s

    @classmethod
    def of(cls, objective: Certified) -> Units:
        design = objective.design
        length = objective.column_norms[: design.n_features]
        mean = objective.column_means
        deviation = np.maximum(np.sqrt(np.maximum(length**2 - mean**2, 0)), DIGITS * length)
        if design.is_sparse:
            mean = np.where(np.abs(mean) > FAR * deviation, mean, 0)
        scale = np.where(mean != 0, deviation, length)
        return cls(mean, np.where(scale > 0, scale, 1))

    def of_features(self, features: Array) -> Units:
        return Units(self.mean[features], self.scale[features])

    @property
    def needs_double(self) -> bool:
        """Whether uncentred columns lose too many digits in single precision."""
        return bool((np.abs(self.mean) > SINGLE * self.scale).any())

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
        theta[..., d:] -= (theta[..., :d] @ self.mean)[..., None]
        return theta

    def pull(self, g: Array) -> Array:
        """The gradient in u from that in (w, b): the adjoint of `move`."""
        g, d = g.copy(), len(self.scale)
        g[..., :d] = self._centred(g) / self.scale
        return g

    def steepest(self, point: Point) -> Array:
        """The subgradient of least norm, in u."""
        g, d = point.gradient.copy(), len(self.scale)
        np.divide(self.excess(point), self.scale, out=g[..., :d])
        return g

    def excess(self, point: Point) -> Array:
        """By how much the slopes of W exceed the kink, for a fixed score of the mean row, in the units of w."""
        objective = point.objective
        W = objective.weight_part(point.theta)
        return objective.steepest(W, self._centred(point.gradient))

    def _centred(self, g: Array) -> Array:
        d = len(self.scale)
        return g[..., :d] - g[..., d:] * self.mean if self.centres else g[..., :d]

    @cached_property
    def centres(self) -> bool:
        return bool(self.mean.any())
