"""Laws of duality gaps, and of flat or infinite optima."""

import numpy as np
import pytest
from cases import each
from numpy.testing import assert_allclose
from scipy import sparse

from linclass import LinearClassifier
from linclass.base.design_matrix import DesignMatrix
from linclass.base.parts import find, names
from linclass.linear.losses.regression import Huber
from linclass.linear.objective.certificate import duality_gap
from linclass.linear.objective.objective import Objective
from linclass.linear.penalties.entrywise import L2
from linclass.linear.solvers.finite_newton import FiniteNewton

# Laws of the duality gap: its two forms agree, and 0 is a bound


PIECEWISE_QUADRATIC = sorted(n for n in names("losses") if find("losses", n).piecewise_quadratic)


@each("intercept", [None, 0.1, 5.0])
@each("loss", PIECEWISE_QUADRATIC)
def test_no_certificate_is_below_the_decrease_of_a_gradient_step(loss, intercept):
    """A step of 1/L, L the largest curvature, decreases P by ‖∇P‖²/2L at least: also where a Newton step has moved a
    row from one side of the tube to the other, which has the same curvature."""
    rng, part = np.random.default_rng(0), find("losses", loss)()
    for _ in range(60):
        n = int(rng.integers(4, 40))
        X = rng.integers(-2, 3, (n, 1)) * 1.0
        y = np.where(X[:, 0] + rng.standard_normal(n) * rng.choice([0, 1, 3]) > 0, 1.0, -1.0)
        strength = 10.0 ** rng.uniform(-5, 0)
        penalty, design = L2(intercept=intercept), DesignMatrix(X)
        if intercept is not None:
            penalty, design = penalty.with_intercept(1), design.with_constant_feature()
        P = Objective(design, part, y, None, penalty, strength)
        found = FiniteNewton().solve(P, P.zero())
        point = P.at(found.theta)
        Z = np.column_stack([X, np.ones(n)])
        L = part.smoothness * np.linalg.norm(Z, 2) ** 2 / n + strength * max(1, intercept or 0)
        decrease = float(point.gradient @ point.gradient) / (2 * L)
        assert decrease <= found.certificate * point.value + 1e-15


@each("loss", PIECEWISE_QUADRATIC)
def test_the_objective_of_columns_of_any_scale_is_that_of_the_coefficients(loss):
    """Scores that are sums of steps lose the digits that large columns take; what is certified must be θ."""
    part, converged = find("losses", loss)(), 0
    for seed in range(210, 300):
        rng = np.random.default_rng(seed)
        n, d = int(rng.integers(5, 30)), int(rng.integers(20, 40))
        X = rng.standard_normal((n, d)) * 10.0 ** rng.uniform(-4, 4, d)
        y = np.where(rng.random(n) > 0.5, 1.0, -1.0)
        P = Objective(DesignMatrix(X), part, y, None, L2(), 1e-6)
        found = FiniteNewton().solve(P, P.zero())
        converged += found.converged
        if found.converged:
            assert P.at(found.theta).value <= found.objective * (1 + 1e-6)
    assert converged > 60


def free_feature_that_separates():
    """With weight 1 or more on the first feature every margin is at least 1."""
    rng, y = np.random.default_rng(0), np.arange(12) % 2
    return np.c_[np.where(y, 1, -1) * rng.uniform(1, 3, 12), rng.standard_normal((12, 2))], y


FREE = [(s, p) for s in ("irls", "newton", "newton_cg", "quasi_newton") for p in ("l2",)]
FREE += [(s, p) for s in ("proximal_newton", "proximal_gradient") for p in ("l2", "l1")]


