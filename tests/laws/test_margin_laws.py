"""Laws of the solvers for nonsmooth losses on random shapes: the gap is a valid bound and tends to zero."""

import numpy as np
import pytest
from cases import each
from numpy.testing import assert_allclose
from scipy import sparse

from linclass.base.design_matrix import DesignMatrix
from linclass.base.parts import find, names
from linclass.linear.losses.base import MarginLoss
from linclass.linear.losses.margin import Hinge
from linclass.linear.objective.certificate import duality_gap
from linclass.linear.objective.objective import Objective
from linclass.linear.penalties.entrywise import L2
from linclass.linear.solvers import finite_newton
from linclass.linear.solvers.augmented_lagrangian import SemismoothNewton

STRAIGHT = [n for n in names("losses") if find("losses", n).piecewise_linear]
PIECES = [n for n in names("losses") if find("losses", n).piecewise_quadratic]


def objective(loss, n, d, strength, seed=0, thin=False):
    rng = np.random.default_rng(seed)
    X = rng.standard_normal((n, d))
    X = np.where(np.abs(X) > 1, X, 0) if thin else X
    z = X @ rng.standard_normal(d) + 2 * rng.standard_normal(n)
    y = np.where(z > 0, 1.0, -1.0) if issubclass(find("losses", loss), MarginLoss) else z
    design = DesignMatrix(sparse.csr_array(X) if thin else X)
    return Objective(design, find("losses", loss)(), y, rng.uniform(0.1, 2, n), L2(), strength)


@each("thin", [False, True])
@each("strength", [1e3, 1.0, 1e-2, 1e-4])
@each("shape", [(2, 1), (30, 2), (200, 5), (40, 60)])
@each("loss", [*STRAIGHT, *PIECES])
def test_the_gap_goes_to_zero_for_every_shape_and_strength(loss, shape, strength, thin):
    P = objective(loss, *shape, strength, thin=thin)
    name = "semismooth_newton" if loss in STRAIGHT else "finite_newton"
    solution = find("solvers", name)(tol=1e-9).solve(P, P.zero())
    assert solution.converged
    assert solution.slopes is not None
    gap = duality_gap(P.at(solution.theta), solution.slopes) / abs(solution.objective)
    assert 0 <= gap <= 1e-9


@each("offset", [2.0**17, 2.0**30])
@each("loss", [*STRAIGHT, *PIECES])
def test_shifting_the_rows_changes_only_the_intercept(loss, offset):
    """Moved by a power of 2, rows of few binary digits are the same rows exactly."""
    near = objective(loss, 200, 4, 1e-3)
    X = np.round(near.design.X * 1024) / 1024
    solver = find("solvers", "semismooth_newton" if loss in STRAIGHT else "finite_newton")(1e-9)
    here, there = [
        solver.solve(
            Objective(DesignMatrix(X + c), near.loss, near.y, None, L2(), 1e-3), np.zeros(5)
        )
        for c in (0, offset)
    ]
    assert there.converged
    assert here.objective == pytest.approx(there.objective, rel=2e-9)


@each("seed", range(20, 32))
def test_the_minimum_for_distant_classes_is_found(seed):
    """Their hulls are nearly as far apart as their means, so the least objective is tiny, and found."""
    rng = np.random.default_rng(seed)
    y = rng.integers(0, 2, 80)
    X = rng.standard_normal((80, 5))
    X[:, 0] += 20 * y
    P = Objective(
        DesignMatrix(X + 5 * rng.standard_normal(5)), Hinge(), 2.0 * y - 1, None, L2(), 1e-3
    )
    solution = SemismoothNewton().solve(P, P.zero())
    assert solution.converged
    apart = X[y == 1, 0].min() - X[y == 0, 0].max()  # the margin is at least half of that
    assert solution.objective <= 1e-3 / 2 / (apart / 2) ** 2


@each("loss", [*STRAIGHT, *PIECES])
def test_a_fit_that_did_not_converge_is_not_worse_than_the_best_constant(loss):
    P = objective(loss, 300, 4, 1e-6, thin=True)
    P = Objective(DesignMatrix(P.design.X + sparse.csr_array(np.full((300, 4), 1e6))), *parts_of(P))
    name = "semismooth_newton" if loss in STRAIGHT else "finite_newton"
    solution = find("solvers", name)(max_iter=1).solve(P, P.zero())
    constants = [P.at(np.r_[np.zeros(4), b]).value for b in np.r_[P.y, np.linspace(-9, 9, 99)]]
    assert solution.objective <= min(constants) * (1 + 1e-12)


def parts_of(P):
    """All but the rows."""
    return P.loss, P.y, P.weights, P.penalty, P.strength


@each("loss", STRAIGHT)
def test_shortcuts_give_the_same_minimum(loss):
    """20,000 rows: a start from few, rounds on those that may move."""
    P = objective(loss, 20_000, 3, 1e-3)
    solution = SemismoothNewton(tol=1e-10).solve(P, P.zero())
    assert solution.converged
    gap = duality_gap(P.at(solution.theta), solution.slopes)
    assert gap <= 1e-10 * solution.objective


@pytest.mark.parametrize("system", ["FeatureSystem", "RowSystem", "ProductSystem"])
def test_all_systems_lead_to_the_same_optimum(system, monkeypatch):
    P = objective("hinge", 60, 4, 0.01)
    expected = SemismoothNewton(tol=1e-11).solve(P, P.zero())
    chosen = getattr(finite_newton, system)
    monkeypatch.setattr("linclass.linear.solvers.augmented_lagrangian.newton_system", chosen)
    found = SemismoothNewton(tol=1e-11).solve(P, P.zero())
    assert_allclose(found.theta, expected.theta, atol=1e-6)


@each("strength", [1e-3, 1.0, 1e4])
@each("n", [60, 3000])
def test_a_class_of_one_row_is_given_up_and_certified(n, strength):
    """The other class takes the constant −1, so the least loss is at most 2/n; no row need be at a
    kink on the way, where only the intercept moves."""
    rng = np.random.default_rng(0)
    y = np.where(np.arange(n) == 3, 1.0, -1.0)
    P = Objective(DesignMatrix(rng.standard_normal((n, 5))), Hinge(), y, None, L2(), strength)
    solution = SemismoothNewton().solve(P, P.zero())
    assert solution.converged
    assert solution.objective <= 2 / n * (1 + 1e-6)


def test_a_strength_below_rounding_errors_ends_rounds_instead_of_repeating_steps():
    """Rows times 10³⁰ are a strength of 10⁻⁶³: gradients are rounding errors, and no step lowers them."""
    P = objective("hinge", 200, 3, 1e-3)
    huge = Objective(DesignMatrix(P.design.X * 1e30), P.loss, P.y, P.weights, L2(), 1e-3)
    solution = find("solvers", "semismooth_newton")().solve(huge, huge.zero())
    assert solution.n_iter < 100
    assert solution.converged == (solution.certificate <= 1e-6)
