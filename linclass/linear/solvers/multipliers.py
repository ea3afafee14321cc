"""Crammer and Singer's machine, and other losses of K scores whose slopes lie in a simplex, with an L2 penalty.

An active-set method: guess which classes of which rows are tied, solve, and correct the guess. With v_i = z_i − e_y the
loss is max_k v_ik − v_iy, and its slopes are p_i − e_y, with p_i a mixture of the classes of the largest v_ik. At the
minimum that is one class in most rows, and several in few rows F. A step takes a guess of F and of the classes A_i that
are tied there, and lets p vary among them,

    p_i = p⁰_i + reach·C_i v_i,   C_i = diag(a_i) − a_i a_iᵀ/|A_i|,   a_i the marks of A_i,

with which  ∇P = strength·W + Σ w_i (p_i − e_y) x_iᵀ = 0  is one system of equations. Then p returns to the simplex:
classes with p_ik < 0 leave A_i, and a class whose v_ik is larger than that of its row's enters. A larger reach ties
the classes more closely, but makes p of a wrong guess worse, so it grows as fewer rows lose a class. This is the
proximal method of multipliers with one Newton step for each update of the multipliers p. Guesses that stop improving
are continued by the augmented Lagrangian.
Rockafellar (1976), Math. Oper. Res. 1; Hintermüller, Ito & Kunisch (2003), SIAM J. Optim. 13"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import ClassVar, NamedTuple

import numpy as np

from linclass.base.arrays import SMALLEST, Array, diagonal
from linclass.base.design_matrix import DesignMatrix
from linclass.base.documentation import documented
from linclass.base.numerics import Inverse, conjugate_gradients, length
from linclass.linear.losses.multiclass import curvature_of_ties, onto_simplex
from linclass.linear.objective.certificate import certify, relative_gap
from linclass.linear.objective.objective import Objective, common_shift
from linclass.linear.solvers.augmented_lagrangian import AugmentedLagrangian
from linclass.linear.solvers.base import Solution, Trace
from linclass.linear.solvers.finite_newton import SolverAfterReductions, least_squares_start
from linclass.linear.solvers.starts import few_rows

MAX_HESSIAN = 300  # parameters up to which equations are factored; conjugate gradients above
FORCING = 0.1  # residual of conjugate gradients, relative to the gradient,
WIDE_FORCING = 1e-3  # with fewer rows than features
NO_CURVATURE = 1e-9  # curvature of an intercept, of reach, that counts as none
# reach of the first step from least squares, times the root of that for which one row converges at once, and its least
FIRST_REACH, LEAST_REACH = 3.0, 0.3
START_REACH = 5.0  # reach of the first step from a start
ENTRY_REACH = 0.01  # of the reach for which a single row would converge at once: a class of a larger score enters
SHRINK = 3.0  # of the reach at each step, once WAIT steps have not come nearer
WAIT = 2
ASTRAY = 100.0  # ratio of gaps beyond which the nearest guess so far is taken up again,
BACK = 5.0  # with a reach so much smaller
PATIENCE, PROGRESS = 50, 0.99  # steps within which the gap must fall to this share
OUTSIDE = -1e-9  # a mixture with a smaller share has left the simplex


class TiedClasses(NamedTuple):
    """Rows without tied classes have the slope e_k − e_y of one class k alone."""

    theta: Array
    above: Array  # v
    classes: Array  # the class of each row
    rows: Array  # F, in ascending order
    tied: Array  # a_i as columns
    mixtures: Array  # p of these rows
    pull: Array  # Σ w_i (p_i − e_y) [x_i 1]ᵀ
    reach: float
    gap: float  # relative


def follow_ties(
    objective: Objective, start: Array, tol: float, max_iter: int, trace: Trace | None = None
) -> Solution:
    """The best point found, whose certificate may exceed tol."""
    ties = Ties(objective)
    guess = best = ties.first(start)
    n_iter = waited = 0
    goal, last = PROGRESS * best.gap, 0  # and the step that reached the goal before
    while n_iter < max_iter and n_iter - last < PATIENCE:
        n_iter, before = n_iter + 1, guess.gap
        guess, leaving = ties.step(guess)
        waited = 0 if guess.gap < best.gap else waited + 1
        if trace:
            trace(objective.at(guess.theta))
        if guess.gap < goal:
            goal, last = PROGRESS * guess.gap, n_iter
        if not waited:
            best = guess
            if best.gap <= tol and ties.solution(best, tol, n_iter).converged:
                break
        if guess.gap > ASTRAY * best.gap:
            guess = best = best._replace(reach=best.reach / BACK)
        elif guess.gap < before:
            guess = guess._replace(reach=guess.reach * (1 + (1 - leaving) ** 2))
        elif waited >= WAIT:
            guess = guess._replace(reach=guess.reach / max(SHRINK, guess.gap**0.25))
    return ties.solution(best, tol, n_iter)


class Ties:
    """The guesses for one objective."""

    def __init__(self, objective: Objective):
        self.objective, self.design = objective, objective.design
        self.y = objective.y
        self.weights, self.strength = objective.weights, objective.strength
        self.every = np.arange(objective.design.n_rows)
        self.d = objective.design.n_features
        self.features = slice(self.d)
        norms = objective.design.column_norms(self.weights)[self.features]
        each = float(norms @ norms) / np.count_nonzero(self.weights)  # w_i x_i·x_i of a row
        self.unit = self.strength / each if each > SMALLEST * max(self.strength, 1) else 1.0

    def first(self, start: Array) -> TiedClasses:
        """The guess by the scores of a start that is not 0, or else of least squares."""
        known = bool(start.any())
        rough = None if known else least_squares_start(self.objective)
        theta = start if rough is None else rough
        y, loss, scores = self.objective.y, self.objective.loss, self.design.scores(theta)
        reach = START_REACH if known else max(FIRST_REACH * self.unit**0.5, LEAST_REACH)
        slopes, tied = loss.nearest_slopes(y, loss.middle(y) + reach * scores, reach)
        pull = self.design.pull(self.weights * slopes)
        slopes[self.y, self.every] += 1
        scores = self._above(scores)
        rows, classes = np.flatnonzero(tied.any(axis=0)), slopes.argmax(axis=0)
        guess = TiedClasses(
            theta, scores, classes, rows, tied[:, rows], slopes[:, rows], pull, reach, np.inf
        )
        largest = scores.max(axis=0)
        gaps = largest - scores[classes, self.every]
        gaps[rows] = ((largest - scores) * slopes).sum(axis=0)[rows]
        return guess._replace(gap=self._gap(guess, gaps, largest))

    def step(self, guess: TiedClasses) -> tuple[TiedClasses, float]:
        """The next guess, and the share of the rows F that lose a class."""
        rows, tied, reach = guess.rows, guess.tied, guess.reach
        few = self.design.take(rows)
        curve = self.objective.loss.curve  # C_i v_i
        g = guess.pull + few.pull(self.weights[rows] * curve(reach * tied, guess.above[:, rows]))
        g[:, self.features] += self.strength * guess.theta[:, self.features]
        theta = guess.theta - self._solved(few, rows, tied, g, reach)
        above = self._above(self.design.scores(theta))
        mixtures = guess.mixtures + curve(reach * tied, above[:, rows])
        leaving = np.count_nonzero((mixtures < OUTSIDE).any(axis=0)) / max(len(rows), 1)
        return self._corrected(guess._replace(theta=theta, above=above), mixtures), leaving

    def _solved(self, few: DesignMatrix, rows: Array, tied: Array, g: Array, reach: float) -> Array:
        """The solution Δ of  strength·Δ + reach·Σ_F w_i C_i Δ [x_i 1] [x_i 1]ᵀ = g,  with a little curvature added for
        the intercepts: next to none if rows give them some, else so much that they move by 1.
        """
        weights, d, shape = self.weights[rows], self.d, self.objective.shape
        own = np.full(shape, self.strength)
        if self.design.intercept:
            given, pushes = reach * (tied @ weights), np.abs(g[:, d])
            least = NO_CURVATURE * reach
            own[:, d] = np.where(given > least, 1e-12 * reach, np.maximum(pushes, least))
        if g.size <= MAX_HESSIAN:
            H = reach * curvature_of_ties(few.dense(), weights, tied)
            if self.design.intercept:
                intercepts = H.reshape(*shape, *shape)[:, d, :, d]
                intercepts += common_shift(intercepts)
            diagonal(H)[...] += own.ravel()
            return Inverse(H, positive=True).times(g.ravel()).reshape(shape)
        curve, marks = self.objective.loss.curve, reach * tied

        def times(p: Array) -> tuple[Array, None]:
            return few.pull(weights * curve(marks, few.scores(p))) + own * p, None

        wide = self.design.n_rows < self.design.n_features
        forcing = WIDE_FORCING if wide else FORCING
        return conjugate_gradients(times, g, forcing * length(g))[0]

    def _above(self, scores: Array) -> Array:
        """v of these scores, which are overwritten."""
        scores[self.y, self.every] -= 1
        return scores

    def _corrected(self, guess: TiedClasses, mixtures: Array) -> TiedClasses:
        """The guess after classes have left their rows, and others entered:  p_i ← the point of the simplex nearest to
        p_i + c (v_i − max_k v_ik)  in the rows F and in those where another class has the largest v_ik now, with a
        short step c. Where several p_ik > 0, these classes are tied. Only these rows change the sum of slopes `pull`.
        """
        above, classes = guess.above, guess.classes.copy()
        largest = above.max(axis=0)
        gaps = largest - above[classes, self.every]
        changing = gaps > 0
        changing[guess.rows] = True
        rows = np.flatnonzero(changing)
        own = rows.searchsorted(guess.rows)
        old = np.zeros((len(above), len(rows)))
        old[classes[rows], np.arange(len(rows))] = 1
        new = old.copy()
        old[:, own], new[:, own] = guess.mixtures, mixtures
        v = above[:, rows] - largest[rows]
        p, tied = onto_simplex(new + ENTRY_REACH * self.unit * v)
        classes[rows] = p.argmax(axis=0)
        gaps[rows] = -(p * v).sum(axis=0)
        pull = guess.pull + self.design.take(rows).pull(self.weights[rows] * (p - old))
        F = tied.any(axis=0)
        guess = guess._replace(
            classes=classes, rows=rows[F], tied=tied[:, F], mixtures=p[:, F], pull=pull
        )
        return guess._replace(gap=self._gap(guess, gaps, largest))

    def _gap(self, guess: TiedClasses, gaps: Array, largest: Array) -> float:
        """The duality gap; of slopes that are not balanced, about what they cost the intercepts."""
        W = guess.theta[:, self.features]
        off = guess.pull[:, self.features] + self.strength * W
        gap = self.weights @ gaps + np.vdot(off, off) / (2 * self.strength)
        gap += np.abs(guess.pull[:, self.d :]).sum()
        losses = largest - guess.above[self.y, self.every]
        value = self.weights @ losses + self.strength / 2 * np.vdot(W, W)
        return relative_gap(self.objective, float(gap), min(float(value), 1.0))

    def slopes(self, guess: TiedClasses) -> Array:
        slopes = np.zeros(guess.above.shape)
        slopes[guess.classes, self.every] = 1
        slopes[:, guess.rows] = guess.mixtures
        slopes[self.y, self.every] -= 1
        return slopes

    def solution(self, guess: TiedClasses, tol: float, n_iter: int) -> Solution:
        point, slopes = self.objective.at(guess.theta), self.slopes(guess)
        certificate = certify(point, slopes)
        return Solution.at(point, certificate, tol, n_iter, slopes=slopes, scores=point.scores)


SUBSET_ABOVE = 2000  # rows above which a fit to a subset pays
SUBSET_TOLERANCE = 3e-2  # tolerance of a fit to a subset: scores of other rows differ by more


@documented
@dataclass(frozen=True)
class Multipliers(SolverAfterReductions):
    """Active sets of tied classes, for losses of K scores together with an L2 penalty."""

    needs: ClassVar[str] = "simplicial"
    takes: ClassVar[str] = "l2"
    limit: ClassVar[int] = 1000  # Newton steps in all

    def minimize(self, objective: Objective, start: Array, trace: Trace | None = None) -> Solution:
        few = few_rows(objective, start, least=SUBSET_ABOVE)
        if few is not None:
            rough = replace(self, tol=SUBSET_TOLERANCE, max_iter=None)
            start = rough.minimize(few, start).theta
        zero = objective.zero()  # a start may be far off, as if a class has no row in the subset
        if start.any() and objective.at(start).value >= objective.at(zero).value:
            start = zero
        best = follow_ties(objective, start, self.tol, self.max_steps, trace)
        steps = self.max_steps - best.n_iter
        if best.converged:
            return best
        ends = [best]
        if steps:
            ends.append(AugmentedLagrangian(self.tol, steps).solve(objective, start, trace))
        ends.append(Solution.at(objective.at(start), np.inf, self.tol, 0))
        found = min(ends, key=lambda end: end.objective)
        slopes = [end.slopes for end in ends if end.slopes is not None]
        point, n_iter = objective.at(found.theta), sum(end.n_iter for end in ends)
        certificate, dual = min(((certify(point, s), s) for s in slopes), key=lambda end: end[0])
        return Solution.at(point, certificate, self.tol, n_iter, slopes=dual, scores=point.scores)