@each(("solver", "penalty"), FREE)
@each("loss", ["squared_hinge", "modified_huber"])
def test_a_perfect_fit_by_features_without_a_penalty_is_certified(loss, solver, penalty):
    """P = 0 is a minimum; there all slopes are rounding errors, which no step can balance."""
    X, y = free_feature_that_separates()
    chosen = {penalty: {"factors": [0, 1, 2]}}
    model = LinearClassifier(loss=loss, penalty=chosen, strength=0.1, solver=solver).fit(X, y)
    assert model.status_ == "converged"
    assert model.objective_ < 1e-20


@pytest.mark.filterwarnings("ignore:LinearClassifier ended separable")
@each(("solver", "penalty"), FREE, quick=4)
@each("loss", ["logistic", "probit"], quick=1)
def test_likelihoods_without_an_optimum_are_not_reported_as_optimal(loss, solver, penalty):
    """However near a fit is to the infimum, which a gap proves, the weight of that feature means nothing."""
    X, y = free_feature_that_separates()
    chosen, options = {penalty: {"factors": [0, 1, 2]}}, {"strength": 0.1, "max_iter": 50}
    model = LinearClassifier(loss=loss, penalty=chosen, solver=solver, **options).fit(X, y)
    assert model.status_ == "separable"
    X = np.c_[[-1.0, -1, 0, 0, 0, 0, 1, 1], [0.3, 1, -1, 0.5, 2, -0.2, 0.1, -0.4]]
    y = [0, 0, 0, 1, 0, 1, 1, 1]
    chosen = {penalty: {"factors": [0, 1]}}
    model = LinearClassifier(loss=loss, penalty=chosen, solver=solver, **options).fit(X, y)
    assert model.status_ == "separable"
    assert_allclose(np.abs(model.separating_direction_), [1, 0], atol=1e-8)


def test_the_gap_covers_a_suboptimal_intercept_if_the_loss_is_linear_in_all_rows():
    """Huber's loss of three equal rows and one other, whose residuals at 0 are all far beyond δ."""
    y = np.array([1.0, 1.0, 1.0, -1.0])
    P = Objective(DesignMatrix(np.zeros((4, 1))), Huber(0.1), y, None, L2(), 1.0)
    at_zero, better = P.at(np.zeros(2)), P.at(np.array([0.0, 0.9]))
    assert duality_gap(at_zero) >= at_zero.value - better.value > 0


# Losses of straight and curved pieces without a penalty: whether the optimum is unique does not depend on rounding

CONTAINERS = each("container", [np.asarray, sparse.csr_array])


@CONTAINERS
@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
def test_a_row_at_the_end_of_a_linear_region_counts_as_linear(container):
    """The rows x = 1 determine w + b = 2/3, that at x = 0 has the margin b = 1, where its parabola ends, or more:
    rounding once decided whether it was curved, and with it the status.
    """
    X, y = np.array([[1.0], [0], [1], [1], [1], [1]]), np.array([0, 1, 1, 1, 1, 0])
    weights = np.array([1, 5, 1e-8, 1e-8, 5, 1e-8])
    model = LinearClassifier(loss="modified_huber", penalty=None)
    model.fit(container(X), y, sample_weight=weights)
    assert model.status_ == "rank_deficient"
    assert model.coef_[0, 0] + model.intercept_[0] == pytest.approx(2 / 3, abs=1e-6)


@CONTAINERS
@each("loss", ["squared_hinge", "modified_huber"])
@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
def test_a_flat_minimum_is_not_laid_to_the_features(loss, container):
    """Every w ≥ 1/4 is optimal with b = 0, and one feature depends on no other."""
    X, y = np.array([[-3.0], [-2], [-1], [1], [2], [3]]), np.array([0, 0, 0, 1, 1, 1])
    model = LinearClassifier(loss=loss, penalty=None).fit(container(4 * X), y)
    assert model.objective_ == pytest.approx(0, abs=1e-12)
    assert model.status_ == "rank_deficient"
    assert "the optimum need not be unique; add a penalty" in model.reason_
    assert "linearly dependent" not in model.reason_
    assert "minimum norm" not in model.reason_
