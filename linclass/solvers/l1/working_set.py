"""Working set: the entries of W that are minimized over while all others stay 0.

All computations have its size: its columns of X, its weights, its Hessian. There are two kinds of step. For one
score the quadratic program is solved exactly (`NewtonStep`). For K scores, or very many features, conjugate
gradients approach its solution for the present signs, and weights stop at 0 (`OrthantStep`).
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Protocol

import numpy as np

from linclass.line_search import decreased, halve
from linclass.numerics import BLOCK, Array, diagonal
from linclass.objective.objective import Objective
from linclass.objective.point import PenalizedLoss, Point
from linclass.objective.units import Units
from linclass.solvers.conjugate_gradients import conjugate_gradients, length
from linclass.solvers.l1.active_set import ActiveSet, scale

JOIN = 8  # entries that may join at first; later twice the size of the support
CUT = 0.1  # reduction of the residual before other entries are considered
LIFT = 1e-6  # regularizes a singular Hessian: steps then end at sign changes
ROUNDING = 1e-6  # of a Hessian formed in single precision
WEAK = 1e-3  # of a Hessian: below it the curvature of a penalty needs more digits
DIGITS = 1e-13  # of a Hessian formed in double precision
SHORT = 1e-3  # inverse step of a parameter whose rows have no curvature, in units of the loss
DENSE = 2000  # features up to which the Hessian of one score is formed
TOGETHER = 200  # parameters up to which the Hessian of K scores is formed
STRAIGHT = 600  # the same where the loss has straight pieces, whose rows no conjugate gradients see
FORCING = 0.1  # of the residual, at which conjugate gradients stop
SLACK = 1e-12  # of the least kink: tolerance of quadratic programs


class WorkingSet:
    """The support, and the other entries whose slope exceeds the kink most."""

    chosen: Array  # entries of W

    def __init__(
        self, objective: Objective, point: Point, units: Units, last: WorkingSet | None = None
    ):
        here, d = point.under(objective), objective.design.n_features
        chosen = joining(here, units)
        if last is not None and not (chosen & ~last.chosen).any():
            vars(self).update(vars(last))
        else:
            self.objective, self.chosen = objective, chosen
            features = np.flatnonzero(chosen.reshape(-1, d).any(axis=0))
            self.columns = np.append(features, [d] * objective.design.intercept).astype(int)
            self.sub = objective.on_features(features)
            free = np.ones((*chosen.shape[:-1], len(self.columns)), bool)
            self.sub.weight_part(free)[...] = chosen[..., features]
            straight = objective.loss.piecewise_quadratic and not objective.loss.quadratic
            several = STRAIGHT if straight else TOGETHER
            direct = free.size <= (DENSE if free.ndim == 1 else several)
            own = units.of_features(features)
            self.step: Step = NewtonStep(free, own) if direct else OrthantStep(free, own)
        theta = np.ascontiguousarray(here.theta[..., self.columns])
        g = here.loss_gradient[..., self.columns]
        self.point = Point(self.sub, theta, here.scores).with_known(_jet=here._jet, loss_gradient=g)

    def point_of(self, objective: Objective) -> Point:
        """The present point, with all features."""
        theta = objective.zero()
        theta[..., self.columns] = self.point.theta
        return Point(objective, theta, self.point.scores).with_known(_jet=self.point._jet)

    def descend(self, limit: int, goal: float = CUT) -> int:
        """Take steps until the residual is reduced by the factor `goal`; returns their number."""
        passes, n = self.sub.passes, 0
        left = first = self.step.residual(self.point)
        while n < limit and (n == 0 or left > goal * first):
            self.point = self.step(self.point)
            left, before, n = self.step.residual(self.point), left, n + 1
            self.step.adapt(left / before if before else 0.0)
        share = self.sub.design.width / self.objective.design.width
        self.objective.design.passes += share * (self.sub.passes - passes)
        return n


class Step(Protocol):
    def __call__(self, point: Point) -> Point: ...

    def residual(self, point: Point) -> float:
        """The largest entry of the subgradient of least norm, over the working set."""

    def adapt(self, ratio: float) -> None:
        """Adapt the next step to the ratio of the residual after this one to that before."""


class NewtonStep:
    """To the minimum of the quadratic model; its Hessian is kept while steps reduce the residual tenfold."""

    def __init__(self, free: Array, units: Units):
        self.free, self.units = free, units  # entries of theta that may move
        self.hessian: Array | None = None
        self.program: ActiveSet

    def __call__(self, point: Point) -> Point:
        if self.hessian is None:
            self.hessian = self._hessian(point)
            self.program = ActiveSet(self.hessian)
        objective, units, free, H = point.objective, self.units, self.free, self.hessian
        kinks = np.zeros(point.theta.shape)
        objective.weight_part(kinks)[...] = objective.kink / units.scale
        least = float(objective.weight_part(kinks).min(initial=np.inf))
        at = units.coordinates(point.theta)
        u, g, kinks = at[free], units.pull(point.gradient)[free], kinks[free]
        c = H @ u - g
        v, _ = self.program.minimize(
            c, kinks, u, SLACK * scale(float(np.abs(c).max(initial=0)), least)
        )
        fall = -float(g @ (v - u) + kinks @ (np.abs(v) - np.abs(u)))  # predicted decrease
        at[free] = v
        along = point.toward(without_common_shift(objective, units.move(at)) - point.theta)
        return search_line(point, lambda t: (along(t), t * fall))

    def residual(self, point: Point) -> float:
        return float(np.abs(self.units.steepest(point)[self.free]).max(initial=0))

    def adapt(self, ratio: float) -> None:
        if ratio > CUT:
            self.hessian = None

    def _hessian(self, point: Point) -> Array:
        """∇² of the smooth part, slightly regularized."""
        objective, rounding = point.objective, ROUNDING
        own = np.asarray(objective.curvature / self.units.scale**2)  # of the penalty
        H = self._of_losses(point, single=len(objective.shape) == 1)
        bends = diagonal(H).reshape(objective.shape)
        weak = 0 < own.min(initial=np.inf) < WEAK * bends.max()
        if weak and objective.loss.piecewise_quadratic:
            H, rounding = self._of_losses(point, single=False), DIGITS
            bends = diagonal(H).reshape(objective.shape)
        least = rounding * bends.max()  # of the loss; a constant feature has only the penalty's
        objective.weight_part(bends)[...] += own
        bends *= 1 + rounding
        # rows that are fitted to rounding have no curvature left; a feature of such rows alone would have none, nor
        # has one of rows on straight pieces alone: its step then passes every kink, and the line search shortens it
        if objective.loss.piecewise_quadratic:
            least = max(least, SHORT * self.residual(point))
        np.maximum(bends, least, out=bends)
        free = self.free.ravel()
        return H if free.all() else H[np.ix_(free, free)]

    def _of_losses(self, point: Point, single: bool) -> Array:
        """∇² of the losses, in single precision at half the cost."""
        objective, units = point.objective, self.units
        design, w, curvatures = objective.design, objective.weights, point.curvatures
        if single:
            H = design.gram_in_single(w * curvatures, units.mean)
            scale = np.append(units.scale, np.ones(int(design.intercept)))
            H /= scale
            H /= scale[:, None]
            return H
        H = np.zeros((objective.n_parameters, objective.n_parameters))
        for rows, B in design.blocks(max(64, BLOCK // len(curvatures))):
            B[:, : design.n_features] -= units.mean
            B[:, : design.n_features] /= units.scale
            H += objective.loss.hessian(B, w[rows], curvatures[..., rows])
        return H


class OrthantStep:
    """Toward  H s = −(∇ + kink·sign)  on the entries that are not 0 or leave it; weights that would change their
    sign are set to 0. An entry that would leave 0 on the wrong side would ascend, and stays.

    Andrew & Gao (2007), ICML; Byrd, Chin, Nocedal & Oztoprak (2016), Math. Programming 159
    """

    def __init__(self, free: Array, units: Units):
        self.free, self.units = free, units  # entries of theta that may move

    def __call__(self, point: Point) -> Point:
        objective, w, d = point.objective, point.theta, point.objective.design.n_features
        units, kinked = self.units, np.greater(objective.kink, 0)
        b = -self._steepest(point)
        moving = self.free & ((w != 0) | (b != 0))
        moving[..., d:] = True
        products = objective.hessian_times(point, exact=units.needs_double)

        def curve(u: Array) -> Array:
            return np.where(moving, units.pull(products(units.move(u))[0]), 0)

        b = np.where(moving, b, 0)
        lift = LIFT * float(np.vdot(b, curve(b))) / max(float(np.vdot(b, b)), 1e-300)
        u, *_ = conjugate_gradients(lambda u: (curve(u) + lift * u, None), b, FORCING * length(b))
        u[..., :d][(w[..., :d] == 0) & (u * b < 0)[..., :d] & kinked] = 0
        at = units.coordinates(w)

        def evaluate(t: float) -> tuple[Point, float]:
            new = at + t * u
            new[..., :d][(new[..., :d] * w[..., :d] < 0) & kinked] = 0
            return objective.at(without_common_shift(objective, units.move(new))), float(
                np.vdot(b, new - at)
            )

        return search_line(point, evaluate)

    def residual(self, point: Point) -> float:
        return float(np.abs(self._steepest(point)).max(initial=0))

    def adapt(self, ratio: float) -> None:
        """Nothing to adapt: every step has its own Hessian."""

    def _steepest(self, point: Point) -> Array:
        return np.where(self.free, self.units.steepest(point), 0)


def without_common_shift(objective: PenalizedLoss, theta: Array) -> Array:
    """Among all unpenalized parameters of the same model, those that sum to 0 over the scores."""
    if objective.loss.shift_invariant:
        free = theta[..., objective.design.n_features :]
        free -= free.mean(axis=0)
        if objective.unpenalized is not None:
            W = objective.weight_part(theta)
            W -= np.where(objective.unpenalized, W.mean(axis=0), 0)
    return theta


def search_line(point: Point, evaluate: Callable[[float], tuple[Point, float]]) -> Point:
    """Line search; `evaluate` gives a point and the decrease predicted. The point itself if a step overflows."""

    def enough(seen: tuple[Point, float], t: float) -> bool:
        return bool(decreased(seen[0].value, point.value, -max(seen[1], 0.0)))

    (new, _), _ = halve(evaluate, enough)
    return new if np.isfinite(new.value) else point


def joining(point: Point, units: Units) -> Array:
    """The support, and at most twice as many of the other entries of W, those with the steepest slopes.

    Entries without a penalty always count as support.
    """
    objective = point.objective
    support = objective.weight_part(point.theta) != 0
    if objective.unpenalized is not None:
        support |= objective.unpenalized
    beyond = np.where(support, 0, np.abs(objective.weight_part(units.steepest(point))))
    most = 2 * int(support.sum()) + JOIN
    joins = beyond > 0
    if np.count_nonzero(joins) > most:  # as many, however many slopes are equal
        joins = np.zeros(beyond.shape, dtype=bool)
        joins.flat[np.argpartition(beyond, -most, axis=None)[-most:]] = True
    return support | joins
