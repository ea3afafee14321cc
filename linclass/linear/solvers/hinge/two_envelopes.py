"""Augmented Lagrangian for a piecewise linear loss and a group lasso: both are replaced by their Moreau envelopes,

    round:   θ ← argmin Σ w_i ψ_i(z_i) + φ(W),   s⁰ ← ψ′(z),   u⁰ ← ∇φ(W),   reach ← 3·reach^±1,
    φ(W) = min_V  strength·penalty(V) + Σ_j ½τ_j (V_j − v_j)² − u⁰_j²/(2τ_j),   v = W + u⁰/τ,   τ_j = reach·var(x_j).

The sum is smooth in θ, and Newton's method minimizes it with a generalized Hessian: reach·x xᵀ of the rows between two
pieces, and  T − T (strength ∇²penalty(V) + T)⁻¹ T  of φ where V_g ≠ 0, T = diag τ where V_g = 0. With the prox V for W,
and the slopes s, a duality gap certifies the minimum.
Li, Sun & Toh (2018), SIAM J. Optimization 28; Zhang, Zhang, Sun & Toh (2020), Mathematical Programming 179
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import ClassVar, NamedTuple

import numpy as np

from linclass.base.arrays import Array, diagonal
from linclass.base.line_search import minimize_along
from linclass.base.linear_algebra import Inverse
from linclass.linear.objective.certificate import certify
from linclass.linear.objective.coordinates import Units, centred
from linclass.linear.objective.objective import Objective, Point
from linclass.linear.solvers.base import Solution, Solver, Trace, in_other_coordinates
from linclass.linear.solvers.intercept_alone import by_bisection

FIRST, GROWTH = 0.5, 3.0  # reach of the first round, in units of the loss, and its growth
SHARE = 0.1  # of the certificate, to which a round is solved
LESS = 0.2  # change of that share after a round in which the certificate hardly fell
EASY, MOST = 20, 100  # steps of a round, above which the next has the same reach, and at most
PATIENCE = 8  # rounds without a better certificate: limited by rounding
# of the curvature, what straight directions have: at first, at least, and its change after short and full steps
LIFT, LEAST, LONGER, SHORTER = 1e-6, 1e-10, 10.0, 10.0
SHORT = 0.1  # of a step


@dataclass(frozen=True)
class TwoEnvelopes(Solver):
    """Augmented Lagrangian of loss and penalty, for a piecewise linear loss and a group lasso.

    Parameters
    ----------
    tol : float, default=1e-6
        Tolerance: the solver stops when its certificate is at most `tol`.
    max_iter : int or None, default=None
        Limit on the number of Newton steps. None is 2000.
    """

    needs: ClassVar[str] = "piecewise-linear"
    takes: ClassVar[str] = "groups"
    limit: ClassVar[int] = 2000

    def solve(self, objective: Objective, start: Array, trace: Trace | None = None) -> Solution:
        if (near := centred(objective)) is not None:
            return in_other_coordinates(near, self.solve, objective, start, trace)
        loss, y = objective.loss, objective.y
        alone = by_bisection(objective)
        if (certificate := certify(alone)) <= self.tol:
            if trace:
                trace(alone)
            return Solution.at(alone, certificate, self.tol, 0, slopes=alone.slopes)
        squares, reach = Units.of(objective).scale ** 2, FIRST / loss.scale(y)
        point = objective.at(start)
        slopes = loss.nearest_slopes(y, reach * point.scores, reach)[0]
        force, theta = np.zeros_like(squares), start
        best, worse, n_iter, share = (point, slopes, np.inf), 0, 0, SHARE
        while best[2] > self.tol and n_iter < self.max_steps and worse < PATIENCE:
            round_ = Round(objective.envelope(slopes, reach), force, reach * squares)
            enough = share * max(self.tol, min(best[2], SHARE))
            found, steps = round_.minimize(theta, enough, min(MOST, self.max_steps - n_iter))
            theta, slopes, force = found.point.theta, found.point.slopes, found.force
            near_theta = theta.copy()
            objective.weight_part(near_theta)[...] = found.V
            point = objective.at(near_theta)
            if trace:
                trace(point)
            certificate = certify(point, slopes)
            if certificate > 0.5 * best[2]:
                share *= LESS
            worse = 0 if certificate < best[2] else worse + 1
            if not worse:
                best = point, slopes, certificate
            n_iter += max(1, steps)
            if worse:  # a long reach has lost digits
                reach /= GROWTH
            elif steps <= EASY:
                reach *= GROWTH
        point, slopes, certificate = best
        return Solution.at(point, certificate, self.tol, n_iter, slopes=slopes, scores=point.scores)


class RoundPoint(NamedTuple):
    value: float
    point: Point  # with the envelopes of the loss
    V: Array  # the prox of v
    force: Array  # ∇φ(W)


class Round:
    """Σ w_i ψ_i + φ around the slopes of `smooth` and around u⁰, with the stiffness τ."""

    def __init__(self, smooth: Objective, force: Array, stiffness: Array):
        self.smooth, self.force, self.stiffness = smooth, force, stiffness

    def at(self, point: Point) -> RoundPoint:
        smooth, tau = self.smooth, self.stiffness
        W = smooth.weight_part(point.theta)
        v = W + self.force / tau
        V = smooth.penalty.prox(v, smooth.strength / tau)
        force = tau * (v - V)
        move = force - self.force
        value = point.loss_value + float(force @ W - move @ (move / tau) / 2)
        return RoundPoint(value, point, V, force)

    def gradient(self, here: RoundPoint) -> Array:
        g = here.point.loss_gradient.copy()
        g_W = self.smooth.weight_part(g)
        g_W += here.force
        return g

    def minimize(self, theta: Array, enough: float, most: int) -> tuple[RoundPoint, int]:
        """The minimum, up to a gradient that changes a duality gap by a share `enough`, and the number of steps."""
        smooth, steps, lift = self.smooth, 0, LIFT
        here = self.at(smooth.at(theta))
        while steps < most:
            g = self.gradient(here)
            off = smooth.penalty.dual_norm(smooth.weight_part(g)) / smooth.strength
            push = float(smooth.weights @ np.abs(here.point.slopes))
            if (
                off <= enough
                and np.abs(g[smooth.design.n_features :]).max(initial=0) <= enough * push
            ):
                break
            step = -self._inverse(here, lift).times(g)
            along = here.point.toward(step)
            evaluate, slope = self._toward(along), float(g @ step)

            def derivatives(new: RoundPoint, t: float, step: Array = step) -> tuple[float, float]:
                return float(self.gradient(new) @ step), 0.0  # bisection

            new, t = minimize_along(here, evaluate(1.0), evaluate, slope, derivatives, 0.3)
            if slope >= 0 or not np.isfinite(new.value):
                break
            here, steps = new, steps + 1
            if t < SHORT:
                lift *= SHORTER
            elif t == 1:
                lift = max(lift / LONGER, LEAST)
        return here, steps

    def _toward(self, along: Callable[[float], Point]) -> Callable[[float], RoundPoint]:
        return lambda t: self.at(along(t))

    def _inverse(self, here: RoundPoint, lift: float) -> Inverse:
        smooth, tau, d = self.smooth, self.stiffness, self.smooth.design.n_features
        H = here.point.hessian.copy()
        diagonal(H)[:d] += tau
        if len(active := np.flatnonzero(here.V)):
            bend = smooth.strength * smooth.penalty.on(active).hessian(here.V[active])
            diagonal(bend)[...] += tau[active]
            root = tau[active]
            H[np.ix_(active, active)] -= root[:, None] * np.linalg.inv(bend) * root
        diagonal(H)[:d] += lift * tau
        diagonal(H)[d:] += lift * smooth.loss.smoothness
        return Inverse(H, positive=True)
