"""Theorems that tie solvers, losses and classifiers together."""

import numpy as np
import pytest
from cases import each
from numpy.testing import assert_allclose
from scipy import sparse

from linclass import LinearRegression, LogisticRegression, Perceptron
from linclass.linear.solvers.irls import Irls
from linclass.linear.solvers.newton import Newton

pytestmark = pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")


def overlapping(n=120, classes=2):
    rng = np.random.default_rng(11)
    y = np.arange(n) % classes
    return rng.standard_normal((n, 3)) + 0.8 * rng.standard_normal((classes, 3))[y], y


def test_keslers_perceptron_of_two_classes_is_the_perceptron():
    """With K = 3, one class never seen apart, w_1 − w_0 would be the binary weight; here K = 3 holds
    Kesler's bound: 2 R²/γ² mistakes on data whose classes lie in three directions."""
    rng = np.random.default_rng(0)
    centres = 6 * np.array([[1, 0], [-0.5, 0.9], [-0.5, -0.9]])
    y = np.arange(90) % 3
    X = centres[y] + rng.standard_normal((90, 2))
    model = Perceptron(fit_intercept=False).fit(X, y)
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
    model = LinearRegression(fit_intercept=intercept)
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
            model = LogisticRegression(penalty=penalty, solver=solver, tol=1e-9).fit(X, y)
            assert_allclose(model.coef_.sum(axis=0), 0, atol=1e-9)
            assert_allclose(model.intercept_.sum(), 0, atol=1e-9)


@each("classes", [2, 3])
def test_quasi_complete_separation_is_reported(classes):
    """One feature is zero but for rows that are all of the last class; the rest overlap."""
    X, y = overlapping(classes=classes)
    X = np.column_stack([X, (y == classes - 1) & (np.arange(len(y)) % 4 == 1)])
    for solver in ("auto", "newton_cg", "quasi_newton"):
        model = LogisticRegression(penalty=None, solver=solver).fit(X, y)
        assert model.status_ == "separable"
        D = np.atleast_2d(model.separating_direction_)
        Z = X @ D.T + model.separating_intercept_
        if classes == 2:
            margins = (2 * y - 1) * Z[:, 0]
        else:
            own = Z[np.arange(len(y)), y]
            margins = own - np.where(np.eye(classes, dtype=bool)[y], -np.inf, Z).max(axis=1)
        assert margins.min() > -1e-9
        assert Z.ptp() > 0.1 if hasattr(Z, "ptp") else np.ptp(Z) > 0.1


def test_distance_projection_and_coordinate_belong_together():
    X, y = overlapping()
    model = LogisticRegression().fit(X, y)
    normal, offset = model.boundary()
    assert_allclose(np.linalg.norm(normal), 1)
    assert_allclose(model.decision_function(model.project(X)), 0, atol=1e-12)
    assert_allclose(X - model.project(X), np.outer(model.signed_distance(X), normal), atol=1e-12)
    assert_allclose(model.signed_distance(X), model.coordinate(X) + offset)
    assert_allclose(model.signed_distance(sparse.csr_array(X)), model.signed_distance(X))
    assert ((model.signed_distance(X) > 0) == (model.predict(X) == 1)).all()


def test_classes_have_a_boundary_for_each_pair():
    X, y = overlapping(classes=3)
    model = LogisticRegression().fit(X, y)
    on = model.project(X, pair=(0, 2))
    Z = model.decision_function(on)
    assert_allclose(Z[:, 0], Z[:, 2], atol=1e-12)
    with pytest.raises(ValueError, match="pair="):
        model.boundary()
    for pair in (1, (0, 0), (0, 3), (0, 1, 2)):
        with pytest.raises(ValueError, match="give the numbers of two classes, from 0 to 2"):
            model.boundary(pair=pair)


def test_the_perceptron_separates_rows_sorted_by_class():
    """Ten passes over rows sorted by class: in that order the last word is always the last class's."""
    rng = np.random.default_rng(0)
    y = np.repeat([0, 1], 200)
    X = rng.standard_normal((400, 2)) + 2.0 * y[:, None]
    fair = 0.9  # Bayes: Φ(√2) = 0.92
    assert Perceptron(max_iter=10).fit(X, y).score(X, y) > fair - 0.05
    first, again = (Perceptron(max_iter=10).fit(X, y).coef_ for _ in range(2))
    assert (first == again).all()


@each("solver", [{"newton": {}}, Newton(), {"irls": {}}, Irls()], ids=str)
def test_a_solver_is_the_same_by_name_by_options_or_as_an_object(solver):
    """Without a penalty the features, not the K scores, decide whether the optimum is unique."""
    X, y = overlapping(classes=3)
    named = LogisticRegression(penalty=None, solver="newton").fit(X, y)
    given = LogisticRegression(penalty=None, solver=solver).fit(X, y)
    assert (given.status_, given.reason_) == (named.status_, named.reason_) == ("converged", "")
    assert_allclose(given.coef_, named.coef_, rtol=1e-4)
