"""Features far from 0: fits to X + c are fits to X, up to the intercept."""

import numpy as np
import pytest
import scipy.sparse as sp
from cases import each
from numpy.testing import assert_allclose
from scipy import sparse
from sklearn.base import clone

from linclass import (
    BayesianLogisticRegression,
    ExponentialFamilyNB,
    FisherDiscriminant,
    GaussianNB,
    Lasso,
    LinearDiscriminantAnalysis,
    LinearRegression,
    LinearSVM,
    LogisticRegression,
    NearestMean,
    NearestShrunkenCentroids,
    ProbitRegression,
    QuadraticDiscriminantAnalysis,
    RegularizedDiscriminantAnalysis,
)

# Features far from 0: a fit to X + c has the objective and coefficients of the fit to X, with any unpenalized terms


def data(classes):
    rng = np.random.default_rng(0)
    X = np.round(rng.normal(size=(150, 4)) * 256) / 256  # X + c is exact
    return X, (X[:, :3] + rng.gumbel(size=(150, 3)))[:, :classes].argmax(axis=1)


@each("far", [1e3, 1e5, 1e7])
@each("classes", [2, 3])
@each("penalty", [
    None,
    "l2",
    {"l2": {"factors": [0, 1, 1, 2]}},
    {"l2": {"factors": [0, 0, 1, 2]}},
    {"elastic_net": {"factors": [0, 1, 1, 2]}},
])  # fmt: skip
def test_columns_without_a_penalty_are_centred_as_for_the_intercept(penalty, classes, far):
    X, y = data(classes)
    strength = {} if penalty is None else {"strength": 0.01}
    near = LogisticRegression(penalty=penalty, tol=1e-7, **strength).fit(X, y)
    moved = LogisticRegression(penalty=penalty, tol=1e-7, **strength).fit(X + far, y)
    assert moved.status_ == "converged", moved.reason_
    assert moved.certificate_ <= 1e-7
    assert moved.objective_ == pytest.approx(near.objective_, rel=3e-7)
    assert_allclose(moved.coef_, near.coef_, atol=2e-3)
    assert_allclose(moved.predict_proba(X + far), near.predict_proba(X), atol=1e-3)


def test_rank_is_that_of_the_features_and_not_of_their_rounding():
    X, y = data(2)
    for far in (0, 1e7):
        model = ProbitRegression(penalty=None).fit(X + far, y)
        assert model.status_ == "converged"
    with pytest.warns(match="linearly dependent"):
        twice = LogisticRegression(penalty=None).fit(np.column_stack([X, X[:, 0]]) + 1e7, y)
    assert twice.status_ == "rank_deficient"


@each("far", [1e3, 1e5, 3e6, 1e7, 1e8])
@each("classes", [2, 3])
def test_standard_errors_are_those_of_the_rows_near_0(classes, far):
    X, y = data(classes)
    near = LogisticRegression(penalty=None).fit(X, y).summary()
    moved = LogisticRegression(penalty=None).fit(X + far, y).summary()
    weights = ["(Intercept)" not in name for name in near.table.name]
    assert_allclose(moved.table.std_error[weights], near.table.std_error[weights], rtol=1e-5)
    assert_allclose(moved.table.estimate[weights], near.table.estimate[weights], rtol=1e-4)
    assert moved.deviance == pytest.approx(near.deviance, rel=1e-9)
    assert moved.null_deviance == pytest.approx(near.null_deviance, rel=1e-12)


@each("solver", ["newton", "irls", "newton_cg"])
@each("classes", [2, 3])
@each("penalty", [None, "l2"])
def test_methods_of_second_order_find_the_same_minimum(solver, classes, penalty):
    X, y = data(classes)
    model = LogisticRegression(penalty=penalty, solver=solver, max_iter=30, trace=True)
    objective = model.fit(X, y).objective_
    model.fit(X + 1e7, y)
    assert model.status_ == "converged", model.reason_
    assert model.objective_ == pytest.approx(objective, rel=2e-6)
    assert model.trace_[-1]["objective"] == pytest.approx(objective, rel=2e-6)


def test_no_fit_has_converged_because_all_features_nearly_equal_the_intercept():
    """A first-order method does not reach this minimum; the cosine of its slopes with x is small, with x − x̄ large."""
    X, y = data(2)
    model = LogisticRegression(penalty=None, solver="gradient_descent", max_iter=200)
    with pytest.warns(match="gradient_descent stopped"):
        model.fit(X + 1e7, y)
    assert model.certificate_ > 0.1


@each("far", [0, 50, 99, 1e4, 1e6, 1e8])
@each("noise", [0, 1e-9])
@each("solver", ["least_squares", "newton"])
def test_residuals_of_rounding_errors_are_a_converged_fit(solver, noise, far):
    X, _ = data(2)
    y = 2 * X[:, 0] + noise * np.random.default_rng(1).normal(size=len(X))
    model = LinearRegression(solver=solver).fit(X + far, y)
    assert model.status_ == "converged", model.reason_
    assert_allclose(model.coef_, [2, 0, 0, 0], atol=1e-8 + 1e-15 * far)


