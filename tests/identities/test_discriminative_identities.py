"""Theorems that tie solvers, losses and classifiers together, and the first step of Newton's method."""

import numpy as np
import pytest
from cases import each
from numpy.testing import assert_allclose
from scipy import sparse
from scipy.special import ndtr

import linclass as L
from linclass.base.design_matrix import DesignMatrix
from linclass.linear.losses.margin import Logistic
from linclass.linear.losses.probit import Probit
from linclass.linear.objective.objective import Objective
from linclass.linear.solvers.irls import Irls
from linclass.linear.solvers.newton import Newton, lengthened

pytestmark = pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")


def overlapping(n=120, classes=2):
    rng = np.random.default_rng(11)
    y = np.arange(n) % classes
    return rng.standard_normal((n, 3)) + 0.8 * rng.standard_normal((classes, 3))[y], y


def test_the_perceptron_of_three_classes_keeps_keslers_bound():
    """Its bound: 2 R²/γ² mistakes on data whose classes lie in three directions."""
    rng = np.random.default_rng(0)
    centres = 6 * np.array([[1, 0], [-0.5, 0.9], [-0.5, -0.9]])
    y = np.arange(90) % 3
    X = centres[y] + rng.standard_normal((90, 2))
    model = L.Perceptron(fit_intercept=False).fit(X, y)
    assert model.status_ == "converged"
    assert_allclose(model.coef_.sum(axis=0), 0, atol=1e-12)
    W = centres / np.linalg.norm(centres)
    Z = X @ W.T
    rivals = np.where(np.eye(3, dtype=bool)[y], -np.inf, Z)
    gamma = (Z[np.arange(90), y] - rivals.max(axis=1)).min()
    assert gamma > 0
    assert model.n_mistakes_ <= 2 * (np.linalg.norm(X, axis=1).max() / gamma) ** 2


def _equal_rows(X):
    X[3], X[7] = X[5], 2 * X[1]


def _a_row_without_entries(X):
    X[4] = 0


