"""Newton's method for piecewise quadratic losses, whose ℓ″ is 0 or a constant:

    (strength·I + level·Σ_F w_i x_i x_iᵀ) Δ = −∇P,   F the rows with ℓ″ ≠ 0

If no row leaves its parabola over a full step, the step ends at the exact minimum, but for rounding. F alone does not
tell: a loss may have two pieces of one curvature, as the ε-insensitive one on both sides of its tube. Steps that do not
decrease the objective enough are shortened. If K = XXᵀ is small, block pivoting
(linclass/linear/solvers/block_pivoting.py) comes first: `SolverAfterReductions` is the base class of all solvers of
losses with kinks.
Mangasarian (2002), Optim. Methods and Software 17; Keerthi & DeCoste (2005), JMLR 6
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from scipy.linalg import lapack

from linclass.base.arrays import EPS, Array, diagonal
from linclass.base.documentation import documented
from linclass.base.numerics import (
    conjugate_gradients,
    conjugate_gradients_of_shifts,
    decreased,
    length,
    minimize_along,
)
from linclass.linear.objective.certificate import certify, relative_gap
from linclass.linear.objective.coordinates import centred, equal_factors
from linclass.linear.objective.objective import Objective, Point
from linclass.linear.solvers.base import CentringSolver, Solution, Trace
from linclass.linear.solvers.block_pivoting import forms_gram, pivot
from linclass.linear.solvers.starts import by_bisection

# The equations  (strength·I + Σ_F h_i x_i x_iᵀ) Δ = −g  when only rows F have curvature, h_i = w_i ℓ″_i.
#
# There are three solvers, for three shapes: a Hessian over features that is updated as rows enter and leave F; the
# Gram matrix of F (Woodbury), which is all that a kernel has; and conjugate gradients. Each returns the step and its
# scores. The intercept has no penalty; if no row has curvature, it gets a small one, and the line search does the rest.

HELD_INVERSE_STEP = 1e-3  # inverse step of an intercept without curvature, in units of the loss
ROUNDED_PUSH = 1e-14  # relative to the intercept's gradient, which is a mean of slopes
MAX_HESSIAN_WIDTH = 1000  # features up to which a dense Hessian is kept
ROW_SYSTEM_RATIO = 2  # features for each row of F, above which their Gram matrix costs less


class NewtonSystem:
    """Newton's equations at the points of one objective."""

    exact: ClassVar[bool] = True  # the step solves the equations up to rounding

    def __init__(self, objective: Objective):
        self.design, self.weights = objective.design, objective.weights
        self.strength = objective.strength

    def step(self, point: Point) -> tuple[Array, Array]:
        """The step Δ and its scores."""
        raise NotImplementedError


class RowSystem(NewtonSystem):
    """Newton's equations over the rows F, by Woodbury's identity:  with v_i = h_i x_i·Δ, λ the strength, g = ∇P,

        Δ = −(g + Σ_F v_i x_i)/λ,   (K_FF/λ + diag(1/h)) v = δb·1 − (X g)_F/λ,   Σ_F v_i = −g_b,

    where X has no constant column and the last equation determines the step δb of the intercept.
    """

    def step(self, point: Point) -> tuple[Array, Array]:
        design, d = self.design, self.design.n_features
        F = np.flatnonzero(point.curvatures)
        h = self.weights[F] * point.curvatures[F]
        g = point.gradient
        slope = g.copy()
        slope[d:] = 0
        if design.is_kernel:  # rows that keep their slopes keep their coefficients
            slope[np.abs(slope) <= 4 * EPS * self.strength * np.abs(point.theta)] = 0
        q = design.scores(slope)
        M = design.products_among(F)
        M /= self.strength
        diagonal(M)[...] += 1 / h
        right = np.column_stack([-q[F] / self.strength, np.ones(len(F))])
        left = lapack.dposv(M, right, lower=1, overwrite_a=1)[1] if len(F) else right
        v, delta = left[:, 0], 0.0
        if design.intercept:
            held = left[:, 1].sum()
            delta = -(g[d] + v.sum()) / (held + hold(held, point))
            v = v + delta * left[:, 1]
        step = -(slope + design.combine(F, v)) / self.strength
        step[d:] = delta
        # not the difference of the two parts, which are 1/strength as large
        return step, design.scores(step)


