"""Block pivoting: guess which rows F are at a kink, solve for their slopes, and update the guess from all rows.

With θ = Σ β_i [x_i 1], β_i = −w_i s_i/strength, slopes s are optimal if for any reach c_i > 0

    s_i = prox of c_i ℓ* at s_i + c_i z_i,   z = K β + b,   K = XXᵀ,   Σ β_i = 0.

Where that prox is not constant (F), the condition is  z_i = k_i + s_i/ℓ″  with k_i the position of a kink;
elsewhere s_i is an end of an interval. So each guess is one linear system on F, and a guess that repeats itself is
the minimum. A c_i below strength/(w_i K_ii), the effect of a slope on the row's own score, lets rows enter F before
they pass to the other end; a few guesses then suffice for any number of rows. The guesses may also cycle; the best
point is then the start of a method that converges.
Kunisch & Rendl (2003), SIAM J. Optim. 14; Portugal, Júdice & Vicente (1994), Math. Comp. 63"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, ClassVar, NamedTuple

import numpy as np
from scipy.linalg import lapack

from linclass.base.arrays import Array, diagonal
from linclass.base.design_matrix import Design
from linclass.base.numerics import conjugate_gradients
from linclass.linear.objective.certificate import certify
from linclass.linear.objective.objective import Objective, Point

# The equations of a guess of block pivoting, for given slopes of the rows outside F:
#
#     (K β)_i + b − s_i/ℓ″ = k_i  for i in F,   Σ β = 0,   β_i = −w_i s_i/strength,
#
# with K = XXᵀ and k_i the score of the kink of row i.

MAX_GRAM_ROWS = 3000  # up to which K is formed; a tenth of it if sparse, as products cost less
MIN_DIAGONAL = 1e-6  # relative to the mean K_ii: lower bound of each
JITTER = 1e-15  # relative to K_ii, added to it
MAX_PRODUCTS = 300  # for one system


def equations_of(objective: Objective) -> KinkEquations:
    """The equations by Cholesky factorization where K is known or small, else by products with the rows."""
    if forms_gram(objective.design):
        return CholeskyEquations(objective, objective.design.products_of_all_rows())
    return ConjugateGradientEquations(objective)


def forms_gram(design: Design) -> bool:
    most = MAX_GRAM_ROWS // 10 if design.is_sparse else MAX_GRAM_ROWS
    return design.is_kernel or design.n_rows <= most


class KinkEquations:
    """Base of the two ways to solve them."""

    exact: ClassVar[bool]

    def __init__(self, objective: Objective, diagonal: Array):
        mean = float(diagonal.mean()) or 1.0
        self.design = objective.design
        self.diagonal = np.maximum(diagonal, MIN_DIAGONAL * mean)
        self.of_slopes = -objective.weights / objective.strength  # β = of_slopes · s
        self.soft = -1 / (self.of_slopes * objective.loss.smoothness)

    def solve(self, F: Array, kinks: Array, s: Array, tolerance: float) -> tuple[Array, Array]:
        """The slopes of all rows and theta, from the slopes s of the rows outside F."""
        raise NotImplementedError

    def theta(self, beta: Array, b: float) -> Array:
        theta = self.design.pull(beta)
        theta[self.design.n_features :] = b
        return theta


class CholeskyEquations(KinkEquations):
    """Solutions by Cholesky factorization of K_FF plus a tiny multiple of its diagonal, as K_FF may be singular."""

    exact: ClassVar[bool] = True

    def __init__(self, objective: Objective, K: Array):
        super().__init__(objective, np.diag(K))
        self.K = K

    def solve(self, F: Array, kinks: Array, s: Array, tolerance: float) -> tuple[Array, Array]:
        beta = self.of_slopes * s
        if not len(F):  # nor is there an intercept; LAPACK takes no empty system
            return s, self.theta(beta, 0.0)
        beta[F] = 0
        fixed = np.flatnonzero(beta)
        right = np.ones((len(F), 2))
        right[:, 0] = kinks[F] - beta[fixed] @ self.K[np.ix_(fixed, F)]
        M, lift = self._matrix(F), JITTER
        _, left, info = lapack.dposv(M, right, lower=1, overwrite_a=1)
        while info:
            if lift > 1:
                raise ValueError("inner products of the rows overflow; standardize the columns.")
            lift *= 100
            M = self._matrix(F)
            diagonal(M)[...] += lift * self.diagonal[F]
            _, left, info = lapack.dposv(M, right, lower=1, overwrite_a=1)
        b = 0.0
        if self.design.intercept:
            b = (left[:, 0].sum() + beta.sum()) / left[:, 1].sum()
        beta[F] = left[:, 0] - b * left[:, 1]
        return beta / self.of_slopes, self.theta(beta, b)

    def _matrix(self, F: Array) -> Array:
        M = self.K[np.ix_(F, F)]
        diagonal(M)[...] += self.soft[F] + JITTER * self.diagonal[F]
        return M.T


class ConjugateGradientEquations(KinkEquations):
    """Solutions by conjugate gradients over β with the right sum, preconditioned by the diagonal, without K."""

    exact: ClassVar[bool] = False

    def __init__(self, objective: Objective):
        super().__init__(
            objective, objective.design.squared_row_norms() - objective.design.intercept
        )

    def solve(self, F: Array, kinks: Array, s: Array, tolerance: float) -> tuple[Array, Array]:
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
            tolerance * len(F) ** 0.5,
            precondition=lambda r: d * r,
            project=without_intercept if self.design.intercept else None,
            most=MAX_PRODUCTS,
        )
        beta[F] += step
        return beta / self.of_slopes, self.theta(beta, b)


MAX_GUESSES = 60
PATIENCE = 6  # guesses within which the number of corrected rows must fall to the share PROGRESS
PROGRESS = 0.7
START_REACH = 5.0  # rows of a start within 1/(2·START_REACH) of a kink are guessed to be at it
REACH_SHARE = 0.3  # share of the reach for which a single row would converge at once
FIRST_TOLERANCE = 0.2  # tolerance of scores, in units of the loss
LAST_TOLERANCE = 1e-14
TOLERANCE_RATIO = 30.0  # of the next tolerance, once guesses no longer halve the corrected rows
CERTIFIED_SHARE = 0.02  # share of corrected rows, up to which the certificate is computed
KINK_TOLERANCE = 1e-6  # distance above which two kinks are different, in units of the loss


class Best(NamedTuple):
    """The best point of some steps, its slopes and their certificate, and the number of all steps."""

    point: Point
    slopes: Array
    certificate: float
    n_iter: int


class Guess(NamedTuple):
    slopes: Array
    at_kink: Array  # mask of the rows F
    kinks: Array  # k_i


def pivot(
    objective: Objective,
    start: Array,
    tol: float,
    max_iter: int,
    trace: Callable[[Point], None] | None = None,
) -> Best:
    """The best point found, with its slopes and their certificate, which may exceed tol.

    A guess is the set F of rows at a kink and the slopes s_i of the others, which are ends of intervals. Its equations
    give all slopes and θ = Σ β_i [x_i 1]. Then the prox  s_i + c_i z_i ↦ (s_i, whether i ∈ F)  of every row is the next
    guess. The certificate is computed when few rows change.
    """
    guesses, progress = Guesses(objective), Progress(objective.design.n_rows)
    guess, n_iter = guesses.first(start), 0
    best = Best(objective.at(start), guess.slopes, np.inf, 0)
    while n_iter < min(MAX_GUESSES, max_iter):
        if objective.design.intercept and not guess.at_kink.any():
            break  # the intercept follows from the rows at a kink
        n_iter += 1
        guess, point = guesses.solve(guess, progress.tolerance)
        if trace:
            trace(point)
        update = guesses.update(guess, point)
        moved = ~update.at_kink & (update.slopes != guess.slopes)
        corrected = int(np.count_nonzero((update.at_kink != guess.at_kink) | moved))  # rows
        if corrected <= CERTIFIED_SHARE * objective.design.n_rows:
            for candidate in (point, guesses.stretched(guess, point)):
                certificate = certify(candidate, update.slopes)
                if certificate < best.certificate:
                    best = Best(candidate, update.slopes, certificate, 0)
                if certificate <= tol:
                    break
        if best.certificate <= tol or progress.ends(corrected, guesses.equations.exact):
            break
        guess = update
    return best._replace(n_iter=n_iter)


class Guesses:
    """The guesses for one objective, each from the scores and slopes of the last."""

    def __init__(self, objective: Objective):
        self.objective, self.loss, self.y = objective, objective.loss, objective.y
        self.equations = equations_of(objective)
        self.scale = self.loss.scale(self.y)
        self.reach = (
            REACH_SHARE * objective.strength / (objective.weights * self.equations.diagonal)
        )

    def first(self, start: Array) -> Guess:
        return self._guess(*values_at_start(self.objective, start, self.reach))

    def solve(self, guess: Guess, tolerance: float) -> tuple[Guess, Point]:
        """The guess with the slopes that solve its equations, and their point."""
        rows, tolerance = np.flatnonzero(guess.at_kink), tolerance * self.scale
        slopes, theta = self.equations.solve(rows, guess.kinks, guess.slopes, tolerance)
        return guess._replace(slopes=slopes), self.objective.at(theta)

    def update(self, guess: Guess, point: Point) -> Guess:
        """The next guess, by the prox of every row; one at another kink has the slope between the two first."""
        new = self._guess(guess.slopes + self.reach * point.scores, self.reach)
        far = np.abs(new.kinks - guess.kinks) > KINK_TOLERANCE * self.scale
        leaps = new.at_kink & guess.at_kink & far
        if leaps.any():
            between = (new.kinks + guess.kinks) / 2
            new.slopes[leaps] = self.loss.slopes(self.y, between)[leaps]
            new.at_kink[leaps] = False
        return new

    def stretched(self, guess: Guess, point: Point) -> Point:
        """The point times the least factor ≥ 1 that brings each row at a kink to the score it should have.

        If a slack costs 1/strength, scores that miss a kink by rounding would cost more than this.
        """
        wanted = guess.kinks + guess.slopes / self.loss.smoothness
        far = guess.at_kink & (wanted != 0)
        short = (wanted - point.scores)[far] / wanted[far]
        return point.toward(point.theta, point.scores)(max(float(short.max(initial=0)), 0.0))

    def _guess(self, v: Array, reach: float | Array) -> Guess:
        slopes, at_kink = self.loss.nearest_slopes(self.y, v, reach)
        return Guess(slopes, at_kink, (v - slopes) / reach - slopes / self.loss.smoothness)


class Progress:
    """Whether guesses still improve, and how accurately their equations must be solved."""

    def __init__(self, n_rows: int):
        self.fewest = self.last = n_rows  # corrected rows
        self.waited, self.tolerance = 0, FIRST_TOLERANCE

    def ends(self, corrected: int, exact: bool) -> bool:
        """A guess repeats itself, or the guesses cycle."""
        if not corrected and (exact or self.tolerance <= LAST_TOLERANCE):
            return True
        if 2 * corrected >= self.last or not corrected:
            self.tolerance = max(self.tolerance / TOLERANCE_RATIO, LAST_TOLERANCE)
        self.waited, self.last = self.waited + 1, corrected
        if corrected <= PROGRESS * self.fewest:
            self.waited, self.fewest = 0, corrected
        return self.waited >= PATIENCE


def values_at_start(objective: Objective, start: Array, reach: Array) -> tuple[Array, Any]:
    """(v, c) whose prox is the first guess; without a start, all rows of a margin loss are at the kink."""
    scale = objective.loss.scale(objective.y)
    if not start.any():
        return np.zeros_like(reach), np.minimum(reach, 0.5 / scale)
    point = objective.at(start)
    if objective.loss.piecewise_linear:
        near = START_REACH / scale
        return objective.loss.middle(objective.y) + near * point.scores, near
    return point.slopes + reach * point.scores, reach
