"""Block pivoting: guess which rows F are at a kink, solve for their slopes, and update the guess from all rows.

With θ = Σ β_i [x_i 1], β_i = −w_i s_i/strength, slopes s are optimal if for any reach c_i > 0

    s_i = prox of c_i ℓ* at s_i + c_i z_i,   z = K β + b,   K = XXᵀ,   Σ β_i = 0.

Where that prox is not constant (F), the condition is  z_i = k_i + s_i/ℓ″  with k_i the position of a kink;
elsewhere s_i is an end of an interval. So each guess is one linear system on F, and a guess that repeats itself is
the minimum. A c_i below strength/(w_i K_ii), the effect of a slope on the row's own score, lets rows enter F before
they pass to the other end; a few guesses then suffice for any number of rows. The guesses may also cycle; the best
point is then the start of a method that converges.
Kunisch & Rendl (2003), SIAM J. Optim. 14; Portugal, Júdice & Vicente (1994), Math. Comp. 63
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
from scipy.linalg import lapack

from linclass.numerics import Array
from linclass.objective.objective import Objective
from linclass.objective.point import Point
from linclass.solvers.conjugate_gradients import conjugate_gradients

GUESSES = 60
FEWER, PATIENCE = 0.7, 6  # ratio of corrected rows that must be reached, within so many guesses
NEAR = 5.0  # from a start: rows with a score within 1/(2·NEAR) of a kink are guessed to be at it
SAME, OFF = (
    1e-3,
    0.1,
)  # slopes of a start that its scores agree with, but for so large a share of the rows
SHORT = 0.3  # of the reach for which a single row would converge at once
FEW = 3000  # rows up to which the Gram matrix is formed; a tenth of it if sparse, as products cost less
FLAT = 1e-6  # of the mean K_ii: lower bound of each
ROUNDING = 1e-15  # of K_ii, added to it
ROUGH, SHARP = (
    0.2,
    1e-14,
)  # tolerance of scores, in units of the loss, in the first and last guesses
SHARPER = 30.0  # factor of the tolerance once guesses no longer halve the corrected rows
SETTLED = 0.02  # share of corrected rows below which the certificate is computed
LEAP = 1e-6  # distance above which two kinks are different, in units of the loss
PRODUCTS = 300  # for one system


class Pivoted(NamedTuple):
    point: Point
    slopes: Array
    certificate: float
    n_iter: int


def suits(objective: Objective) -> bool:
    """A kernel, or no more rows than features: then K is small, and seldom singular."""
    design = objective.design
    if design.is_kernel:
        return design.n_rows == design.n_features
    return design.n_rows <= design.n_features


def pivot(
    objective: Objective,
    start: Array,
    tol: float,
    max_iter: int,
    trace: Callable[[Point], None] | None = None,
) -> Pivoted:
    """The best point found, with its slopes and their certificate, which may exceed tol."""
    loss, y, n = objective.loss, objective.y, objective.design.n_rows
    equations = equations_of(objective)
    reach = SHORT * objective.strength / (objective.weights * equations.diagonal)
    v, first_reach = first(objective, start, reach)
    s, free = loss.nearest_slopes(y, v, first_reach)
    kinks = (v - s) / first_reach - s / loss.smoothness
    best = Pivoted(objective.at(start), s, np.inf, 0)
    fewest, last, waited, n_iter = n, n, 0, 0
    precision, scale = ROUGH, loss.scale(y)
    while n_iter < min(GUESSES, max_iter) and waited < PATIENCE:
        if objective.design.intercept and not free.any():
            break
        n_iter += 1
        s, theta = equations.solve(np.flatnonzero(free), kinks, s, precision * scale)
        point = objective.at(theta)
        if trace:
            trace(point)
        v = s + reach * point.scores
        new, moves = loss.nearest_slopes(y, v, reach)
        places = (v - new) / reach - new / loss.smoothness
        leaps = moves & free & (np.abs(places - kinks) > LEAP * scale)
        if leaps.any():  # to another kink: the slope between the two comes first
            new[leaps] = loss.slopes(y, (places + kinks) / 2)[leaps]
            moves[leaps] = False
        corrected = int(np.count_nonzero((moves != free) | ~moves & (new != s)))
        if corrected <= SETTLED * n:
            for met in (point, stretched(point, kinks + s / loss.smoothness, free)):
                certificate = objective.certificate(met, new)
                if certificate < best.certificate:
                    best = Pivoted(met, new, certificate, 0)
                if certificate <= tol:
                    break
            if best.certificate <= tol:
                break
        if 2 * corrected >= last or not corrected:
            if not corrected and (equations.exact or precision <= SHARP):
                break
            precision = max(precision / SHARPER, SHARP)
        waited, last = waited + 1, corrected
        if corrected <= FEWER * fewest:
            waited, fewest = 0, corrected
        s, free, kinks = new, moves, places
    return best._replace(n_iter=n_iter)


def first(objective: Objective, start: Array, reach: Array) -> tuple[Array, Any]:
    """(v, c) whose prox is the first guess; without a start, all rows of a margin loss are at the kink."""
    scale = objective.loss.scale(objective.y)
    if not start.any():
        return np.zeros_like(reach), np.minimum(reach, 0.5 / scale)
    point = objective.at(start)
    if objective.loss.piecewise_linear:
        if objective.design.is_kernel:  # the start tells slopes, too
            s = -start[:-1] / objective.weights
            s /= np.abs(s).max(initial=0) or 1.0  # of whatever strength; an end of the slopes is ±1
            v = s + reach * point.scores
            kept = objective.loss.nearest_slopes(objective.y, v, reach)[0]
            if np.mean(np.abs(kept - s) > SAME) <= OFF:
                return v, reach
        near = NEAR / scale
        return objective.loss.middle(objective.y) + near * point.scores, near
    return point.slopes + reach * point.scores, reach


def stretched(point: Point, wanted: Array, free: Array) -> Point:
    """The point times the least factor ≥ 1 that brings each row at a kink to the score it should have.

    If a slack costs 1/strength, scores that miss a kink by rounding would cost more than this.
    """
    far = free & (wanted != 0)
    short = (wanted - point.scores)[far] / wanted[far]
    return point.toward(point.theta, point.scores)(max(float(short.max(initial=0)), 0.0))


def equations_of(objective: Objective) -> Any:
    design = objective.design
    if design.is_kernel or design.n_rows <= (FEW // 10 if design.is_sparse else FEW):
        return Direct(objective, design.products_of_all_rows())
    return Conjugate(objective)


class Equations:
    """(K β)_i + b − s_i/ℓ″ = k_i  for i in F,  Σ β = 0,  for given slopes of the other rows."""

    def __init__(self, objective: Objective, diagonal: Array):
        mean = float(diagonal.mean()) or 1.0
        self.design = objective.design
        self.diagonal = np.maximum(diagonal, FLAT * mean)
        self.of_slopes = -objective.weights / objective.strength  # β = of_slopes · s
        self.soft = -1 / (self.of_slopes * objective.loss.smoothness)

    def theta(self, beta: Array, b: float) -> Array:
        theta = self.design.pull(beta)
        theta[self.design.n_features :] = b
        return theta


class Direct(Equations):
    """By Cholesky factorization of K_FF, with a small multiple of the diagonal added if it is singular."""

    exact = True

    def __init__(self, objective: Objective, K: Array):
        super().__init__(objective, np.diag(K))
        self.K = K

    def solve(self, F: Array, kinks: Array, s: Array, precision: float) -> tuple[Array, Array]:
        beta = self.of_slopes * s
        beta[F] = 0
        fixed = np.flatnonzero(beta)
        right = np.ones((len(F), 2))
        right[:, 0] = kinks[F] - beta[fixed] @ self.K[np.ix_(fixed, F)]
        M, lift = self._matrix(F), ROUNDING
        _, left, info = lapack.dposv(M, right, lower=1, overwrite_a=1)
        while info:
            if lift > 1:
                raise ValueError("inner products of the rows overflow; standardize the columns.")
            lift *= 100
            M = self._matrix(F)
            np.einsum("ii->i", M)[...] += lift * self.diagonal[F]
            _, left, info = lapack.dposv(M, right, lower=1, overwrite_a=1)
        b = 0.0
        if self.design.intercept:
            b = (left[:, 0].sum() + beta.sum()) / left[:, 1].sum()
        beta[F] = left[:, 0] - b * left[:, 1]
        return beta / self.of_slopes, self.theta(beta, b)

    def _matrix(self, F: Array) -> Array:
        M = self.K[np.ix_(F, F)]
        np.einsum("ii->i", M)[...] += self.soft[F] + ROUNDING * self.diagonal[F]
        return M.T


class Conjugate(Equations):
    """By conjugate gradients over β with the right sum, preconditioned by the diagonal; K is never formed."""

    exact = False

    def __init__(self, objective: Objective):
        super().__init__(objective, objective.design.row_norms() - objective.design.intercept)

    def solve(self, F: Array, kinks: Array, s: Array, precision: float) -> tuple[Array, Array]:
        among, soft = self.design.gram_of_rows(F), self.soft[F]
        d, b = 1 / (self.diagonal[F] + soft), 0.0
        beta = self.of_slopes * s
        if self.design.intercept:
            beta[F] -= beta.sum() / d.sum() * d

        def without_intercept(r: Array) -> Array:
            nonlocal b
            b += (move := float(d @ r) / float(d.sum()))
            return r - move

        step, *_ = conjugate_gradients(
            lambda p: (among(p) + soft * p, None),
            kinks[F] - self.design.scores(self.theta(beta, 0.0))[F] - soft * beta[F],
            precision * len(F) ** 0.5,
            precondition=lambda r: d * r,
            project=without_intercept if self.design.intercept else None,
            most=PRODUCTS,
        )
        beta[F] += step
        return beta / self.of_slopes, self.theta(beta, b)
