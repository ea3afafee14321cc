"""Theorems of margins: optimality conditions row by row, and equivalent fits."""

from __future__ import annotations

import numpy as np
import pytest
from cases import each
from margins import overlapping, separable
from numpy.testing import assert_allclose
from scipy.optimize import minimize

from linclass import LinearClassifier, LinearSVM
from linclass.base.messages import NotApplicable

EXACT = 1e-11


def quadratic_program(X: np.ndarray, y: np.ndarray) -> np.ndarray:
    """min ½‖w‖² with y (w·x + b) ≥ 1 by a general solver, from a feasible start: (w, b)."""
    Z = np.column_stack([X, np.ones(len(X))]) * (2 * y - 1)[:, None]
    start = np.linalg.lstsq(Z, np.ones(len(Z)), rcond=None)[0]
    found = minimize(
        lambda v: 0.5 * v[:-1] @ v[:-1],
        start / max((Z @ start).min(), 1e-3),
        jac=lambda v: np.append(v[:-1], 0),
        constraints={"type": "ineq", "fun": lambda v: Z @ v - 1, "jac": lambda v: Z},
        method="SLSQP",
        options={"ftol": 1e-14, "maxiter": 1000},
    )
    assert found.success
    return found.x


def test_the_hard_margin_is_that_of_an_independent_quadratic_program():
    X, y = separable()
    model = LinearSVM(hard_margin=True, tol=1e-12).fit(X, y)
    expected = quadratic_program(X, y)
    assert_allclose(model.coef_[0], expected[:-1], rtol=1e-6)
    assert_allclose(model.intercept_, expected[-1:], rtol=1e-6)
    assert_allclose(model.margin_, 1 / np.linalg.norm(expected[:-1]), rtol=1e-7)
    assert set(model.roles_) == {"beyond", "on margin"}


def test_a_weak_enough_penalty_gives_the_hard_margin():
    X, y = separable()
    hard = LinearSVM(hard_margin=True, tol=1e-12).fit(X, y)
    C = 2 * hard.dual_variables_.max()  # no dual variable is at its limit
    soft = LinearSVM(strength=1 / (len(y) * C), tol=EXACT).fit(X, y)
    assert_allclose(soft.coef_, hard.coef_, rtol=1e-8)
    assert_allclose(LinearSVM(strength=0.0, tol=1e-12).fit(X, y).coef_, hard.coef_)


def test_inseparable_classes_are_refused_with_a_proof():
    X, y = overlapping()
    with pytest.raises(NotApplicable, match="no hyperplane separates") as caught:
        LinearSVM(hard_margin=True).fit(X, y)
    weights = caught.value.weights  # type: ignore[attr-defined]
    assert (weights >= 0).all()
    for k in (0, 1):
        assert_allclose(weights[y == k].sum(), 1, rtol=1e-9)
    first, second = (weights[y == k] @ X[y == k] for k in (0, 1))
    assert_allclose(first, second, atol=1e-8)


def test_a_proof_of_inseparability_without_an_intercept_balances_sums_and_not_means():
    """1 and 2 are separable, but not through the origin: 2·1 = 1·2."""
    with pytest.raises(NotApplicable, match="through the origin") as caught:
        LinearSVM(hard_margin=True, fit_intercept=False).fit([[1.0], [2.0]], [0, 1])
    weights = caught.value.weights  # type: ignore[attr-defined]
    np.testing.assert_allclose(weights / weights[1], [2, 1])
    assert "convex" not in str(caught.value)


@each("near", [1e-8, 1e-10, 1e-12, 1e-14])
@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
def test_classes_that_nearly_touch_are_not_refused(near):
    """Both lie on lines at that distance, so the largest margin is half of it."""
    X, y = np.array([[0, 0], [1, 0], [0, near], [1, near]]), np.array([0, 0, 1, 1])
    model = LinearSVM(hard_margin=True).fit(X, y)
    assert (model.predict(X) == y).all()
    assert model.margin_ == pytest.approx(near / 2, rel=1e-6)


