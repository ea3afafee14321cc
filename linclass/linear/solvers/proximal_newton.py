"""Proximal Newton on a working set, for smooth losses and penalties with a kink:

    W ← W + t (V − W),   V = argmin_V  g·(V − W) + ½ (V − W)ᵀ H (V − W) + Σ kink_j |v_j|

with V over few features only: the support, and those whose slope exceeds the kink most. From W = 0 the strength
is decreased to its value in stages, so that few features enter wrongly, since they are selected when the others are
near their final weights. With fewer weights than rows one step in each stage suffices. With more, a weak penalty lets
the model separate the rows, whose curvature then vanishes, and steps from far away are poor: there each stage is a
rough fit, started from the last ones as along any path. A Hessian is kept as long as its steps reduce the residual
tenfold. The start is the best intercept, and steps are taken in scaled coordinates (`Units`).
Lee, Sun & Saunders (2014), SIAM J. Optimization 24; Tibshirani et al. (2012), JRSS B 74"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from math import ceil, log
from typing import ClassVar

import numpy as np

from linclass.base.arrays import BLOCK, Array, diagonal
from linclass.base.documentation import documented
from linclass.base.numerics import backtrack_predicted, solve_lifted
from linclass.linear.objective.certificate import certify
from linclass.linear.objective.coordinates import Units
from linclass.linear.objective.objective import Objective, Point, without_common_shift
from linclass.linear.solvers.active_set import ActiveSet, scale
from linclass.linear.solvers.base import (
    CentringSolver,
    Solution,
    Trace,
    is_minimum,
    start_of_weights,
)

# Newton's step among few weights, whose quadratic program with the L1 term is solved exactly.

KEEP_HESSIAN = 0.1  # reduction of the residual by a step, up to which its Hessian is kept
SINGLE_ROUNDING = 1e-6  # of a Hessian formed in single precision
WEAK_CURVATURE = 1e-3  # of a Hessian: below it the curvature of a penalty needs more digits
DOUBLE_ROUNDING = 1e-13  # of a Hessian formed in double precision
STRAIGHT_CURVATURE = (
    1e-3  # inverse step of a parameter whose rows have no curvature, in units of the loss
)
PROGRAM_SLACK = 1e-12  # of the least kink: tolerance of quadratic programs


class Step:
    """A step of the entries of theta that are free."""

    def __init__(self, free: Array, units: Units):
        self.free, self.units = free, units

    def __call__(self, point: Point) -> Point:
        raise NotImplementedError

    def residual(self, point: Point) -> float:
        """The largest free entry of the subgradient of least norm."""
        return float(np.abs(self.units.steepest(point)[self.free]).max(initial=0))

    def adapt(self, ratio: float) -> None:
        """Adapt the next step to the ratio of the residual after this one to that before."""


class NewtonStep(Step):
    """To the minimum of the quadratic model; its Hessian is kept while steps reduce the residual tenfold."""

    hessian: Array | None = None
    program: ActiveSet

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
            c, kinks, u, PROGRAM_SLACK * scale(float(np.abs(c).max(initial=0)), least)
        )
        fall = -float(g @ (v - u) + kinks @ (np.abs(v) - np.abs(u)))  # predicted decrease
        at[free] = v
        along = point.toward(without_common_shift(objective, units.move(at)) - point.theta)
        return backtrack_predicted(point, lambda t: (along(t), t * fall))

    def adapt(self, ratio: float) -> None:
        if ratio > KEEP_HESSIAN:
            self.hessian = None

    def _hessian(self, point: Point) -> Array:
        """∇² of the smooth part, slightly regularized."""
        objective, rounding = point.objective, SINGLE_ROUNDING
        own = np.asarray(objective.curvature / self.units.scale**2)  # of the penalty
        H = self._of_losses(point, single=len(objective.shape) == 1)
        bends = diagonal(H).reshape(objective.shape)
        weak = 0 < own.min(initial=np.inf) < WEAK_CURVATURE * bends.max()
        if weak and objective.loss.piecewise_quadratic:
            H, rounding = self._of_losses(point, single=False), DOUBLE_ROUNDING
            bends = diagonal(H).reshape(objective.shape)
        least = rounding * bends.max()  # of the loss; a constant feature has only the penalty's
        objective.weight_part(bends)[...] += own
        bends *= 1 + rounding
        # rows that are fitted to rounding have no curvature left; a feature of such rows alone would have none, nor
        # has one of rows on straight pieces alone: its step then passes every kink, and the line search shortens it
        if objective.loss.piecewise_quadratic:
            least = max(least, STRAIGHT_CURVATURE * self.residual(point))
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


# Newton's step among many weights, by conjugate gradients within the orthant of their signs.

FORCING = 0.3  # of the residual, at which conjugate gradients stop


class OrthantStep(Step):
    """Toward  H s = −(∇ + kink·sign)  on the entries that are not 0 or leave it; weights that would change their
    sign are set to 0. An entry that would leave 0 on the wrong side would ascend, and stays.

    Andrew & Gao (2007), ICML; Byrd, Chin, Nocedal & Oztoprak (2016), Math. Programming 159
    """

    def __call__(self, point: Point) -> Point:
        objective, w, d = point.objective, point.theta, point.objective.design.n_features
        units, kinked = self.units, np.greater(objective.kink, 0)
        b = -np.where(self.free, units.steepest(point), 0)
        moving = self.free & ((w != 0) | (b != 0))
        moving[..., d:] = True
        products = objective.hessian_times(point, exact=units.needs_double)

        def curve(u: Array) -> Array:
            return np.where(moving, units.pull(products(units.move(u))[0]), 0)

        b = np.where(moving, b, 0)
        u = solve_lifted(curve, b, FORCING)
        u[..., :d][(w[..., :d] == 0) & (u * b < 0)[..., :d] & kinked] = 0
        at = units.coordinates(w)

        def evaluate(t: float) -> tuple[Point, float]:
            new = at + t * u
            new[..., :d][(new[..., :d] * w[..., :d] < 0) & kinked] = 0
            return objective.at(without_common_shift(objective, units.move(new))), float(
                np.vdot(b, new - at)
            )

        return backtrack_predicted(point, evaluate)


# Working set: the entries of W that are minimized over while all others stay 0.
#
# All computations have its size: its columns of X, its weights, its Hessian. There are two kinds of step. For one
# score the quadratic program is solved exactly (`NewtonStep`). For K scores, or many features, conjugate
# gradients approach its solution for the present signs, and weights stop at 0 (`OrthantStep`).

FIRST_JOINING = 8  # entries that may join at first; later twice the size of the support
RESIDUAL_CUT = 0.1  # reduction of the residual before other entries are considered
MAX_HESSIAN = 2000  # features up to which the Hessian of one score is formed
MAX_SPARSE_HESSIAN = 300  # the same of sparse rows, whose products are cheap
MAX_JOINT_HESSIAN = 200  # parameters up to which the Hessian of K scores is formed
MAX_STRAIGHT_HESSIAN = (
    600  # the same where the loss has straight pieces, whose rows no conjugate gradients see
)


class WorkingSet:
    """The support, and the other entries whose slope exceeds the kink most."""

    objective: Objective
    sub: Objective  # of the features that have an entry
    chosen: Array  # entries of W
    columns: Array  # of [X 1] in `sub`
    step: Step

    def __init__(
        self, objective: Objective, point: Point, units: Units, last: WorkingSet | None = None
    ):
        here, d = point.under(objective), objective.design.n_features
        chosen = joining(here, units)
        if last is not None and not (chosen & ~last.chosen).any():
            self.objective, self.chosen, self.columns = last.objective, last.chosen, last.columns
            self.sub, self.step = last.sub, last.step
        else:
            self.objective, self.chosen = objective, chosen
            features = np.flatnonzero(chosen.reshape(-1, d).any(axis=0))
            self.columns = np.append(features, [d] * objective.design.intercept).astype(int)
            self.sub = objective.on_features(features)
            free = np.ones((*chosen.shape[:-1], len(self.columns)), bool)
            self.sub.weight_part(free)[...] = chosen[..., features]
            straight = objective.loss.piecewise_quadratic and not objective.loss.quadratic
            several = MAX_STRAIGHT_HESSIAN if straight else MAX_JOINT_HESSIAN
            single = MAX_SPARSE_HESSIAN if objective.design.is_sparse else MAX_HESSIAN
            direct = free.size <= (single if free.ndim == 1 else several)
            own = units.of_features(features)
            self.step = NewtonStep(free, own) if direct else OrthantStep(free, own)
        theta = np.ascontiguousarray(here.theta[..., self.columns])
        g = here.loss_gradient[..., self.columns]
        self.point = Point(self.sub, theta, here.scores, jet=here.jet, loss_gradient=g)

    def point_of(self, objective: Objective) -> Point:
        """The present point, with all features."""
        theta = objective.zero()
        theta[..., self.columns] = self.point.theta
        return Point(objective, theta, self.point.scores, jet=self.point.jet)

    def descend(self, limit: int, goal: float = RESIDUAL_CUT) -> int:
        """Take steps until the residual is reduced by the factor `goal`; returns their number."""
        passes, n = self.sub.design.passes, 0
        left = first = self.step.residual(self.point)
        while n < limit and (n == 0 or left > goal * first):
            self.point = self.step(self.point)
            left, before, n = self.step.residual(self.point), left, n + 1
            self.step.adapt(left / before if before else 0.0)
        share = self.sub.design.width / self.objective.design.width
        self.objective.design.passes += share * (self.sub.design.passes - passes)
        return n


def joining(point: Point, units: Units) -> Array:
    """The support, and at most twice as many of the other entries of W, those with the steepest slopes.

    Entries without a penalty always count as support.
    """
    objective = point.objective
    support = objective.weight_part(point.theta) != 0
    if objective.unpenalized is not None:
        support |= objective.unpenalized
    beyond = np.where(support, 0, np.abs(objective.weight_part(units.steepest(point))))
    most = 2 * int(support.sum()) + FIRST_JOINING
    joins = beyond > 0
    if np.count_nonzero(joins) > most:  # as many, however many slopes are equal
        joins = np.zeros(beyond.shape, dtype=bool)
        joins.flat[np.argpartition(beyond, -most, axis=None)[-most:]] = True
    return support | joins


STAGE_RATIO = 0.3  # ratio of one strength to the last, with fewer weights than rows
ROUGH_STAGE_RATIO = 0.5  # the same with more
ROUGH_TOLERANCE = 0.1  # tolerance of a stage then
CERTIFY_BELOW = 0.01  # of the kink: a residual below it is worth computing the certificate


@documented
@dataclass(frozen=True)
class ProximalNewton(CentringSolver):
    """Proximal Newton on a working set, for any penalty that is a sum over features.

    Parameters
    ----------
    max_iter : int or None, default=None
        Limit on the number of steps. None is 500.
    """

    takes: ClassVar[str] = "entrywise"
    limit: ClassVar[int] = 500

    def centres_first(self, objective: Objective) -> bool:
        return objective.design.is_sparse  # dense steps are taken in scaled coordinates

    def minimize(self, objective: Objective, start: Array, trace: Trace | None = None) -> Solution:
        point, units = start_of_weights(objective, start), Units.of(objective)
        if is_minimum(point, units):
            if trace:
                trace(point)
            return Solution.at(point, certify(point), self.tol, 0)
        if (nearer := self.near(objective, start)) is not start:
            point = objective.at(nearer)
        steps, working = 0, None
        for solution in self.rough_path(objective, point):
            steps, point = steps + solution.n_iter, objective.at(solution.theta)
            if trace:
                trace(point)
            if steps >= self.max_steps:
                break
        for stage in stages(objective, point):
            working = WorkingSet(stage, point, units)
            steps += working.descend(1)
            point = working.point_of(objective)
            if trace:
                trace(point)
        certificate, working, small = np.inf, None, CERTIFY_BELOW * float(np.max(objective.kink))
        while True:
            left = float(np.abs(units.excess(point)).max(initial=0))
            if left <= small or not objective.kinked or steps >= self.max_steps:
                certificate = certify(point)
            if certificate <= self.tol or steps >= self.max_steps or point.separates:
                break
            working = WorkingSet(objective, point, units, working)
            informative = certificate < 1  # the gap is proportional to the residual
            goal = min(RESIDUAL_CUT, 0.5 * self.tol / certificate) if informative else RESIDUAL_CUT
            steps += working.descend(self.max_steps - steps, goal)
            point = working.point_of(objective)
            if trace:
                trace(point)
        return Solution.at(point, certificate, self.tol, steps)

    def rough_path(self, objective: Objective, point: Point) -> Iterator[Solution]:
        """Rough fits at strengths that decrease to that of the objective, if it has more weights than rows and the
        start has no support.
        """
        ratio = ratio_to_empty(objective, point)
        stages = ceil(log(ratio) / -log(ROUGH_STAGE_RATIO))
        if stages > 1 and objective.n_parameters > objective.design.n_rows:
            strengths = objective.strength * np.geomspace(ratio, 1, stages + 1)[1:]
            yield from replace(self, tol=ROUGH_TOLERANCE).along_path(
                objective, strengths, point.theta
            )


def stages(objective: Objective, point: Point) -> Iterator[Objective]:
    """The problem at strengths that decrease to about its own, if the start has no support."""
    ratio = ratio_to_empty(objective, point)
    while (ratio := STAGE_RATIO * ratio) > 1.2:
        yield objective.with_strength(objective.strength * ratio)


def ratio_to_empty(objective: Objective, point: Point) -> float:
    """The least strength at which the support stays empty, in units of the objective's; 1 if it is not empty."""
    if not objective.kinked or objective.weight_part(point.theta).any():
        return 1.0
    slopes = objective.weight_part(point.steepest)
    return 1 + float(objective.penalty.dual_norm(slopes)) / objective.strength