def _half_of_the_rows_again(X):
    X[len(X) // 2 :] = X[: len(X) - len(X) // 2]


def _few_different_rows(X):
    X[:] = X[:6].repeat([8, 5, 3, 2, 1, 1], axis=0)


def _far_off(X):
    X += 1e4


def _a_constant_column(X):
    X[:, 2] = 7


@each("as_sparse", [False, True])
@each("intercept", [False, True])
@each("change", [
    _equal_rows,
    _a_row_without_entries,
    _half_of_the_rows_again,
    _few_different_rows,
    _far_off,
    _a_constant_column,
])  # fmt: skip
def test_more_features_than_rows_have_the_pseudo_inverses_least_squares(
    change, intercept, as_sparse
):
    """w = (Ω^½ X_c)⁺ Ω^½ (y − ȳ), by the singular values of the weighted centred rows."""
    rng = np.random.default_rng(2)
    X, y, weights = rng.standard_normal((20, 31)), rng.standard_normal(20), rng.uniform(0.5, 2, 20)
    change(X)
    model = L.LinearRegression(fit_intercept=intercept)
    model.fit(sparse.csr_array(X) if as_sparse else X, y, sample_weight=weights)
    mean, level = (np.average(a, axis=0, weights=weights) * intercept for a in (X, y))
    root = np.sqrt(weights)
    w = np.linalg.pinv((X - mean) * root[:, None], rcond=1e-10) @ ((y - level) * root)
    assert model.solver_ == "least_squares"
    assert_allclose(model.coef_, w, atol=1e-10 * np.abs(w).max(), rtol=1e-8)
    assert_allclose(model.intercept_, level - mean @ w, atol=1e-5 if change is _far_off else 1e-10)
    rank = np.linalg.matrix_rank(np.column_stack([X, np.ones((20, int(intercept)))]))
    if model.status_ == "rank_deficient":
        assert f"rank {rank}" in model.reason_
    else:  # fitted to rounding, which columns far from 0 make visible
        assert change is _far_off
        assert as_sparse or not intercept  # so that rows are not centred


def test_the_softmax_rows_sum_to_zero_penalized_or_not():
    X, y = overlapping(classes=3)
    for penalty in ("l2", None):
        for solver in ("auto", "newton", "newton_cg", "quasi_newton"):
            model = L.LogisticRegression(penalty=penalty, solver=solver, tol=1e-9).fit(X, y)
            assert_allclose(model.coef_.sum(axis=0), 0, atol=1e-9)
            assert_allclose(model.intercept_.sum(), 0, atol=1e-9)


def test_distance_projection_and_coordinate_belong_together():
    X, y = overlapping()
    model = L.LogisticRegression().fit(X, y)
    normal, offset = model.boundary()
    assert_allclose(np.linalg.norm(normal), 1)
    assert_allclose(model.decision_function(model.project(X)), 0, atol=1e-12)
    assert_allclose(X - model.project(X), np.outer(model.signed_distance(X), normal), atol=1e-12)
    assert_allclose(model.signed_distance(X), model.coordinate(X) + offset)
    assert_allclose(model.signed_distance(sparse.csr_array(X)), model.signed_distance(X))
    assert ((model.signed_distance(X) > 0) == (model.predict(X) == 1)).all()


def test_classes_have_a_boundary_for_each_pair():
    X, y = overlapping(classes=3)
    model = L.LogisticRegression().fit(X, y)
    on = model.project(X, pair=(0, 2))
    Z = model.decision_function(on)
    assert_allclose(Z[:, 0], Z[:, 2], atol=1e-12)
    with pytest.raises(ValueError, match="pair="):
        model.boundary()


def test_the_perceptron_separates_rows_sorted_by_class():
    """Ten passes over rows sorted by class: in that order the last word is always the last class's."""
    rng = np.random.default_rng(0)
    y = np.repeat([0, 1], 200)
    X = rng.standard_normal((400, 2)) + 2.0 * y[:, None]
    fair = 0.9  # Bayes: Φ(√2) = 0.92
    assert L.Perceptron(max_iter=10).fit(X, y).score(X, y) > fair - 0.05
    first, again = (L.Perceptron(max_iter=10).fit(X, y).coef_ for _ in range(2))
    assert (first == again).all()


@each("solver", [{"newton": {}}, Newton(), {"irls": {}}, Irls()], ids=str)
def test_a_solver_is_the_same_by_name_by_options_or_as_an_object(solver):
    """Without a penalty the features, not the K scores, decide whether the optimum is unique."""
    X, y = overlapping(classes=3)
    named = L.LogisticRegression(penalty=None, solver="newton").fit(X, y)
    given = L.LogisticRegression(penalty=None, solver=solver).fit(X, y)
    assert (given.status_, given.reason_) == (named.status_, named.reason_) == ("converged", "")
    assert_allclose(given.coef_, named.coef_, rtol=1e-4)


def rows(n, share=0.3):
    rng = np.random.default_rng(n)
    y = np.where(rng.random(n) < share, 1.0, -1.0)
    mixing = np.eye(4) + 0.5 * np.tri(4)
    X = rng.standard_normal((n, 4)) @ mixing + 0.4 * y[:, None] + 3
    return X, y, rng.exponential(size=n)


def newton_step(P):
    point = P.at_with_hessian(P.zero())
    return -np.linalg.solve(point.hessian, point.gradient)


def first(P):
    return lengthened(P.at_with_hessian(P.zero()), newton_step(P))


@each("n", [60, 3000])
def test_the_first_step_of_logistic_regression_is_linear_discriminant_analysis(n):
    """Least squares has the direction of linear discriminant analysis on any data; Haggstrom (1983) has the length."""
    X, y, w = rows(n)
    theta = first(Objective(DesignMatrix(X), Logistic(), y, w))
    model = L.LinearDiscriminantAnalysis(ddof=0).fit(X, y, w)
    assert_allclose(theta, np.append(model.coef_, model.intercept_), rtol=1e-9)


@each(("centre", "spread"), [(0.0, 0.5), (0.8, 1.0), (-1.5, 2.0)])
def test_the_first_step_of_probit_regression_finds_a_normal_score(centre, spread):
    """One feature z ~ N(centre, spread²) and P(1 | z) = Φ(z), by quadrature: the coefficients are 1 and 0."""
    nodes, mass = np.polynomial.hermite_e.hermegauss(200)
    z = centre + spread * nodes
    X, y = np.r_[z, z][:, None], np.r_[np.ones(200), -np.ones(200)]
    w = np.r_[mass * ndtr(z), mass * ndtr(-z)]
    theta = first(Objective(DesignMatrix(X[w > 0]), Probit(), y[w > 0], w[w > 0]))
    assert_allclose(theta, [1, 0], atol=1e-9)


@each("model", [L.LogisticRegression, L.ProbitRegression])
def test_a_kept_hessian_leaves_all_digits_of_standard_errors(model):
    """The last steps of an unpenalized fit share a Hessian; the errors are those of a much smaller tolerance."""
    X, y, _ = rows(3000)
    usual, close = (model(penalty=None, tol=tol).fit(X, y) for tol in (1e-6, 1e-10))
    assert_allclose(usual.coef_, close.coef_, rtol=1e-8)
    errors = (m.summary().table.std_error for m in (usual, close))
    assert_allclose(*errors, rtol=1e-8)


@each("penalty", ["l2", None])
@each("kind", [L.LogisticRegression, L.ProbitRegression])
def test_a_class_of_tiny_weight_does_not_overshoot_the_optimum(kind, penalty):
    """Least squares explains only rounding errors of such a y; quasi-Newton steps give the optimum."""
    strength = {"strength": 0.05} if penalty else {}
    for seed in range(10):
        rng = np.random.default_rng(seed)
        X, y = rng.integers(0, 4, (60, 3)) * 1.0, (rng.random(60) < 0.3) * 1
        weights = np.where(y == 1, 1e-9, 1.0) * rng.random(60)
        fits = [
            kind(penalty=penalty, solver=solver, **strength).fit(X, y, sample_weight=weights)
            for solver in ("newton", "quasi_newton")
        ]
        assert {fit.status_ for fit in fits} == {"converged"}
        assert_allclose(fits[0].intercept_, fits[1].intercept_, rtol=1e-3)


@each("strength", [1e-6, 1e-4])
@each(("rare", "positive"), [(10, 5), (10, 10), (5, 4)])
def test_a_rare_category_that_predicts_a_rare_class_is_fitted(rare, positive, strength):
    """The longer first step has scores so large there that no curvature is left; the optimum is that of L-BFGS."""
    X, y = np.zeros((1000, 1)), np.zeros(1000)
    X[:rare], y[:positive], y[-1] = 1, 1, 1
    X = (X - X.mean()) / X.std()
    newton, other = (
        L.LogisticRegression(strength=strength, solver=name, tol=1e-8).fit(X, y)
        for name in ("newton", "quasi_newton")
    )
    assert newton.status_ == other.status_ == "converged"
    assert_allclose(newton.objective_, other.objective_, rtol=1e-6)
