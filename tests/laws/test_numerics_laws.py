"""Laws of line searches and of BFGS updates."""

import itertools
from dataclasses import dataclass

import numpy as np
import pytest
from cases import each
from numpy.testing import assert_allclose

from linclass import LinearRegression, LogisticRegression
from linclass.base.design_matrix import DesignMatrix
from linclass.base.numerics import (
    ARMIJO,
    CURVATURE,
    Inverse,
    backtrack,
    backtrack_predicted,
    decreased,
    minimize_along,
    wolfe,
)
from linclass.linear.losses.probit import Probit
from linclass.linear.objective.coordinates import Units
from linclass.linear.objective.objective import Objective
from linclass.linear.solvers.quasi_newton import Secants


@dataclass
class Log:
    """φ(t) = ln cosh(θ), whose Newton step −sinh θ cosh θ overshoots beyond |θ| = 1.09."""

    theta: float

    @property
    def value(self):
        return float(np.logaddexp(self.theta, -self.theta) - np.log(2))

    @property
    def gradient(self):
        return np.tanh([self.theta])


@each("theta", [0.3, 1.5, -2.0, 5.0])
def test_backtracking_takes_the_first_step_of_sufficient_decrease(theta):
    old, step = Log(theta), -np.sinh(theta) * np.cosh(theta)
    slope = float(old.gradient[0] * step)
    new, t = backtrack(old, lambda t: Log(theta + t * step), slope)
    assert new.theta == theta + t * step
    assert np.log2(t) == round(np.log2(t))
    assert new.value <= old.value + ARMIJO * t * slope
    if t < 1:
        assert Log(theta + 2 * t * step).value > old.value + ARMIJO * 2 * t * slope


def test_without_a_decrease_the_point_itself_remains():
    old = Log(1.0)
    assert backtrack_predicted(old, lambda t: (Log(1.0 + t), t)) is old
    assert backtrack_predicted(old, lambda t: (Log(1.0 - t), t)).theta == 0


def test_a_decrease_is_sufficient_from_armijos_share_of_the_predicted_one_on():
    """To rounding; NaN and infinity do not count as a decrease."""
    for new, enough in [(1 - 1.01 * ARMIJO, True), (1 - 0.99 * ARMIJO, False), (1.0, False)]:
        assert decreased(new, 1.0, -1.0) == enough
    assert not decreased(np.nan, 1.0, -1.0)
    assert not decreased(np.inf, 1.0, -1.0)


@each("first", [1e-4, 1.0, 1e4])
def test_a_wolfe_step_decreases_and_flattens(first):
    old, s = Log(3.0), np.array([-1.0])
    new = wolfe(old, lambda t: Log(3.0 - t), s, first)
    slope, t = float(old.gradient @ s), 3.0 - new.theta
    assert decreased(new.value, old.value, t * slope)
    assert new.gradient @ s >= CURVATURE * slope


@each("kinks", [[0.1], [0.2, 0.21, 0.7], [0.9]])
def test_the_exact_search_finds_the_minimum_of_a_piecewise_quadratic_function(kinks):
    """φ = −t + ½ Σ cᵢ (t − kᵢ)₊²."""
    k, c = np.array(kinks), np.array([30.0, 5.0, 8.0][: len(kinks)])

    @dataclass
    class Piecewise:
        t: float

        @property
        def value(self):
            return float(-self.t + 0.5 * c @ np.maximum(self.t - k, 0) ** 2)

    def derivatives(new, t):
        return float(-1 + c @ np.maximum(t - k, 0)), float(c @ (t > k))

    new, t = minimize_along(Piecewise(0.0), Piecewise(1.0), Piecewise, -1.0, derivatives)
    assert new.t == t
    assert abs(derivatives(new, t)[0]) <= 0.1
    assert new.value < 0


# BFGS's inverse maps the last change of the gradient to that of θ, and stays symmetric and positive definite


@each("units", [None, Units(np.array([9.0, 0, 1, -2]), np.array([1e-3, 1, 5, 1e4]))])
@each("own", [None, lambda g: 3.0 * g])
def test_the_inverse_explains_the_last_change(own, units):
    rng = np.random.default_rng(0)
    X, y = rng.standard_normal((200, 4)), rng.choice([-1.0, 1.0], size=200)
    P, secants = Objective(DesignMatrix(X), Probit(), y), Secants(inverse=own, units=units)
    path = [P.at(0.3 * rng.standard_normal(5)) for _ in range(5)]
    for old, new in itertools.pairwise(path):
        secants.add(old, new)
        s, y = new.theta - old.theta, new.gradient - old.gradient
        assert_allclose(secants.times(y), s, rtol=1e-12)


@each("penalty", ["l2", None])
@each("classes", [2, 3])
def test_limited_memory_ends_where_newton_does_in_any_units(classes, penalty):
    rng = np.random.default_rng(2)
    y = np.arange(150) % classes
    X = rng.standard_normal((150, 4)) + 0.5 * y[:, None]
    for Z in (X * np.array([1e-4, 1, 1e3, 1e5]), X + np.array([1e3, 0, -1e5, 10])):
        ends = [
            LogisticRegression(solver=solver, penalty=penalty, strength=1e-3).fit(Z, y)
            for solver in ("quasi_newton", "newton")
        ]
        assert [model.status_ for model in ends] == ["converged", "converged"]
        assert_allclose(ends[0].objective_, ends[1].objective_, rtol=1e-6)


# Linearly dependent columns: they are reported for any order of the rows, and the coefficients have minimum norm.

pytestmark = pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")


DEPENDENT = {
    "a column for each of ten categories, whose sum is the intercept's, and a number": lambda rng: np.column_stack(
        [rng.integers(0, 10, 100)[:, None] == np.arange(10), rng.standard_normal(100)]
    ),
    "as many columns as rows, which with an intercept is one too many": lambda rng: rng.standard_normal((20, 20)),
    "a sum": lambda rng: rng.standard_normal((100, 10)) @ np.column_stack([np.eye(10), np.ones(10)]),
}  # fmt: skip


@each("columns", DEPENDENT)
def test_dependent_columns_are_reported_and_get_the_minimum_norm_solution(columns):
    for seed in range(20):
        rng = np.random.default_rng(seed)
        X = DEPENDENT[columns](rng)
        y = X @ rng.standard_normal(X.shape[1]) + rng.standard_normal(len(X))
        model = LinearRegression().fit(X, y)
        least = np.linalg.lstsq(X - X.mean(axis=0), y - y.mean(), rcond=1e-10)[0]
        assert model.status_ == "rank_deficient"
        assert_allclose(model.coef_, least, atol=1e-7 * np.abs(least).max())


def test_nearly_dependent_columns_in_different_units_have_full_rank():
    for seed in range(20):
        rng = np.random.default_rng(seed)
        X = rng.standard_normal((100, 10))
        X[:, 9] = X[:, :9].sum(axis=1) + 1e-5 * X[:, 9]
        X *= 10.0 ** rng.uniform(-6, 6, 10)
        assert Inverse(X.T @ X).rank is None