class FeatureSystem(RowSystem):
    """H = strength·I + level·S,  S = Σ_F w_i x_i x_iᵀ, updated by the rows that entered or left F.

    Where F is small, its Gram matrix is solved instead.
    """

    def __init__(self, objective: Objective):
        super().__init__(objective)
        self.held: Array | None = None
        self.S = np.zeros((self.design.width, self.design.width))

    def step(self, point: Point) -> tuple[Array, Array]:
        curved = point.curvatures > 0
        if ROW_SYSTEM_RATIO * np.count_nonzero(curved) < self.design.width:
            return super().step(point)
        changed = np.flatnonzero(curved if self.held is None else curved != self.held)
        if self.held is not None and 2 * len(changed) > np.count_nonzero(curved):
            self.S[:] = 0
            changed = np.flatnonzero(curved)
        for sign in (1, -1):
            rows = changed[curved[changed] == (sign > 0)]
            if len(rows):
                self.design.add_gram(self.S, rows, self.weights[rows], sign)
        self.held = curved
        H = float(point.curvatures.max()) * self.S
        own, d = diagonal(H), self.design.n_features
        own[:d] += self.strength
        if self.design.intercept:
            own[d] += hold(own[d], point)
        step = lapack.dposv(H, -point.gradient, lower=1)[1]
        return step, self.design.scores(step)


class ProductSystem(NewtonSystem):
    """H Δ = −g with a residual of a tenth of g, by products with the rows."""

    exact = False
    forcing = 0.1

    def step(self, point: Point) -> tuple[Array, Array]:
        design, g = self.design, point.gradient
        h = self.weights * point.curvatures
        own = np.full(len(g), self.strength)
        own[design.n_features :] = hold(h.sum(), point)

        def times(p: Array) -> tuple[Array, Array]:
            Xp = design.scores(p)
            return design.pull(h * Xp) + own * p, Xp

        step, along, _ = conjugate_gradients(times, -g, self.forcing * length(g))
        return step, np.zeros(design.n_rows) if along is None else along


def hold(given: float, point: Point) -> float:
    """Curvature to add for the intercept: negligible if rows have curvature. Otherwise it is so small that the
    step passes every kink, among which the line search then chooses.
    """
    level = float(point.curvatures.max()) or 1.0
    if given > 1e-9 * level:
        return 1e-12 * level
    objective = point.objective
    push = abs(float(point.gradient[objective.design.n_features :].sum()))
    return (
        HELD_INVERSE_STEP
        * (push if push > ROUNDED_PUSH else level)
        / objective.loss.scale(objective.y)
    )


def newton_system(objective: Objective) -> NewtonSystem:
    """The cheapest for the shapes of X and theta."""
    design = objective.design
    if design.is_kernel:
        return RowSystem(objective)
    if design.width <= MAX_HESSIAN_WIDTH:
        few = 2 * design.n_rows < design.width  # fewer rows than features near the end of a round
        return RowSystem(objective) if few else FeatureSystem(objective)
    return RowSystem(objective) if forms_gram(design) else ProductSystem(objective)


# Reductions before the steps of a solver of a nonsmooth loss: divide columns by the roots of their factors in the
# penalty; centre the rows; merge equal rows and try block pivoting, if K = XXᵀ is small; otherwise start from a fit to
# a subset of the rows. Afterwards the result of the solver's own steps is compared with the intercept alone.
#
# A start for losses with kinks:  argmin (1/Σw) Σ w_i ½‖z_i − t_i‖²/scale + strength·½‖W‖².
#
# The targets t are y, or 2(e_y − 1/K) for K scores. Where the strength is so large that all scores are near 0, the
# slopes −t are about those of the loss; where it is small, most scores end near a kink. One system of equations
# replaces the first steps from 0, which are short.

MIN_UNEXPLAINED = 0.1  # share of a kernel, for a piecewise linear loss
MAX_START_WIDTH = 1000  # features up to which a dense matrix of them is formed


def least_squares_start(objective: Objective) -> Array | None:
    """A start from least squares; None for a kernel, for many features, or for numerically singular equations."""
    design, d = objective.design, objective.design.n_features
    if design.is_kernel or design.width > MAX_START_WIDTH:
        return None
    targets = y = objective.y
    if len(objective.shape) > 1:
        K = objective.shape[0]
        targets = np.full((K, len(y)), -2 / K)
        targets[y, np.arange(len(y))] += 2
    level = objective.weights / objective.loss.scale(objective.y)
    H = design.gram(level)
    diagonal(H)[:d] += objective.strength
    _, theta, info = lapack.dposv(H, design.pull(level * targets).T, lower=1)
    return None if info else np.ascontiguousarray(theta.T)


def suits(objective: Objective) -> bool:
    """A kernel, or no more rows than features: then K is small, and seldom singular.

    The rows at a kink of a piecewise linear loss are no more than the rank of K, and guesses of more rows cycle.
    """
    design = objective.design
    if design.is_kernel:
        if design.n_rows != design.n_features:
            return False
        smooth = not objective.loss.piecewise_linear
        return smooth or design.unexplained >= MIN_UNEXPLAINED  # type: ignore[attr-defined]
    return design.n_rows <= design.n_features


