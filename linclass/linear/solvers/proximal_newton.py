"""Proximal Newton on a working set, for smooth losses and penalties with a kink:

    W ← W + t (V − W),   V = argmin_V  g·(V − W) + ½ (V − W)ᵀ H (V − W) + Σ kink_j |v_j|

with ‖V_g‖ for |v_j| if groups are penalized, and V over few features only: the support, and those whose slope exceeds
the kink most. From W = 0 the strength
is decreased to its value in stages, unless features are few: features are then selected when the others are near their
final weights, so few enter wrongly. One step in each stage suffices, except for K scores with more weights than rows:
a weak penalty lets the model separate the rows, whose curvature then vanishes, and steps from far away are poor; there
each stage is a rough fit, started from the last ones as along any path.

The slopes s + ∇²ℓ X(V − W) of the losses in the model satisfy the optimality conditions on the working set, so the
gap with them is about the distance to the minimum, unless another feature exceeds its kink; that feature joins.
The start is the best intercept, and steps are taken in scaled coordinates (`Units`).
Lee, Sun & Saunders (2014), SIAM J. Optimization 24; Tibshirani et al. (2012), JRSS B 74"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from math import ceil, log
from typing import Any, ClassVar

import numpy as np

from linclass.base.arrays import BLOCK, Array, diagonal
from linclass.base.documentation import documented
from linclass.base.numerics import backtrack_predicted, solve_lifted
from linclass.linear.objective.certificate import balanced, certify, gap_and_gradient, relative_gap
from linclass.linear.objective.coordinates import Units
from linclass.linear.objective.objective import Objective, Point, without_common_shift
from linclass.linear.solvers.active_set import (
    Groups,
    by_active_set,
    by_block_pivoting,
    by_group_pivoting,
    scale,
)
from linclass.linear.solvers.base import CentringSolver, Solution, Trace
from linclass.linear.solvers.starts import is_minimum, start_of_weights

# Newton's step among few weights, whose quadratic program with the L1 term is solved exactly.

KEPT_SHARE = 0.1  # share of the tolerance, that a step with a kept Hessian should reach
KEEP_HESSIAN = 0.1  # reduction of the gap by a step, up to which its Hessian may be kept
SINGLE_ROUNDING = 1e-6  # relative rounding error of a Hessian formed in single precision
GROUP_ROUNDING = 1e-10  # of a Hessian of K scores with groups, whose weak penalties need the digits
WEAK_CURVATURE = 1e-3  # of a Hessian: below it the curvature of a penalty needs more digits
DOUBLE_ROUNDING = 1e-13  # relative rounding error of a Hessian formed in double precision
STRAIGHT_CURVATURE = 1e-3  # inverse step of a parameter without curvature, in units of the loss
PROGRAM_SLACK = 1e-12  # relative to the least kink: tolerance of quadratic programs


class Step:
    """A step of the entries of theta that are free."""

    slopes: Array | None = None  # of the losses in the model at its minimum, after a whole step
    keeps = False  # the Hessian, for the next step
    fall = 0.0  # decrease of the objective that the model predicts

    def __init__(self, free: Array, units: Units):
        self.free, self.units = free, units

    def __call__(self, point: Point) -> Point:
        raise NotImplementedError

    def residual(self, point: Point) -> float:
        """The largest free entry of the subgradient of least norm."""
        return float(np.abs(self.units.steepest(point)[self.free]).max(initial=0))


class NewtonStep(Step):
    """A step to the minimum of the quadratic model, in scaled coordinates u with H = ∇² and g = ∇ of the smooth part,

        v = argmin_v  ½ vᵀHv − cᵀv + Σ_j κ_j |v_j|,   c = H u − g,

    or with Σ_g κ_g ‖v_g‖. The line search compares with the decrease that is predicted to first order,
    g·(u − v) + Σ_j κ_j (|u_j| − |v_j|).  H is kept if the next step will suffice with it.
    """

    hessian: Array
    curvatures: Array  # of the losses, in the Hessian

    def __call__(self, point: Point) -> Point:
        objective, units = point.objective, self.units
        every: Any = ... if self.free.ndim == 1 and self.free.all() else self.free
        if not self.keeps:
            self.hessian, self.curvatures = self._hessian(point), point.curvatures
        H, self.keeps = self.hessian, False
        kinks = np.zeros(point.theta.shape)
        objective.weight_part(kinks)[...] = objective.kink / units.scale
        at = units.coordinates(point.theta)
        u, g, kinks = at[every], units.pull(point.gradient)[every], kinks[every]
        c = H @ u - g
        groups = None
        if objective.penalty.grouped:
            places = objective.penalty.places(objective.design.n_features)
            intercept = [places.max(initial=-1) + 1] * objective.design.intercept
            places = np.append(places, intercept).astype(int)
            groups = Groups(np.broadcast_to(places, at.shape)[every], kinks)
        if groups and groups.sizes.max(initial=1) > 1:
            v = by_group_pivoting(H, c, groups, u, slack_of(c, kinks))
            rise = groups.value(v) - groups.value(u)
        else:
            settled = by_block_pivoting(H, c, kinks, u)
            v = by_active_set(H, c, kinks, u, slack_of(c, kinks)) if settled is None else settled
            rise = float(kinks @ (np.abs(v) - np.abs(u)))
        fall = self.fall = -float(g @ (v - u)) - rise
        at[every] = v
        along = point.toward(without_common_shift(objective, units.move(at)) - point.theta)
        whole = along(1.0)
        new = backtrack_predicted(point, lambda t: (whole if t == 1 else along(t), t * fall))
        self.slopes = None
        if new is whole:
            moved = objective.loss.curve(self.curvatures, new.scores - point.scores)
            self.slopes = point.slopes + moved
        return new

    def _hessian(self, point: Point) -> Array:
        """∇² of the smooth part, slightly regularized."""
        objective, single = point.objective, len(point.objective.shape) == 1
        rounding = GROUP_ROUNDING if objective.penalty.grouped and not single else SINGLE_ROUNDING
        penalty_curvature = np.asarray(objective.curvature / self.units.scale**2)  # of the penalty
        of_penalty = np.zeros(objective.shape)
        objective.weight_part(of_penalty)[...] = penalty_curvature
        H = self._of_losses(point, single)
        bends = diagonal(H)
        weak = 0 < penalty_curvature.min(initial=np.inf) < WEAK_CURVATURE * bends.max()
        if weak and objective.loss.piecewise_quadratic:
            H, rounding = self._of_losses(point, single=False), DOUBLE_ROUNDING
            bends = diagonal(H)
        least = rounding * bends.max()  # of the loss; a constant feature has only the penalty's
        bends += of_penalty[self.free]
        bends *= 1 + rounding
        # rows that are fitted to rounding have no curvature left; a feature of such rows alone would have none, nor
        # has one of rows on straight pieces alone: its step then passes every kink, and the line search shortens it
        if objective.loss.piecewise_quadratic and not objective.loss.quadratic:
            least = max(least, STRAIGHT_CURVATURE * self.residual(point))
        np.maximum(bends, least, out=bends)
        return H

    def _of_losses(self, point: Point, single: bool) -> Array:
        """∇² of the losses among the free entries, in single precision at half the cost."""
        objective, units = point.objective, self.units
        design, w, curvatures = objective.design, objective.weights, point.curvatures
        if single:
            H = design.gram_in_single(w * curvatures, units.mean)
            scale = np.append(units.scale, np.ones(int(design.intercept)))
            H /= scale
            H /= scale[:, None]
            return H if self.free.all() else H[np.ix_(self.free, self.free)]
        H = np.zeros((np.count_nonzero(self.free),) * 2)
        for rows, B in design.blocks(max(64, BLOCK // len(curvatures))):
            B[:, : design.n_features] -= units.mean
            B[:, : design.n_features] /= units.scale
            H += objective.loss.hessian_among(B, w[rows], curvatures[..., rows], self.free)
        return H


def slack_of(c: Array, kinks: Array) -> float:
    """Tolerance of the slopes at the minimum of a quadratic program."""
    least = float(kinks.min(initial=np.inf, where=kinks > 0))
    return PROGRAM_SLACK * scale(float(np.abs(c).max(initial=0)), least)


# Newton's step among many weights, by conjugate gradients within the orthant of their signs.

FORCING = 0.3  # relative residual at which conjugate gradients stop


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
# gradients approach its solution for the present signs, and weights stop at 0 (`OrthantStep`). Where they take longer
# than some Newton steps would, as with dependent features, such steps follow, also in later fits of a path.

JOINING = 64  # entries that may join, and half as many as are in the support
RESIDUAL_CUT = 0.1  # reduction of the residual before other entries are considered
MAX_HESSIAN = 2000  # features up to which the Hessian of one score is formed
MAX_SPARSE_HESSIAN = 300  # the same for sparse rows, whose products are cheap
MAX_JOINT_HESSIAN = 300  # parameters up to which the Hessian of K scores is formed at once
MAX_STRAIGHT_HESSIAN = 600  # the same if the loss has linear pieces, without curvature for CG
MAX_LATER_HESSIAN = 1000  # entries up to which it is formed once conjugate gradients took long
LONG = 3  # in units of the cost of a Newton step


class WorkingSet:
    """The support, and the other entries whose slope exceeds the kink most."""

    sub: Objective  # of the features that have an entry
    chosen: Array  # entries of W
    columns: Array  # of [X 1] in `sub`
    step: Step
    takes_long: bool  # whether conjugate gradients do
    slow_passes: float  # of conjugate gradients that did, so far

    def __init__(
        self,
        objective: Objective,
        point: Point,
        g: Array,
        units: Units,
        last: WorkingSet | None,
        slow_passes: float,
    ):
        self.objective, d = objective, objective.design.n_features
        self.takes_long, self.slow_passes = False, last.slow_passes if last else slow_passes
        chosen = joining(objective, point.theta, g, units)
        if last is not None and not (chosen & ~last.chosen).any() and not last.takes_long:
            self.chosen, self.columns, self.step = last.chosen, last.columns, last.step
            self.sub = last.sub
            if objective.strength != last.objective.strength:
                self.sub = self.sub.with_strength(objective.strength)
                self.step = type(self.step)(self.step.free, self.step.units)
        else:
            features = np.flatnonzero(chosen.reshape(-1, d).any(axis=0))
            every = len(features) == d
            self.chosen = chosen
            self.columns = np.append(features, [d] * objective.design.intercept).astype(int)
            self.sub = objective if every else objective.on_features(features)
            free = np.ones((*chosen.shape[:-1], len(self.columns)), bool)
            self.sub.weight_part(free)[...] = chosen[..., features]
            straight = objective.loss.piecewise_quadratic and not objective.loss.quadratic
            several = MAX_STRAIGHT_HESSIAN if straight else MAX_JOINT_HESSIAN
            single = MAX_SPARSE_HESSIAN if objective.design.is_sparse else MAX_HESSIAN
            most = single if free.ndim == 1 else several
            direct = free.size <= most or not objective.penalty.entrywise
            if slow := self.slow_passes:
                direct |= passes_of_newton(free, objective.design.n_rows) < slow
            chosen_units = Units(units.mean[features], units.scale[features])
            self.step = (NewtonStep if direct else OrthantStep)(free, chosen_units)
        theta = np.ascontiguousarray(point.theta[..., self.columns])
        known = {}
        if "loss_gradient" in vars(point):
            known["loss_gradient"] = point.loss_gradient[..., self.columns]
        self.point = Point(self.sub, theta, point.scores, point.jet, **known)

    def descend(self, limit: int) -> int:
        """A Newton step, or others until the residual is reduced tenfold; returns their number."""
        passes, n = self.sub.design.passes, 0
        if isinstance(self.step, NewtonStep):
            self.point, n = self.step(self.point), 1
        else:
            left = first = self.step.residual(self.point)
            taken = 0.0
            most = LONG * passes_of_newton(self.step.free, self.sub.design.n_rows)
            while n < limit and (n == 0 or left > RESIDUAL_CUT * first) and not self.takes_long:
                self.point, n = self.step(self.point), n + 1
                left, taken = self.step.residual(self.point), self.sub.design.passes - passes
                self.takes_long = taken > most
            if self.takes_long:
                self.slow_passes = max(taken, self.slow_passes)
        if self.sub is not self.objective:
            share = self.sub.design.width / self.objective.design.width
            self.objective.design.passes += share * (self.sub.design.passes - passes)
        return n


def passes_of_newton(free: Array, n_rows: int) -> float:
    """Passes over the rows that take as long as a Newton step among the free entries of K scores; infinite where no
    such step should be taken."""
    m = np.count_nonzero(free)
    several = free.ndim > 1 and m <= MAX_LATER_HESSIAN
    return m * m * (1 + 2 * m / n_rows) / (4 * free.size) if several else np.inf


def one_scale_each(units: Units, objective: Objective) -> Units:
    """The units with one scale for all features of a group, so that the penalty keeps its form."""
    sizes = objective.penalty.sizes
    return replace(units, scale=sizes(units.scale) / sizes(np.ones_like(units.scale)))


def joining(objective: Objective, theta: Array, g: Array, units: Units) -> Array:
    """The support, and the other entries of W with the steepest slopes g of the loss.

    Entries without a penalty always count as support.
    """
    W = objective.weight_part(theta)
    support = W != 0
    if objective.unpenalized is not None:
        support |= objective.unpenalized
    sizes = objective.penalty.sizes if objective.penalty.grouped else np.abs
    beyond = sizes(units.centred(g)) - objective.kink
    beyond = np.where(support, 0, beyond) / units.scale
    most = JOINING + int(support.sum()) // 2
    joins = beyond > 0
    if np.count_nonzero(joins) > most:  # as many, however many slopes are equal
        joins = np.zeros(beyond.shape, dtype=bool)
        joins.flat[np.argpartition(beyond, -most, axis=None)[-most:]] = True
    return sizes(support | joins) > 0


STAGE_RATIO = 0.3  # ratio of one strength to the last
ROUGH_STAGE_RATIO = 0.5  # the same for K scores and more weights than rows
ROUGH_TOLERANCE = 0.1  # tolerance of a stage then
# The gap of the point's slopes is far above the distance to the minimum, that of the model's is near it. So with the
# latter a loose tolerance, as of tuning, is tightened: otherwise it would be used up, for a step less.
MODEL_SHARE = 0.01  # share of the tolerance, unless that is below
MODEL_TOLERANCE = 1e-6
CERTIFY_BELOW = 0.01  # relative to the kink: a residual below it is worth computing the certificate


@documented
@dataclass(frozen=True)
class ProximalNewton(CentringSolver):
    """Proximal Newton on a working set, for any penalty that is a sum over features or groups of them."""

    takes: ClassVar[str] = "entrywise or grouped"
    limit: ClassVar[int] = 500
    slow_passes: ClassVar[float] = 0.0  # as in Solution, of the fit before

    def solve_near(self, objective: Objective, start: Array, before: Solution) -> Solution:
        slow = before.slow_passes
        solver = AfterSlowFit(self.tol, self.max_iter, slow) if slow else self
        return solver.solve(objective, start)

    def centres_first(self, objective: Objective) -> bool:
        return objective.design.is_sparse  # dense steps are taken in scaled coordinates

    def minimize(self, objective: Objective, start: Array, trace: Trace | None = None) -> Solution:
        point, units = start_of_weights(objective, start), Units.of(objective)
        if objective.penalty.grouped:
            units = one_scale_each(units, objective)
        if is_minimum(point, units):
            if trace:
                trace(point)
            return Solution.at(point, certify(point), self.tol, 0)
        if (nearer := self.start_from_subset(objective, start)) is not start:
            point = objective.at(nearer)
        working, steps, certificate = None, 0, np.inf
        many = len(objective.shape) > 1 and objective.n_parameters > objective.design.n_rows
        if many and self.tol < ROUGH_TOLERANCE:  # not within a rough fit
            ratio = ratio_to_empty(objective, point)
            count = ceil(log(ratio) / -log(ROUGH_STAGE_RATIO))
            strengths = objective.strength * np.geomspace(ratio, 1, count + 1)[1:]
            rough = replace(self, tol=ROUGH_TOLERANCE)
            fits = rough.along_path(objective, strengths, point.theta) if count > 1 else ()
            for solution in fits:
                steps, point = steps + solution.n_iter, objective.at(solution.theta)
                if trace:
                    trace(point)
                if steps >= self.max_steps:
                    break
        upcoming = stages(objective, point)
        while True:
            stage = next(upcoming, objective)
            g = None
            if stage is objective:
                certificate, enough, g = self.judged(point, units, working, certificate)
                if certificate <= enough or steps >= self.max_steps or point.separates:
                    break
            g = point.loss_gradient if g is None else g
            working = WorkingSet(stage, point, g, units, working, self.slow_passes)
            steps += working.descend(self.max_steps - steps)
            theta = objective.zero()  # with all features
            theta[..., working.columns] = working.point.theta
            point = Point(objective, theta, working.point.scores, working.point.jet)
            if trace:
                trace(point)
        if not np.isfinite(certificate):
            certificate = certify(point)
        dual = working.step.slopes if working else None
        slow = working.slow_passes if working else self.slow_passes
        return Solution.at(point, certificate, self.tol, steps, slopes=dual, slow_passes=slow)

    def judged(
        self, point: Point, units: Units, working: WorkingSet | None, last: float
    ) -> tuple[float, float, Array]:
        """(certificate, tolerance of it, Xᵀ(w s)) for dual slopes s.

        First s⁺ = s + ∇²ℓ X(V − W) of the last quadratic model: at its minimum V, ∇ of the model is in the
        subdifferential of the penalty, so s⁺ is dual feasible but for features outside the working set. Fenchel and
        Young's gap  Σ w_i (ℓ_i + ℓ_i*(s⁺_i) − s⁺_i z_i),  without the penalty's part, tells without a product with X
        whether the whole gap is worth computing. Else the slopes of the point itself.
        """
        objective, step = point.objective, working.step if working else None
        if step and step.slopes is not None and objective.certificate_kind == "duality_gap":
            enough = min(self.tol, max(MODEL_SHARE * self.tol, MODEL_TOLERANCE))
            dual = objective.weights * step.slopes
            conjugates = objective.loss.conjugates(objective.y, step.slopes)
            gap_of_losses = point.loss_value + objective.weights @ conjugates
            gap_of_losses -= float(np.vdot(dual, point.scores))
            # keep its Hessian if the next step, which leaves about the same share of the gap, suffices
            suffices = enough * point.value
            step.keeps = gap_of_losses * gap_of_losses <= KEPT_SHARE * suffices * step.fall
            if gap_of_losses <= suffices:
                gap, g = gap_and_gradient(point, balanced(point, step.slopes))
                certificate = relative_gap(objective, gap, point.value)
                step.keeps &= certificate <= KEEP_HESSIAN * last
                if certificate <= enough or certificate < last:
                    return certificate, enough, g
            elif step.keeps:
                return np.inf, enough, point.loss_gradient
        left = float(np.abs(units.excess(point)).max(initial=0))
        small = CERTIFY_BELOW * float(np.max(objective.kink))
        near = left <= small or not objective.kinked
        return certify(point) if near else np.inf, self.tol, point.loss_gradient


@dataclass(frozen=True)
class AfterSlowFit(ProximalNewton):
    """Proximal Newton after a fit at a near strength in which conjugate gradients took long."""

    slow_passes: float = 0.0  # type: ignore[misc]


def stages(objective: Objective, point: Point) -> Iterator[Objective]:
    """The problem at strengths that decrease to about its own, if the start has no support; none for few features."""
    # all may join at once, and the rows determine their weights
    few = min(JOINING, objective.design.n_rows / 2)
    if objective.n_parameters <= few:
        return
    ratio = ratio_to_empty(objective, point)
    while (ratio := STAGE_RATIO * ratio) > 1.2:
        yield objective.with_strength(objective.strength * ratio)


def ratio_to_empty(objective: Objective, point: Point) -> float:
    """The least strength at which the support stays empty, in units of the objective's; 1 if it is not empty."""
    if not objective.kinked or objective.weight_part(point.theta).any():
        return 1.0
    slopes = objective.weight_part(point.steepest)
    return 1 + float(objective.penalty.dual_norm(slopes)) / objective.strength