@each("near", [1e-7, 1e-8, 1e-9, 1e-11])
@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
def test_a_hard_margin_near_degeneracy_ends(near):
    rng = np.random.default_rng(3)
    here = np.c_[rng.random((5, 3)), np.zeros(5)]
    X = np.r_[here, here + np.c_[np.zeros((5, 3)), near * (1 + rng.random(5))]]
    model = LinearSVM(hard_margin=True).fit(X, np.repeat([0, 1], 5))
    assert (model.predict(X) == np.repeat([0, 1], 5)).all()
    assert model.n_iter_ <= 1000


def test_equal_rows_of_two_classes_are_refused_without_a_warning():
    with pytest.raises(NotApplicable, match="no hyperplane separates"):
        LinearSVM(hard_margin=True).fit(np.full((4, 1), 0.1), [0, 1, 1, 1])


@each("C", [0.01, 1.0, 100.0])
def test_the_conditions_of_the_optimum_hold_row_by_row_with_their_roles(C):
    X, y = overlapping()
    model = LinearSVM(strength=1 / (len(y) * C), tol=EXACT).fit(X, y)
    assert_allclose(model.C_, C)
    t, alpha = 2 * y - 1, model.dual_variables_
    assert_allclose((alpha * t) @ X, model.coef_[0], atol=1e-8 * C)
    assert_allclose(alpha @ t, 0, atol=1e-8 * C)
    m = t * model.decision_function(X)
    assert_allclose(model.slacks_, np.maximum(1 - m, 0), atol=1e-9)
    primal = 0.5 * np.sum(model.coef_**2) + C * model.slacks_.sum()
    dual = alpha.sum() - 0.5 * np.sum(((alpha * t) @ X) ** 2)
    assert_allclose(primal, dual, rtol=1e-8)
    conditions = {
        "beyond": (alpha == 0) & (m > 1),
        "on margin": np.abs(m - 1) < 1e-4,
        "inside": (alpha > (1 - 1e-6) * C) & (m > 0) & (m < 1),
        "on boundary": (alpha > (1 - 1e-6) * C) & (np.abs(m) < 1e-6),
        "misclassified": (alpha > (1 - 1e-6) * C) & (m < 0),
    }
    for role, condition in conditions.items():
        assert condition[model.roles_ == role].all(), role
    assert {"beyond", "on margin", "misclassified"} <= set(model.roles_) or C == 0.01
    assert (model.support_ == np.flatnonzero(alpha)).all()
    assert (model.support_vectors_ == X[model.support_]).all()


def test_a_row_on_the_boundary_has_that_role():
    """Mirrored rows put the boundary at 0, and a heavy penalty leaves every row inside."""
    X = np.array([[-2.0], [-1], [0], [0], [1], [2]])
    model = LinearSVM(strength=10.0, tol=1e-13).fit(X, [0, 0, 0, 1, 1, 1])
    assert model.roles_.tolist() == ["inside"] * 2 + ["on boundary"] * 2 + ["inside"] * 2


def test_more_classes_are_as_many_machines_against_the_rest():
    rng = np.random.default_rng(0)
    X = rng.standard_normal((90, 3))
    y = X[:, :3].argmax(axis=1)
    model = LinearSVM(strength=0.01, tol=EXACT).fit(X, y)
    assert model.roles_.shape == model.dual_variables_.shape == (3, 90)
    for k in range(3):
        alone = LinearSVM(strength=0.01, tol=EXACT).fit(X, y == k)
        assert_allclose(model.coef_[k], alone.coef_[0], atol=1e-6)
        assert_allclose(model.margin_[k], alone.margin_, rtol=1e-8)
        assert (model.roles_[k] == alone.roles_).all()


def test_invalid_parameters_of_the_linear_svm_are_refused():
    for params in [
        {"loss": "logistic"},
        {"hard_margin": True, "solver": "pegasos"},
        {"strength": -1.0},
        {"solver": "newton_cg"},
    ]:
        with pytest.raises(ValueError, match=r"\w") as caught:
            LinearSVM(**params).check()
        assert "\n" not in str(caught.value)
    with pytest.raises(ValueError, match="needs penalty='l2'"):
        LinearClassifier(loss="hinge", penalty=None, solver="semismooth_newton").check()
    with pytest.raises(ValueError, match="no path"):
        LinearSVM(hard_margin=True).path(*overlapping(), [1.0])
