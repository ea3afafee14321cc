"""Distance of a point from the minimum: bounded by a duality gap, or only measured by a cosine.

The theorem is in linear/objective/gap.py. Here are the slopes s that it needs: those of the point, balanced so that
Σ w s x_j = 0 for all columns x_j without a penalty, and scaled into the domain of penalty*.
"""

from __future__ import annotations

import numpy as np

from linclass.base.arrays import Array, by_blocks, once
from linclass.linear.objective.far_columns import FarColumns, far_columns
from linclass.linear.objective.gap import TINY, gap_of, relative
from linclass.linear.objective.point import PenalizedLoss, Point

ROUNDING = 16 * np.finfo(float).eps  # of a slope, relative to the terms that cancel in it
NEARLY = 1e-6  # slopes above this share of the terms have far more digits than a certificate needs
FEW = 1e-3  # share of the norm of the slopes at zero, below which only few rows have slopes


class Certified(PenalizedLoss):
    """Base of `Objective`: the certificate of a point."""

    def certificate(self, point: Point, slopes: Array | None = None) -> float:
        """The relative gap or the cosine; `certificate_kind` says which.

        With a penalty, P = 0 is a minimum, since loss and penalty are at least 0. Without one it means nothing:
        the perceptron's P is 0 at W = 0, where every row is misclassified. The loss of a likelihood is never 0; if it
        is, that is underflow.
        """
        if self.strength and point.value == 0 and self.loss.vanishes:
            return 0.0
        if self.certificate_kind == "duality_gap":
            gap = self.duality_gap(point, slopes)
            if self.loss.vanishes:  # else P = 0 is out of reach
                gap = min(gap, point.value)  # by s = 0
            return self.share(gap, point.value)
        return self.residual(point)

    def share(self, gap: float, value: float) -> float:
        """A gap relative to P (`gap.relative`)."""
        return float(relative(gap, value, self._value_at_zero))

    @once
    def _value_at_zero(self) -> float:
        if (jet := self.loss.jet_at_zero(self.y[..., :1])) is not None:  # all rows are alike
            return float(self.weights.sum() * jet[0][0])
        return self.mean_loss(np.zeros((*self.shape[:-1], len(self.weights))))

    @property
    def certificate_kind(self) -> str:
        """'duality_gap' bounds (P − min P)/P; 'gradient_cosine' is not a bound."""
        smooth = self.unpenalized is None or self.loss.kind == "twice-smooth"
        gap = self.strength and self.loss.has_conjugate and smooth
        return "duality_gap" if gap else "gradient_cosine"

    def duality_gap(self, point: Point, slopes: Array | None = None) -> float:
        """P(θ) − D(s) for the slopes s of the point, or for those given."""
        if slopes is None and (seen := self._gap_seen(point)) is not None:
            return seen
        s = point.slopes if slopes is None else slopes
        if self.unpenalized is None and not self.design.intercept:
            return self._gap(point, s)
        if slopes is None and self.loss.kind == "twice-smooth":
            gap = self._gap(point, self._balanced(point))
            if np.isfinite(gap) or self.unpenalized is not None:
                return gap
        return self._gap(point, self.loss.balance(self.y, s, self.weights))

    @once
    def _columns_without_penalty(self) -> Array | slice:
        """The columns of [X 1] without a penalty."""
        d = self.design.n_features
        if self.unpenalized is None:
            return slice(d, None)
        return np.append(np.flatnonzero(self.unpenalized), np.arange(d, self.design.width))

    def _gap_seen(self, point: Point) -> float | None:
        """The gap for the slopes of the point, if they are balanced already: its gradient contains Xᵀ(w s)."""
        d, W, s = self.design.n_features, self.weight_part(point.theta), point.slopes
        g = point.gradient
        if not self._is_balanced(g, s, 1e-15):
            return None
        U = self.feasible(self.penalty.gradient(W) - g[..., :d] / self.strength)
        return self._gap_in_domain(point, s, U)

    def _gap(self, point: Point, s: Array) -> float:
        """The gap for balanced s; +∞ if s is not balanced."""
        g = self.design.pull(self.weights * s)
        if not self._is_balanced(g, s, 1e-12):
            return np.inf
        U = self.feasible(g[..., : self.design.n_features] / -self.strength)
        return self._gap_in_domain(point, s, U)

    def _gap_in_domain(self, point: Point, s: Array, U: Array) -> float:
        """The gap for slopes s and U = −Xᵀ(w s)/strength, after scaling both into the domain of penalty*."""
        shrink = self.penalty.into_domain(U)
        (conjugates,) = by_blocks(lambda *ys: (self.loss.conjugates(*ys),), self.y, shrink * s)
        return self.gap_from_conjugates(point, conjugates, shrink * U)

    def gap_from_conjugates(self, point: Point, conjugates: Array, U: Array) -> float:
        """The gap for the conjugates ℓ*(s) of all rows and U = −Xᵀ(w s)/strength."""
        penalty_conjugate = self.strength * self.penalty.conjugate(U)
        return float(gap_of(point.value, self.weights @ conjugates, penalty_conjugate))

    def _is_balanced(self, g: Array, s: Array, digits: float) -> bool:
        """Whether Σ w s x_j = 0 up to rounding for the columns without a penalty; g contains these sums."""
        columns = self._columns_without_penalty
        sums = np.abs(g[..., columns])
        if self.unpenalized is not None:
            norms = self.column_norms[columns]
            sums /= np.where(norms > 0, norms, 1)
        return bool(sums.max(initial=0) <= digits * self._norm(s))

    def feasible(self, U: Array) -> Array:
        """U, which is 0 up to rounding for features without a penalty, with these zeros."""
        return U if self.unpenalized is None else np.where(self.unpenalized, 0.0, U)

    def _balanced(self, point: Point) -> Array:
        """s + ∇²ℓ X_F δ, with δ the Newton step of the columns F without a penalty, so that Σ w s x_F = 0.

        The increase of the gap is of second order in Σ w s x_F, where that of `balance` is of first order; but the
        conjugate may be infinite there.
        """
        s, curvatures, alone = point.slopes, point.curvatures, self.unpenalized is None
        if self.unpenalized is None:
            B = np.ones((s.shape[-1], 1))
        else:
            B = self.design.take_features(np.flatnonzero(self.unpenalized)).dense()
        M = self.loss.hessian(B.copy(), self.weights, curvatures)  # which overwrites its rows
        for _ in range(1 if alone else 2):  # the second removes rounding errors of the first
            right = s @ self.weights if alone else ((s * self.weights) @ B).ravel()
            delta = np.linalg.lstsq(M, -np.atleast_1d(right), rcond=1e-12)[0]
            delta = delta.reshape(*s.shape[:-1], -1)
            moves = np.broadcast_to(delta, s.shape) if alone else delta @ B.T
            (s,) = by_blocks(lambda s, c, v: (s + self.loss.curve(c, v),), s, curvatures, moves)
        return s

    def certificate_of_step(self, old: Point, new: Point, source: Point) -> float:
        """The certificate of new = old + Δ with HΔ = −∇P(old), H the Hessian at `source`, without products with X.

        The slopes s + ∇²ℓ XΔ have  Xᵀ(w s) = r − strength·∇penalty(W_new),  r = ∇P(old) + HΔ, so their U is known; r is
        0 up to rounding. If it is not 0 for the columns without a penalty, the result is +∞.
        """
        r = source.hessian @ (new.theta - old.theta).ravel()
        r = r.reshape(old.theta.shape) + old.gradient
        free = self._columns_without_penalty
        norms = 1.0 if self.unpenalized is None else np.maximum(self.column_norms[free], TINY)
        if (np.abs(r[..., free]) / norms).max(initial=0) > 1e-14:
            return np.inf
        d = self.design.n_features
        U = self.feasible(self.penalty.gradient(new.theta[..., :d]) - r[..., :d] / self.strength)

        def conjugates(y: Array, s: Array, c: Array, z: Array, old_z: Array) -> tuple[Array]:
            return (self.loss.conjugates(y, s + self.loss.curve(c, z - old_z)),)

        rows = self.y, old.slopes, source.curvatures, new.scores, old.scores
        gap = self.gap_from_conjugates(new, by_blocks(conjugates, *rows)[0], U)
        return self.share(gap, new.value)

    def residual(self, point: Point) -> float:
        """max_j |∂P/∂θ_j| / (‖x_j‖ ‖slopes‖), for the subgradient of least norm: the largest cosine between the slopes
        and a feature.

        It does not depend on the units of features. It does not tend to 0 merely because all slopes do: on separable
        data there is no optimum. All features far from 0 are nearly parallel to the intercept's, so theirs are the
        cosines with x_j − x̄_j. Rounding errors that a nearly perfect fit to a quadratic loss leaves count as 0.
        Where only rows with a share ε of the weight have slopes, no cosine can exceed √ε; if that is below FEW, the sum
        of their absolute values, divided by FEW, takes the place of their norm.
        """
        slopes, g, column_norms = self._norm(point.slopes), point.steepest, self.column_norms
        if self.far is not None and not self.kinked:
            j, mean, deviations = self.far
            g, column_norms = g.copy(), column_norms.copy()
            g[..., j] = np.where(deviations > 0, g[..., j] - mean * g[..., -1:], 0)
            column_norms[j] = deviations
        if self.loss.quadratic and slopes <= NEARLY * (terms := self._size_of_terms(point.theta)):
            g = np.where(np.abs(g) <= ROUNDING * terms * column_norms, 0.0, g)
        if slopes < FEW * self._slopes_at_zero:  # as those of few rows are
            slopes = min(slopes, float((np.abs(point.slopes) @ self.weights).sum()) / FEW)
        scale = slopes + 1e-9 * self._slopes_at_zero  # a perfect fit has none
        norms = column_norms * max(scale, TINY)
        cosines = np.abs(g) / np.where(norms > 0, norms, 1)
        return min(float(cosines.max()), 1.0)

    def _size_of_terms(self, theta: Array) -> float:
        """Of y and of x_j w_j, whose differences are the slopes of a quadratic loss."""
        return self._slopes_at_zero + float((np.abs(theta) @ self.column_norms).sum())

    @once
    def far(self) -> FarColumns | None:
        """The columns far from 0, where an intercept makes that no matter."""
        return far_columns(self.design, self.weights, self.column_norms)

    def _norm(self, slopes: Array) -> float:
        return float(np.sqrt((slopes**2 @ self.weights).sum()))

    @once
    def _slopes_at_zero(self) -> float:
        if (jet := self.loss.jet_at_zero(self.y[..., :1])) is not None:
            return float(abs(jet[1][0]) * np.sqrt(self.weights.sum()))
        zero = np.zeros((*self.shape[:-1], self.design.n_rows))
        return self._norm(self.loss.slopes(self.y, zero))

    @once
    def column_norms(self) -> Array:
        return self.design.column_norms(self.weights)

    @once
    def column_means(self) -> Array:
        return self.design.centre(self.weights)
