"""Margin losses and machines of several classes: equal problems and known solutions."""

import numpy as np
import pytest
from cases import each
from margins import overlapping, separable
from numpy.testing import assert_allclose, assert_array_equal
from scipy.optimize import minimize
from sklearn.base import clone
from sklearn.exceptions import ConvergenceWarning

from linclass import LinearClassifier, LinearSVM, LogisticRegression, TunedClassifier
from linclass.base.design_matrix import DesignMatrix
from linclass.base.messages import NotApplicable
from linclass.linear.losses.multiclass import CrammerSinger
from linclass.linear.losses.regression import Huber
from linclass.linear.objective.objective import Objective
from linclass.linear.penalties.entrywise import L2
from linclass.linear.solvers import multipliers
from linclass.linear.solvers.augmented_lagrangian import AugmentedLagrangian
from linclass.linear.solvers.multipliers import Multipliers

# Theorems of margins: optimality conditions row by row, and equivalent fits

EXACT = 1e-11


def quadratic_program(X, y):
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
    """1 and 2 are separable, but not through the origin: 2·1 = 1·2."""
    X, y = overlapping()
    with pytest.raises(NotApplicable, match="no hyperplane separates") as caught:
        LinearSVM(hard_margin=True).fit(X, y)
    weights = caught.value.weights  # type: ignore[attr-defined]
    assert (weights >= 0).all()
    for k in (0, 1):
        assert_allclose(weights[y == k].sum(), 1, rtol=1e-9)
    first, second = (weights[y == k] @ X[y == k] for k in (0, 1))
    assert_allclose(first, second, atol=1e-8)
    with pytest.raises(NotApplicable, match="through the origin") as caught:
        LinearSVM(hard_margin=True, fit_intercept=False).fit([[1.0], [2.0]], [0, 1])
    weights = caught.value.weights  # type: ignore[attr-defined]
    np.testing.assert_allclose(weights / weights[1], [2, 1])
    assert "convex" not in str(caught.value)
    with pytest.raises(NotApplicable, match="no hyperplane separates"):
        LinearSVM(hard_margin=True).fit(np.full((4, 1), 0.1), [0, 1, 1, 1])


@each("near", [1e-7, 1e-8, 1e-9, 1e-11])
@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
def test_a_hard_margin_near_degeneracy_ends(near):
    rng = np.random.default_rng(3)
    here = np.c_[rng.random((5, 3)), np.zeros(5)]
    X = np.r_[here, here + np.c_[np.zeros((5, 3)), near * (1 + rng.random(5))]]
    model = LinearSVM(hard_margin=True).fit(X, np.repeat([0, 1], 5))
    assert (model.predict(X) == np.repeat([0, 1], 5)).all()
    assert model.n_iter_ <= 1000


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
        {"hard_margin": True, "solver": "stochastic_gradient"},
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


# The Crammer–Singer loss and its solver: two classes are the hinge loss, every gap is a bound


def rows(K, n=80, d=4):
    rng = np.random.default_rng(K)
    y = np.arange(n) % K
    return rng.normal(size=(n, d)) + 1.2 * rng.normal(size=(K, d))[y], y


@pytest.mark.parametrize("n", [200, 3000])
def test_the_minimum_depends_on_neither_solver_nor_start(monkeypatch, n):
    """3000 rows start from a fit to some of them, unless there is a start."""
    X, y = rows(4, n=n, d=5)
    P = Objective(DesignMatrix(X), CrammerSinger(4), y, None, L2(), 0.02)
    found = [Multipliers(tol=1e-8).solve(P, P.zero()), Multipliers(tol=1e-8).solve(P, P.zero() + 1)]
    monkeypatch.setattr(multipliers, "MAX_HESSIAN", 0)  # by conjugate gradients
    found.append(Multipliers(tol=1e-8).solve(P, P.zero()))
    found.append(AugmentedLagrangian(tol=1e-8).solve(P, P.zero()))
    assert all(solution.converged for solution in found)
    np.testing.assert_allclose([s.objective for s in found], found[0].objective, rtol=2e-8)


