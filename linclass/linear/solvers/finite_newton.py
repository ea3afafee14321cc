"""Newton's method for piecewise quadratic losses, whose ℓ″ is 0 or a constant:

    (strength·I + level·Σ_F w_i x_i x_iᵀ) Δ = −∇P,   F the rows with ℓ″ ≠ 0

If no row leaves its parabola over a full step, the step ends at the exact minimum, and the slopes there are a dual
point that certifies it without another pass over the rows, unless rounding errors may matter (`may_hide`). F alone does
not tell: a loss may have two pieces of one curvature, as the ε-insensitive one on both sides of its tube. Steps that
do not decrease the objective enough are shortened. If K = XXᵀ is small, block pivoting
(linclass/linear/solvers/block_pivoting.py) comes first.
Mangasarian (2002), Optim. Methods and Software 17; Keerthi & DeCoste (2005), JMLR 6
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from linclass.base.arrays import EPS, Array
from linclass.base.documentation import documented
from linclass.base.numerics import conjugate_gradients_of_shifts, decreased, minimize_along
from linclass.linear.objective.certificate import (
    certify,
    gap_from_conjugates,
    l2_part,
    relative_gap,
)
from linclass.linear.objective.coordinates import centred
from linclass.linear.objective.objective import Objective, Point
from linclass.linear.solvers import block_pivoting
from linclass.linear.solvers.base import Solution, Trace
from linclass.linear.solvers.newton_system import NewtonSystem, newton_system
from linclass.linear.solvers.reductions import SolverAfterReductions

SAME_SLOPES = 1e-12  # of a slope, relative to what it is computed from
NEAR_DECREASE = 0.1  # of √tol: the next decrease will be about the square of this one
MAX_ROUNDS = 3  # of steps, each from the scores of the last, if rounding errors hide the optimum
SCORE_ROUNDING = 8 * EPS  # rounding error of a score, relative to its terms, after some steps
ROWS_LOOKED_AT = 2000  # rows by which the sizes of the terms are judged
GAP_SHARE = 0.01  # of `tol`, at which the systems of a path of ridge regression are solved
MAX_PRODUCTS = 2000  # for all of them


@documented
@dataclass(frozen=True)
class FiniteNewton(SolverAfterReductions):
    """Newton's method for piecewise quadratic losses with an L2 penalty.

    Parameters
    ----------
    max_iter : int or None, default=None
        Limit on the number of iterations. None is 100.
    """

    needs: ClassVar[str] = "piecewise-quadratic"
    takes: ClassVar[str] = "l2"
    stackable: ClassVar[bool] = True

    def path(
        self, objective: Objective, strengths: Iterable[float], start: Array
    ) -> list[Solution]:
        """Those of many sparse rows and a quadratic loss at once; each that is not accurate enough is a start."""
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
        certificate, largest = np.inf, np.abs(start)

        def near(old: Point, new: Point, exact: bool) -> bool:
            nonlocal certificate
            np.maximum(largest, np.abs(new.theta), out=largest)
            if trace:
                trace(new)
            if exact:
                certificate = of_parabola(objective, new)
            elif decrease(old, new) <= NEAR_DECREASE * self.tol**0.5:
                certificate = certify(new)
            return certificate <= self.tol

        point, system, slopes = objective.at(start), newton_system(objective), None
        for _ in range(MAX_ROUNDS):
            point, steps = minimize(point, system, near, max_iter=self.max_steps - n_iter)
            n_iter, slopes = n_iter + steps, point.slopes
            if certificate > self.tol or not may_hide(objective, point, largest, self.tol):
                break
            point = objective.at(point.theta)
            duals = {certify(point, s): s for s in (slopes, point.slopes)}
            certificate = min(duals)
            slopes = duals[certificate]
            if certificate <= self.tol or n_iter == self.max_steps:
                break
        if certificate == np.inf:
            certificate = certify(point)
        return Solution.at(point, certificate, self.tol, n_iter, slopes=slopes, scores=point.scores)


def is_ridge_by_products(objective: Objective) -> bool:
    """Whether a path is one of least squares with the plain L2 penalty, of rows whose Gram matrix is not formed."""
    return (
        objective.loss.quadratic
        and len(objective.shape) == 1
        and objective.uniform
        and block_pivoting.suits(objective)
        and not block_pivoting.forms_gram(objective.design)
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
    sizes = (np.abs(of).max() for of in (new.slopes, moved, curve(curvatures, new.scores)))
    return bool(off <= SAME_SLOPES * sum(sizes))


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

    weighted = along * objective.weights
    bend = objective.strength * inner(objective.without_intercept(step), step, along)
    rest = slope - float(np.vdot(point.slopes, weighted))  # of φ′(0), by all but the losses

    def derivatives(new: Point, t: float) -> tuple[float, float]:
        rise = rest + t * bend + float(np.vdot(new.slopes, weighted))
        turn = objective.loss.curve(new.curvatures, along)
        return rise, bend + float(np.vdot(turn, weighted))

    return minimize_along(point, new, evaluate, slope, derivatives)


def decrease(old: Point, new: Point) -> float:
    return relative_gap(new.objective, old.value - new.value, new.value)


def of_parabola(objective: Objective, point: Point) -> float:
    """Relative gap for the slopes of a point where ∇P = 0, so that −Xᵀ(w s)/strength is W itself."""
    unbalanced = abs(float(objective.weights @ point.slopes)) if objective.design.intercept else 0.0
    if unbalanced > 1e-14:
        return certify(point)
    conjugates = objective.loss.conjugates(objective.y, point.slopes)
    gap = gap_from_conjugates(point, conjugates, objective.weight_part(point.theta))
    return relative_gap(objective, gap, point.value)


def may_hide(objective: Objective, point: Point, largest: Array, tol: float) -> bool:
    """Whether rounding errors may hide a tenth of `tol` from a certificate that makes no pass over the rows.

    Scores that are sums of steps miss Xθ by about e = SCORE_ROUNDING·Σ_j ‖x_j‖ max|θ_j|, over all steps. That changes
    P by up to e·‖s‖ and the gradient by up to ℓ″ e ‖x_j‖, as much as the rounding errors of the equations do. Columns
    of very different scales make e large. Of a kernel these norms are not known."""
    if objective.design.is_kernel:
        return True
    rows = slice(None, None, max(1, objective.design.n_rows // ROWS_LOOKED_AT))
    norms = objective.take(rows).column_norms
    e = SCORE_ROUNDING * float((np.abs(largest) @ norms).sum())
    steepness = float(np.sqrt((point.slopes**2 @ objective.weights).sum()))
    gradient = float(point.curvatures.max()) * e * norms[: objective.design.n_features]
    gap = e * steepness + float(l2_part(gradient, objective.strength))
    return relative_gap(objective, gap, point.value) > tol / 10
