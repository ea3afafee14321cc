"""Laplace's posterior of the weights of a few columns with precisions α, and the evidence of a Gaussian in its place:

    ẑ = z + B⁻¹(y − σ(z + o)),   B = diag σ′(z + o),   ln p(ẑ | α) = ln N(ẑ | 0, B⁻¹ + ΦA⁻¹Φᵀ),

with the scores z at the mode and the offsets o. The target ẑ has the slopes and the curvature of the likelihood there.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from scipy.special import expit

from linclass.base.arrays import Array
from linclass.base.design_matrix import DesignMatrix
from linclass.bayes.laplace_posterior import laplace_posterior
from linclass.bayes.relevance import Relevance, WeightedColumns
from linclass.linear.losses.base import Loss
from linclass.linear.losses.margin import Logistic
from linclass.linear.losses.wrapped import with_offset
from linclass.linear.objective.objective import Objective
from linclass.linear.penalties.entrywise import L2
from linclass.linear.solvers.newton import Newton

EXACT = 1e-12  # gap of a mode: gains are squares of slopes
LESS = 0.5  # of a decrement, that is progress
STEPS = 5  # towards the mode
FLAT = 1e-12  # least curvature of a row, so that slope/curvature stays finite


class Mode(NamedTuple):
    """The posterior of the weights of the columns that stay and of the intercept, the last."""

    active: Array
    alpha: Array
    theta: Array
    covariance: Array
    scores: Array  # without the offset
    log_evidence: float


@dataclass(frozen=True)
class Labelled:
    """Columns of rows of two classes, with weights and, if they have any, offsets."""

    design: DesignMatrix
    codes: Array
    weights: Array
    offset: Array | None

    def mode(self, active: Array, alpha: Array, near: Mode | None = None) -> Mode:
        """In units of the deviations of the prior, in which all weights have the same strength."""
        design, m = self.design, len(active)
        total, unit = float(self.weights.sum()), np.append(1 / np.sqrt(alpha), 1.0)
        own = design.columns(active, np.zeros(design.n_features), np.ones(design.n_rows)) * unit[:m]
        # a design needs a column; the weight of a column of zeros is 0
        rows = own if m else np.zeros((design.n_rows, 1))
        loss, target = self._loss()
        P = Objective(DesignMatrix(rows), loss, target, self.weights, L2(), 1 / total)
        start = P.zero()
        if m and near is not None:
            old = np.zeros(design.n_features)
            old[near.active] = near.theta[:-1]
            start = np.append(old[active], near.theta[-1]) / unit
        posterior = laplace_posterior(P, total, Newton(tol=EXACT), start)
        covariance, height = posterior.covariance, posterior.log_evidence()
        theta = exact(P, posterior.solution.theta, total * covariance)
        scores = P.design.scores(theta)
        if not m:
            theta, covariance = theta[1:], covariance[1:, 1:]
        return Mode(active, alpha, theta * unit, covariance * np.outer(unit, unit), scores, height)

    def _loss(self) -> tuple[Loss, Array]:
        """(loss, its y)"""
        loss, signs = Logistic(), np.where(self.codes, 1.0, -1.0)
        return (loss, signs) if self.offset is None else with_offset(loss, signs, self.offset)

    def evidence(self, mode: Mode, away: Array) -> Relevance:
        """That of the Gaussian at a mode. Columns that are `away` count as constants."""
        z = mode.scores if self.offset is None else mode.scores + self.offset
        curvature = np.maximum(expit(z) * expit(-z), FLAT)
        slope = np.where(self.codes, expit(-z), -expit(z))
        target = mode.scores + slope / curvature
        columns = WeightedColumns(self.design, self.weights * curvature, target, away)
        search = Relevance(columns, None)
        search.stay(mode.active, mode.alpha * columns.scale[mode.active] ** 2)
        return search


def exact(objective: Objective, theta: Array, inverse: Array) -> Array:
    """More of Newton's steps with the last Hessian, as long as the decrement falls, where rounding errors of the
    objective hide its decrease: of large weights a gain is a smaller part of it.
    """
    least = np.inf
    for _ in range(STEPS):
        g = objective.at_with_gradient(theta).gradient
        step = inverse @ g
        decrement = float(g @ step)
        if not 0 < decrement < LESS * least:
            break
        best, least = theta, decrement
        theta = theta - step
    return best if np.isfinite(least) else theta


# Which part of a change of the prior variances 1/α_j is made, while the mode of the posterior follows them.
#
# A curvature of nearly 0 promises gains that the mode does not keep, so that a column would enter and leave for ever.
# Of a column that often left a change that turns back without getting smaller is halved: between no variance and one
# that is too large there is one that is best at its own mode. Of gains that are small a change that goes on and on is
# lengthened, where the same columns stay.

CALM = 0.5  # of the last change, above which one that turns back has not got smaller
GROWTH = 1.5  # of the part that is made of a change
FARTHEST = 4.0  # such part
LEAVES = 3  # times that are often


class Pace:
    """The parts of all columns, by their changes so far."""

    def __init__(self, n_columns: int):
        self.share, self.last = np.ones(n_columns), np.zeros(n_columns)
        self.left = np.zeros(n_columns, int)

    def towards(self, old: Array, new: Array, late: bool) -> Array:
        self.left += (old > 0) & (new == 0)
        change, share = new - old, self.share
        back, large = change * self.last < 0, np.abs(change) > CALM * np.abs(self.last)
        goes_on = late & large & (self.last != 0) & np.array_equal(old > 0, new > 0)
        ahead = np.minimum(GROWTH * share, np.where(goes_on & ~back, FARTHEST, 1.0))
        turns = back & large & (self.left >= LEAVES)
        self.share, self.last = np.where(turns, np.minimum(share, 1) / 2, ahead), change
        return np.where(self.share == 1, new, np.maximum(old + self.share * change, new / FARTHEST))
