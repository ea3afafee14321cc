"""Augmented Lagrangian of an objective with kinks: every loss is replaced by its Moreau envelope around a slope s⁰_i,
which is smooth (`Envelope`).

If s⁰ are the optimal slopes, its minimum is that of the objective, whatever the reach. For other s⁰ the slopes at its
minimum are better ones, the more so the larger the reach.   Rockafellar (1976), Math. Oper. Res. 1

Most rows are far from a kink of their envelope. A row whose slope stays s⁰ contributes a constant gradient: it moves W
by −w_i s⁰_i x_i/strength, and with that offset to all scores the row can be left out. The problem that is minimized
thus has only the rows that may move, and a linear term for the intercept."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple, cast

import numpy as np

from linclass.base.arrays import Array, by_blocks, once
from linclass.base.design_matrix import Design, DesignMatrix
from linclass.linear.losses.wrapped import Envelope
from linclass.linear.objective.objective import Objective, Point

# Scores of some pairs of a class and a row, one after another, row by row, in place of those of all classes.

MAX_COPIED_WIDTH = 1000  # features above which a copy of some of the rows costs too much


class ScoresOfPairs(Design):
    """The pairs of a mask (K, n), but for rows that have one alone; theta is that of all classes."""

    def __init__(self, design: DesignMatrix, taking_part: Array):
        rows = np.flatnonzero(np.count_nonzero(taking_part, axis=0) > 1)
        own, self.classes = np.nonzero(taking_part[:, rows].T)
        self.rows = rows[own]  # of each pair
        self.intercept, self.is_sparse = design.intercept, design.is_sparse
        self.n_rows, self.n_features, self.width = len(own), design.n_features, design.width
        if self.width > MAX_COPIED_WIDTH:
            self.some, self.own = design, self.rows
        else:
            self.some, self.own = design.restricted(rows), own
        self._place = self.classes * self.some.n_rows + self.own
        self._shape = len(taking_part), self.some.n_rows
        self.passes = 0.0

    def scores(self, theta: Array) -> Array:
        return self.some.scores(theta).ravel()[self._place]

    def pull(self, R: Array) -> Array:
        full = np.zeros(self._shape)
        full.ravel()[self._place] = R
        return self.some.pull(full)

    def inner(self, g: Array, step: Array, along: Array) -> float:
        return float(np.vdot(g, step))


class Augmented(Objective):
    """The envelopes of `rows`, around their slopes, those of all classes; all other rows keep their slopes."""

    def __init__(self, objective: Objective, slopes: Array, reach: float, rows: Array):
        self._share(objective)
        push = objective.weights * slopes
        push[..., rows] = 0
        self.whole, self.rows = objective.design, rows
        self.design = objective.design.restricted(rows)
        self.y, self.weights = objective.y[rows], objective.weights[rows]
        self.moreau, self.reach = Envelope(self.loss, reach), reach
        self.centre = slopes[..., rows]
        self.force = objective.design.pull(push) / -self.strength
        d = objective.design.n_features
        self.imbalance = -self.strength * self.force[..., d:]
        self.force[..., d:] = 0
        if objective.design.is_kernel:  # the rows have no coordinates for the others' functions
            self.offset = objective.design.scores(self.force)[rows]
        else:
            self.offset = self.design.scores(self.force)

    def _share(self, objective: Objective) -> None:
        """Take over all that does not depend on the rows."""
        vars(self).update(vars(objective))
        vars(self).pop("column_norms", None)
        vars(self).pop("column_means", None)

    def start(self, theta: Array) -> Point:
        """The point here that corresponds to theta of the objective."""
        return self.at(self.whole.restrict_theta(self.rows, theta - self.force))

    def end(self, theta: Array) -> Array:
        """Theta of the objective that corresponds to theta here."""
        return self.whole.extend_theta(self.rows, theta) + self.force

    def at(self, theta: Array) -> Point:
        return AugmentedPoint(self, theta, self.design.scores(theta))

    def jet(self, scores: Array) -> tuple[Array, Array, Array]:
        slopes, curvatures = self.derivatives(scores)
        return self.values(scores, slopes), slopes, curvatures

    def derivatives(self, scores: Array) -> tuple[Array, Array]:
        """Slope and curvature of every row, or of every pair."""
        return by_blocks(self.moreau.derivatives, self.y, self.centre, scores + self.offset)

    def values(self, scores: Array, slopes: Array) -> Array:
        """The envelope of every row, or its part of every pair, whose slopes are known."""
        rows = self.y, self.centre, self.offset, scores, slopes
        return by_blocks(self._values, *rows)[0]

    def _values(self, y: Array, centre: Array, offset: Array, z: Array, s: Array) -> tuple[Array]:
        return (self.moreau.values_of_slopes(y, centre, z + offset, s),)


class AugmentedPairs(Augmented):
    """For K scores: the envelopes of some pairs of a class and a row alone, those of the mask `taking_part` (K, n).

    A class far below the largest of its row has the slope 0, or −1 if it is the true one, and keeps it, too.
    """

    def __init__(self, objective: Objective, slopes: Array, reach: float, taking_part: Array):
        self._share(objective)
        self.whole, d = objective.design, objective.design.n_features
        self.pairs = pairs = ScoresOfPairs(objective.design, taking_part)
        self.design = cast(DesignMatrix, pairs)  # of what a fit asks
        push = objective.weights * slopes
        self.centre = slopes[pairs.classes, pairs.rows]
        push[pairs.classes, pairs.rows] = 0
        self.loss, self.y = objective.loss.on_pairs(objective.y, pairs.rows, pairs.classes)
        self.moreau, self.reach = Envelope(self.loss, reach), reach
        self.weights_of_rows, self.rows = objective.weights, pairs.rows
        self.weights = objective.weights[pairs.rows]
        self.force = objective.design.pull(push) / -self.strength
        self.imbalance = -self.strength * self.force[:, d:]
        self.force[:, d:] = 0
        self.offset = pairs.scores(self.force)

    def derivatives(self, scores: Array) -> tuple[Array, Array]:
        return self.moreau.derivatives(self.y, self.centre, scores + self.offset)

    def values(self, scores: Array, slopes: Array) -> Array:
        return self._values(self.y, self.centre, self.offset, scores, slopes)[0]


def augmented(objective: Objective, slopes: Array, reach: float, taking_part: Array) -> Augmented:
    """The envelopes of the rows, or of the pairs of a class and a row, in the mask."""
    if taking_part.ndim == 2:
        return AugmentedPairs(objective, slopes, reach, taking_part)
    return Augmented(objective, slopes, reach, np.flatnonzero(taking_part))


class AugmentedPoint(Point):
    """A point with the term  imbalance · b  of the rows that are left out."""

    objective: Augmented

    @property
    def _free(self) -> slice:
        return slice(self.objective.design.n_features, None)

    @once
    def jet(self) -> tuple[Any, Array, Array]:
        """Without the values, which a line search does not need."""
        return None, *self.objective.derivatives(self.scores)

    @once
    def loss_value(self) -> float:
        objective = self.objective
        return float(objective.weights @ objective.values(self.scores, self.slopes))

    @once
    def value(self) -> float:
        b = self.theta[..., self._free]
        penalty = self.objective.penalty_at(self)
        return self.loss_value + penalty + float((self.objective.imbalance * b).sum())

    @once
    def gradient(self) -> Array:
        g = self.objective.with_penalty_gradient(self.loss_gradient.copy(), self.theta)
        g[..., self._free] += self.objective.imbalance
        return g


def slopes_at(objective: Objective, slopes: Array, scores: Array, reach: float) -> Array:
    """The slopes of all envelopes around `slopes` at these scores."""
    return Envelope(objective.loss, reach).derivatives(objective.y, slopes, scores)[0]


GROWTH = 3.0  # of the reach, from round to round
EASY_STEPS = 20  # of a round, above which the next has the same reach
PATIENCE = 5  # rounds without a better certificate: limited by rounding
MAX_ROUNDS = 30
ROUNDED_CERTIFICATE = 1e-9  # from which rounding errors, not the reach, may be what is left


class Rounds(NamedTuple):
    """The best point of some rounds, its slopes and their certificate, and the number of steps of all rounds."""

    point: Point
    slopes: Array
    certificate: float
    n_iter: int


def method_of_multipliers(
    one_round: Callable[[Point, Array, float, float, int], tuple[Point, Array, int]],
    judge: Callable[[Point, Array], float],
    point: Point,
    slopes: Array,
    reach: float,
    tol: float,
    max_steps: int,
    n_iter: int = 0,
    growth: float = GROWTH,
    trace: Callable[[Point], None] | None = None,
) -> Rounds:
    """Rounds  (θ, s) ← one_round(θ, s, reach, certificate, steps left)  until the certificate is at most `tol`.

    A round minimizes the envelopes around the slopes s, and gives the slopes of the envelopes at its minimum, and the
    number of its steps. After it the reach grows, unless the round was hard; a smaller reach has less of the rounding
    errors that limit the last digits.   Rockafellar (1976), Math. Oper. Res. 1
    """
    worse, best = 0, Rounds(point, slopes, np.inf, n_iter)
    for _ in range(MAX_ROUNDS):
        if n_iter >= max_steps or best.certificate <= tol or worse >= PATIENCE:
            break
        point, slopes, steps = one_round(point, slopes, reach, best.certificate, max_steps - n_iter)
        n_iter += steps
        if trace:
            trace(point)
        certificate = judge(point, slopes)
        worse = 0 if certificate < best.certificate else worse + 1
        if not worse:
            best = Rounds(point, slopes, certificate, n_iter)
        if worse and best.certificate <= ROUNDED_CERTIFICATE:
            reach /= growth
        elif steps <= EASY_STEPS:
            reach *= growth
    return best._replace(n_iter=n_iter)
