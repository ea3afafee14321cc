"""Working set: the entries of W that are minimized over while all others stay 0.

All computations have its size: its columns of X, its weights, its Hessian. There are two kinds of step. For one
score the quadratic program is solved exactly (`NewtonStep`). For K scores, or many features, conjugate
gradients approach its solution for the present signs, and weights stop at 0 (`OrthantStep`).
"""

from __future__ import annotations

from typing import Protocol

import numpy as np

from linclass.base.arrays import Array
from linclass.linear.objective.coordinates import Units
from linclass.linear.objective.objective import Objective, Point
from linclass.linear.solvers.l1.newton_step import NewtonStep
from linclass.linear.solvers.l1.orthant_step import OrthantStep

JOIN = 8  # entries that may join at first; later twice the size of the support
CUT = 0.1  # reduction of the residual before other entries are considered
DENSE = 2000  # features up to which the Hessian of one score is formed
SPARSE = 300  # the same of sparse rows, whose products are cheap
TOGETHER = 200  # parameters up to which the Hessian of K scores is formed
STRAIGHT = 600  # the same where the loss has straight pieces, whose rows no conjugate gradients see


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
            single = SPARSE if objective.design.is_sparse else DENSE
            direct = free.size <= (single if free.ndim == 1 else several)
            own = units.of_features(features)
            self.step: Step = NewtonStep(free, own) if direct else OrthantStep(free, own)
        theta = np.ascontiguousarray(here.theta[..., self.columns])
        g = here.loss_gradient[..., self.columns]
        self.point = Point(self.sub, theta, here.scores, jet=here.jet, loss_gradient=g)

    def point_of(self, objective: Objective) -> Point:
        """The present point, with all features."""
        theta = objective.zero()
        theta[..., self.columns] = self.point.theta
        return Point(objective, theta, self.point.scores, jet=self.point.jet)

    def descend(self, limit: int, goal: float = CUT) -> int:
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


class Step(Protocol):
    def __call__(self, point: Point) -> Point: ...

    def residual(self, point: Point) -> float:
        """The largest entry of the subgradient of least norm, over the working set."""

    def adapt(self, ratio: float) -> None:
        """Adapt the next step to the ratio of the residual after this one to that before."""


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