def test_overlapping_classes_converge_at_a_small_strength():
    rng = np.random.default_rng(
        7
    )  # of seeds 0 to 11, the one where rounds end far from the minimum
    y = rng.integers(10, size=2000)
    X = rng.normal(size=(2000, 10)) + rng.normal(size=(10, 10))[y]
    model = LinearClassifier(loss="crammer_singer", strength=5e-5).fit(X, y)
    assert model.status_ == "converged"


@each("seed", range(4))
def test_intercepts_converge_with_uninformative_features(seed):
    rng = np.random.default_rng(seed)
    y = np.append(np.arange(5), rng.integers(5, size=3))
    X = 0.01 * rng.normal(size=(8, 8))
    model = LinearClassifier(loss="crammer_singer", strength=0.4, tol=1e-4).fit(X, y)
    assert model.status_ == "converged"
    assert model.n_iter_ <= 200


@each("max_iter", [1, 2, 5])
def test_a_fit_that_is_cut_off_is_not_above_weights_of_0(max_iter):
    X, y = np.random.default_rng(4).normal(size=(60, 8)), np.arange(60) % 4
    own = {"strength": 1e-4, "fit_intercept": False, "max_iter": max_iter}
    with pytest.warns(ConvergenceWarning):
        model = LinearClassifier(loss="crammer_singer", **own).fit(X, y)
    assert model.n_iter_ == max_iter
    assert model.objective_ <= 1 + 1e-12


@each("strength", [1e-3, 1e-2])
def test_wide_separable_rows_converge(strength):
    rng = np.random.default_rng(4)
    centres, y = 0.1 * rng.normal(size=(3, 400)), rng.integers(0, 3, 60)
    X = centres[y] + rng.normal(size=(60, 400))
    model = LinearClassifier(loss="crammer_singer", strength=strength).fit(X, y)
    assert model.status_ == "converged"


# Losses with options: a name, {name: options} or the loss itself; their limits are other losses

Y = np.arange(60) % 2
X = np.random.default_rng(0).standard_normal((60, 3)) + Y[:, None]
HALF = {"huber": {"delta": 0.5}}


@each("K", [2, 3])
def test_the_loss_itself_is_its_name_with_options(K):
    y = np.arange(60) % K
    by_name, itself = LinearClassifier(loss=HALF), LinearClassifier(loss=Huber(0.5))
    assert_array_equal(by_name.fit(X, y).coef_, itself.fit(X, y).coef_)
    assert_array_equal(by_name.coef_, clone(itself).fit(X, y).coef_)
    assert not np.allclose(by_name.coef_, LinearClassifier(loss="huber").fit(X, y).coef_)
    assert repr(itself) == "LinearClassifier(loss=Huber(delta=0.5))"
    assert by_name.parts() == itself.parts()
    likely = LinearClassifier(loss={"logistic": {}}).fit(X, y)
    assert_array_equal(likely.predict_proba(X), LogisticRegression().fit(X, y).predict_proba(X))


def test_options_of_losses_are_tuned_and_fitted_together():
    losses = [{"huber": {"delta": delta}} for delta in (1.2, 3.0)]
    grid = {"loss": losses}
    model = TunedClassifier(LinearClassifier(), strengths=[0.1, 1.0], param_grid=grid, cv=2).fit(
        X, Y
    )
    assert model.best_params_["loss"] in losses
    held_out = [np.arange(20), np.arange(20, 40)]
    options = [{"loss": loss, "strength": s} for loss in (*losses, Huber(2.0)) for s in (0.01, 0.1)]
    for fold, rows in zip(
        LinearClassifier().fit_many(X, Y, held_out, options), held_out, strict=True
    ):
        kept = np.setdiff1d(np.arange(60), rows)
        for fit, option in zip(fold, options, strict=True):
            alone = LinearClassifier(**option).fit(X[kept], Y[kept])
            assert fit.objective_ == pytest.approx(alone.objective_, rel=1e-5)
