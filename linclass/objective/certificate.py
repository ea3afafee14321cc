"""Distance of a point from the minimum: bounded by a duality gap, or only measured by a cosine.

By Fenchel duality  P(θ) − min P ≤ P(θ) − D(s)  for any slopes s with Σ w s = 0 (the intercept is unpenalized), where
D(s) = −Σ w_i ℓ*(s_i) − strength·penalty*(−Xᵀ(w s)/strength). At the minimum the slopes of the point are such an s.
The gap is relative to P, or, if the fit is perfect up to rounding (P = 0), to the rounding error of P at scores of 0.
Boyd & Vandenberghe (2004), §5.5
"""

from __future__ import annotations

from functools import cached_property
from typing import Any

import numpy as np

from linclass.numerics import Array, by_blocks
from linclass.objective.gap import TINY, gap_of, relative
from linclass.objective.point import Point


class Certified:
    """Mixin of `Objective`, which has design, loss, weights and penalty."""

    design: Any
    loss: Any
    y: Array
    weights: Array
    penalty: Any
    strength: float
    shape: tuple[int, ...]

    def certificate(self, point: Point, slopes: Array | None = None) -> float:
        """The relative gap or the cosine; `certificate_kind` says which."""
        if self.certificate_kind == "duality_gap":
            return self.share(self.duality_gap(point, slopes), point.value)
        return self.residual(point)

    def share(self, gap: float, value: float) -> float:
        """A gap relative to P (`gap.relative`)."""
        return float(relative(gap, value, self._value_at_zero))

    @cached_property
    def _value_at_zero(self) -> float:
        scores = np.zeros((*self.shape[:-1], len(self.weights)))
        (values,) = by_blocks(lambda *yz: (self.loss.values(*yz),), self.y, scores)
        return float(self.weights @ values)

    @property
    def certificate_kind(self) -> str:
        """'duality_gap' bounds (P − min P)/P; 'gradient_cosine' is not a bound."""
        return "duality_gap" if self.strength and self.loss.has_conjugate else "gradient_cosine"

    def duality_gap(self, point: Point, slopes: Array | None = None) -> float:
        """P(θ) − D(s) for the slopes s of the point, or for those given."""
        if slopes is None and (seen := self._gap_seen(point)) is not None:
            return seen
        s = point.slopes if slopes is None else slopes
        if not self.design.intercept:
            return self._gap(point, s)
        if slopes is None and self.loss.kind == "twice-smooth":
            gap = self._gap(point, self._with_intercept_moved(point))
            if np.isfinite(gap):
                return gap
        return self._gap(point, self.loss.balance(self.y, s, self.weights))

    def _gap_seen(self, point: Point) -> float | None:
        """The gap for the slopes of the point, if Σ w s = 0 already: its gradient contains Xᵀ(w s)."""
        d, W, s = self.design.n_features, point.theta[..., : self.design.n_features], point.slopes
        g = point.gradient
        if np.abs(g[..., d:]).max(initial=0) > 1e-15 * self._norm(s):
            return None
        U = self.penalty.gradient(W) - g[..., :d] / self.strength
        shrink = self.penalty.into_domain(U)
        (conjugates,) = by_blocks(lambda *ys: (self.loss.conjugates(*ys),), self.y, shrink * s)
        return self._gap_below(point, conjugates, shrink * U)

    def _gap(self, point: Point, s: Array) -> float:
        """The gap for s with Σ w s = 0, after scaling it into the domain of penalty*."""
        U = self.design.pull(self.weights * s)[..., : self.design.n_features] / -self.strength
        shrink = self.penalty.into_domain(U)
        (conjugates,) = by_blocks(lambda *ys: (self.loss.conjugates(*ys),), self.y, shrink * s)
        return self._gap_below(point, conjugates, shrink * U)

    def _gap_below(self, point: Point, conjugates: Array, U: Array) -> float:
        losses, penalty = self.weights @ conjugates, self.strength * self.penalty.conjugate(U)
        return float(gap_of(point.value, losses, penalty))

    def _with_intercept_moved(self, point: Point) -> Array:
        """s + ∇²ℓ δ, with δ the Newton step of the intercept, so that Σ w s = 0.

        The increase of the gap is of second order in Σ w s, where that of `balance` is of first order; but the
        conjugate may be infinite there.
        """
        s, curvatures = point.slopes, point.curvatures
        ones = np.ones((len(self.weights), 1))
        M = self.loss.hessian(ones, self.weights, curvatures)
        delta = np.linalg.lstsq(M, -np.atleast_1d(s @ self.weights), rcond=1e-12)[0]
        moves = np.broadcast_to(delta.reshape(*s.shape[:-1], 1), s.shape)
        (moved,) = by_blocks(lambda s, c, v: (s + self.loss.curve(c, v),), s, curvatures, moves)
        return moved

    def certificate_of_step(self, old: Point, new: Point, source: Point) -> float:
        """The certificate of new = old + Δ with HΔ = −∇P(old), H the Hessian at `source`, without products with X.

        The slopes s + ∇²ℓ XΔ have  Xᵀ(w s) = r − strength·W_new,  r = ∇P(old) + HΔ, so their U is known; r is 0 up to
        rounding. If it is not 0 for the intercept, the result is +∞.
        """
        r = source.hessian @ (new.theta - old.theta).ravel()
        r = r.reshape(old.theta.shape) + old.gradient
        if self.design.intercept and np.abs(r[..., -1]).max() > 1e-14:
            return np.inf
        U = (new.theta - r / self.strength)[..., : self.design.n_features]

        def conjugates(y: Array, s: Array, c: Array, z: Array, old_z: Array) -> tuple[Array]:
            return (self.loss.conjugates(y, s + self.loss.curve(c, z - old_z)),)

        rows = self.y, old.slopes, source.curvatures, new.scores, old.scores
        gap = self._gap_below(new, by_blocks(conjugates, *rows)[0], U)
        return self.share(gap, new.value)

    def residual(self, point: Point) -> float:
        """max_j |∂P/∂θ_j| / (‖x_j‖ ‖slopes‖), for the subgradient of least norm: the largest cosine between the slopes
        and a feature.

        It does not depend on the units of features. It does not tend to 0 merely because all slopes do: on separable
        data there is no optimum.
        """
        scale = self._norm(point.slopes) + 1e-9 * self._slopes_at_zero  # a perfect fit has none
        norms = self._column_norms * max(scale, TINY)
        cosines = np.abs(point.steepest) / np.where(norms > 0, norms, 1)
        return min(float(cosines.max()), 1.0)

    def _norm(self, slopes: Array) -> float:
        return float(np.sqrt((slopes**2 @ self.weights).sum()))

    @cached_property
    def _slopes_at_zero(self) -> float:
        return self._norm(self.at(self.zero()).slopes)  # type: ignore[attr-defined]

    @cached_property
    def _column_norms(self) -> Array:
        return self.design.column_norms(self.weights)