def test_a_nearly_perfect_fit_is_not_taken_for_one_with_rounding_errors_only():
    """Its residuals are 10⁻⁷ of y, but have digits."""
    X, _ = data(2)
    y = X[:, 0]
    model = LinearRegression(solver={"gradient_descent": {"learning_rate": 0.5}}, max_iter=30)
    with pytest.warns(match="stopped"):
        model.fit(X, y)
    assert model.objective_ < 1e-12 * y.var()
    assert model.certificate_ > 1e-3


def test_a_row_that_dwarfs_all_others_is_fitted_in_a_fold_as_alone():
    X, y = data(2)
    X[7, 0] = 1e9
    folds = [np.arange(k, len(X), 5) for k in range(5)]
    model = LogisticRegression()
    fits = model.fit_many(X, y, folds, [{}, {"strength": 1.0}])
    for held_out, (together, _) in zip(folds, fits, strict=True):
        rest = np.setdiff1d(np.arange(len(X)), held_out)
        alone = LogisticRegression().fit(X[rest], y[rest])
        assert together.status_ == alone.status_ == "converged"
        assert_allclose(together.coef_, alone.coef_, atol=1e-3)


@each("far", [1e3, 1e6, 1e9])
@each("model", [
    LogisticRegression(),
    LogisticRegression(penalty=None),
    LogisticRegression(penalty="l1", strength=1e-3),
    ProbitRegression(),
    LinearSVM(),
    BayesianLogisticRegression(predictive="mode"),
], ids=repr)  # fmt: skip
def test_sparse_rows_with_a_column_far_from_0(model, far):
    X, y = data(2)
    X *= np.abs(X) > 0.5
    near = clone(model).fit(sparse.csr_array(X), y)
    X[:, 2] += far
    moved = clone(model).fit(sparse.csr_array(X), y)
    assert moved.status_ == "converged", moved.reason_
    assert moved.objective_ == pytest.approx(near.objective_, rel=1e-5)
    assert_allclose(moved.coef_, near.coef_, rtol=1e-2, atol=2e-3)


def test_a_constant_sparse_column_far_from_0_carries_no_information():
    X, y = data(2)
    X *= np.abs(X) > 0.5
    near = BayesianLogisticRegression(strength=0.01).fit(sparse.csr_array(X), y)
    wide = sparse.csr_array(np.column_stack([X, np.full(len(X), 0.1 + 1e9)]))
    with_constant = BayesianLogisticRegression(strength=0.01).fit(wide, y)
    assert with_constant.mean_coef_[0, 4] == 0
    assert_allclose(with_constant.mean_coef_[:, :4], near.mean_coef_)


def test_a_lasso_whose_digits_are_lost_stops():
    """The kink is 10⁻¹⁸ of the slopes at 0, below the rounding of any of them."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(50, 700)) * 1e16
    y = X[:, :3].sum(axis=1) / 1e16 + rng.normal(size=50)
    with pytest.warns(match="standardize the features"):
        model = Lasso(strength=0.01).fit(X, y)
    assert model.status_ == "max_iter"
    assert model.n_iter_ < 100
    assert np.isfinite(model.coef_).all()


# Class moments and scores of sparse rows do not depend on how far the rows are from 0


@each("model", [
    GaussianNB(var_smoothing=0),
    GaussianNB(var_smoothing=0, tied=True),
    ExponentialFamilyNB("gaussian"),
    LinearDiscriminantAnalysis(),
    LinearDiscriminantAnalysis(covariance_type="diag"),
    QuadraticDiscriminantAnalysis(),
    RegularizedDiscriminantAnalysis(),
    FisherDiscriminant(),
    NearestMean(),
    NearestShrunkenCentroids(),
], ids=repr)  # fmt: skip
@each("classes", [2, 3])
@each("power", [10, 20, 26])
def test_scores_of_far_sparse_rows_are_those_of_the_rows_near_zero(model, classes, power):
    rng = np.random.default_rng(1)
    codes = rng.integers(0, classes, size=300)
    near = (rng.integers(-64, 65, size=(300, 4)) + 16 * codes[:, None]) / 32  # the shift is exact
    near[:, 3] *= rng.random(300) < 0.5  # zeros that are not stored
    far = near + 2.0**power * np.array([1, -1, 1, 0])
    expected = clone(model).fit(near, codes).decision_function(near)
    found = clone(model).fit(sp.csr_array(far), codes).decision_function(sp.csr_array(far))
    if found.ndim > 1:  # scores of classes have a common term
        expected, found = (Z - Z.mean(axis=1, keepdims=True) for Z in (expected, found))
    np.testing.assert_allclose(found, expected, atol=2.0 ** (power - 46), rtol=0)