@dataclass(frozen=True)
class SolverAfterReductions(CentringSolver):
    """Base of such solvers, which define `descend`."""

    def solve(self, objective: Objective, start: Array, trace: Trace | None = None) -> Solution:
        if (unit := equal_factors(objective)) is not None:
            return self.in_other_coordinates(unit, self.solve, objective, start, trace)
        return super().solve(objective, start, trace)

    def centres_first(self, objective: Objective) -> bool:
        return True

    def minimize(self, objective: Objective, start: Array, trace: Trace | None = None) -> Solution:
        if not suits(objective):
            return self.solve_by_steps(objective, start, trace)
        if objective.merged is None:
            return self.solve_by_pivoting(objective, start, trace)
        fewer, place = objective.merged
        fewer = fewer.with_strength(objective.strength)
        solution = self.solve_by_pivoting(fewer, start, trace)
        if solution.slopes is not None:
            solution.slopes = solution.slopes[place]
        if solution.scores is not None:
            solution.scores = solution.scores[place]
        return solution

    def solve_by_pivoting(
        self, objective: Objective, start: Array, trace: Trace | None
    ) -> Solution:
        """The solution by block pivoting; if its guesses cycle, by steps from the best of them."""
        best = pivot(objective, start, self.tol, self.max_steps, trace)
        point, slopes, certificate, n_iter = best
        if certificate > self.tol and n_iter < self.max_steps:
            return self.solve_by_steps(objective, point.theta, trace, n_iter)
        return Solution.at(point, certificate, self.tol, n_iter, slopes=slopes, scores=point.scores)

    def solve_by_steps(
        self, objective: Objective, start: Array, trace: Trace | None, n_iter: int = 0
    ) -> Solution:
        """The solution by the solver's own steps, or the intercept alone if its objective is less."""
        solution = self.descend(objective, self.start_from_subset(objective, start), trace, n_iter)
        if solution.certificate <= self.tol:
            return solution
        alone = by_bisection(objective)
        if alone.value >= solution.objective:
            return solution
        certificate = certify(alone)
        return Solution.at(
            alone, certificate, self.tol, solution.n_iter, slopes=alone.slopes, scores=alone.scores
        )

    def descend(
        self, objective: Objective, start: Array, trace: Trace | None, n_iter: int
    ) -> Solution:
        """The solver's own steps from a start, after n_iter steps of block pivoting."""
        raise NotImplementedError


# Newton's method for piecewise quadratic losses

SAME_SLOPES = 1e-12  # difference of equal slopes, relative to their terms
NEAR_DECREASE = 0.1  # relative to √tol: the next decrease will be about the square of this one
MAX_ROUNDS = 3  # of steps
GAP_SHARE = 0.01  # share of `tol`, at which the systems of a path of ridge regression are solved
MAX_PRODUCTS = 2000  # for all of them


@documented
@dataclass(frozen=True)
class FiniteNewton(SolverAfterReductions):
    """Newton's method for piecewise quadratic losses with an L2 penalty."""

    needs: ClassVar[str] = "piecewise-quadratic"
    takes: ClassVar[str] = "l2"

    def path(
        self, objective: Objective, strengths: Iterable[float], start: Array
    ) -> list[Solution]:
        """The solutions; for a quadratic loss on many sparse rows all at once, and fits from those that miss `tol`."""
        strengths = np.array([*strengths])
        if not (is_ridge_by_products(objective) and len(strengths) > 1):
            return super().path(objective, strengths.tolist(), start)
        solutions = []
        for strength, (theta, slopes) in zip(
            strengths.tolist(), ridge_path(objective, strengths, self.tol), strict=True
        ):
            P = objective.with_strength(strength)
            point = P.at(theta)
            certificate = certify(point, slopes)
            done = Solution.at(point, certificate, self.tol, 1, slopes=slopes, scores=point.scores)
            solutions.append(done if done.converged else self.solve(P, theta))
        return solutions

    def descend(
        self, objective: Objective, start: Array, trace: Trace | None, n_iter: int
    ) -> Solution:
        """Rounds of steps. Scores within a round are sums of steps, so they miss Xθ by rounding errors; the certificate
        is that of θ alone, and the next round begins with its scores.
        """

        def near(old: Point, new: Point, exact: bool) -> bool:
            if trace:
                trace(new)
            decrease = relative_gap(objective, old.value - new.value, new.value)
            small = decrease <= NEAR_DECREASE * self.tol**0.5
            return exact or (small and certify(new) <= self.tol)

        point, system = objective.at(start), newton_system(objective)
        for _ in range(MAX_ROUNDS):
            point, steps = minimize(point, system, near, max_iter=self.max_steps - n_iter)
            n_iter, slopes = n_iter + steps, point.slopes
            point = objective.at(point.theta)
            certificate = certify(point, slopes)
            if certificate > self.tol and (of_theta := certify(point)) < certificate:
                certificate, slopes = of_theta, point.slopes
            if certificate <= self.tol or n_iter == self.max_steps:
                break
        return Solution.at(point, certificate, self.tol, n_iter, slopes=slopes, scores=point.scores)


def is_ridge_by_products(objective: Objective) -> bool:
    """Whether a path is one of least squares with the plain L2 penalty, of rows whose Gram matrix is not formed."""
    return (
        objective.loss.quadratic
        and len(objective.shape) == 1
        and objective.uniform
        and suits(objective)
        and not forms_gram(objective.design)
        and centred(objective) is None
    )


def ridge_path(objective: Objective, strengths: Array, tol: float) -> Iterator[tuple[Array, Array]]:
    """(theta, slopes) at each strength, by the systems of the rows, which differ by a multiple of I alone:

        (A Aᵀ + λI) q = Π√w y,   A = Π√w X,   W = Aᵀq,   √w s = −λ q,

    where Π = I − √w√wᵀ centres the rows if there is an intercept. The duality gap is ½‖ρ‖² for a residual ρ, and the
    objective is ½ λ q·Π√w y at the minimum.
    """
    rows, w = objective.design.without_intercept(), objective.weights
    intercept, roots = objective.design.intercept, np.sqrt(w)
    slopes = objective.at(objective.zero()).slopes

    def centred_rows(v: Array) -> Array:
        return v - (roots @ v) * roots if intercept else v

    def times(p: Array) -> Array:
        return centred_rows(roots * rows.scores(rows.pull(roots * p)))

    def enough(which: Array, q: Array, square: Array) -> Array:
        return square <= GAP_SHARE * tol * strengths[which] * (q @ b)

    b = centred_rows(-roots * slopes)
    found = conjugate_gradients_of_shifts(times, b, strengths, enough, most=MAX_PRODUCTS)
    for strength, q in zip(strengths, found, strict=True):
        theta = rows.pull(roots * q)
        if intercept:
            theta = np.append(theta, -(w @ (slopes + rows.scores(theta))))
        yield theta, np.divide(-strength * q, roots, out=np.zeros_like(q), where=roots > 0)


def minimize(
    point: Point, system: NewtonSystem, near: Callable[[Point, Point, bool], bool], max_iter: int
) -> tuple[Point, int]:
    """Newton steps until near(old, new, exact); `exact` if no row left its parabola over a full step.

    If no row has curvature, the step of the intercept is not Newton's (`newton_system.hold`).
    """
    intercept = point.objective.design.intercept
    for n_iter in range(1, max_iter + 1):  # noqa: B007
        step, along = system.step(point)
        old = point
        point, t = descend_exactly(old, step, along)
        exact = system.exact and t == 1 and is_same_parabola(old, point, along)
        if exact and intercept and not point.curvatures.any():
            pushes = point.gradient[..., point.objective.design.n_features :]
            exact = float(np.abs(pushes).max()) <= 1e-14
        if near(old, point, exact):
            break
    return point, n_iter


def is_same_parabola(old: Point, new: Point, along: Array) -> bool:
    """Whether the slopes of all rows are those of the parabolas they had before the step with scores `along`."""
    curvatures, curve = old.curvatures, old.objective.loss.curve
    if (new.curvatures != curvatures).any():
        return False
    moved = curve(curvatures, along)
    off = np.abs(new.slopes - old.slopes - moved).max()
    size = np.abs(new.slopes).max() + np.abs(moved).max()
    size += np.abs(curve(curvatures, new.scores)).max()
    return bool(off <= SAME_SLOPES * size)


def descend_exactly(point: Point, step: Array, along: Array) -> tuple[Point, float]:
    """t = 1 if that decreases the objective enough, else near the minimum on the line; `along` are the scores of
    the step, so that evaluations need vectors over the rows only.
    """
    objective = point.objective
    inner, evaluate = objective.design.inner, point.toward(step, along)
    # a long step of the intercept alone
    adrift = objective.design.intercept and not point.curvatures.any()
    slope, new = inner(point.gradient, step, along), evaluate(1.0)
    if not adrift and decreased(new.value, point.value, slope):
        return new, 1.0

    weighted, of_weights = along * objective.weights, step.copy()
    of_weights[objective.design.n_features :] = 0
    bend = objective.strength * inner(of_weights, step, along)
    rest = slope - float(np.vdot(point.slopes, weighted))  # of φ′(0), by all but the losses

    def derivatives(new: Point, t: float) -> tuple[float, float]:
        rise = rest + t * bend + float(np.vdot(new.slopes, weighted))
        turn = objective.loss.curve(new.curvatures, along)
        return rise, bend + float(np.vdot(turn, weighted))

    return minimize_along(point, new, evaluate, slope, derivatives)
