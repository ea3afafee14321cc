"""Features far from 0: fits to X + c are fits to X, up to the intercept; and tuned priors do not depend on units."""

import numpy as np
import pytest
from cases import each
from numpy.testing import assert_allclose
from scipy import sparse
from sklearn.base import clone

import linclass as L


def data(classes):
    rng = np.random.default_rng(0)
    X = np.round(rng.normal(size=(150, 4)) * 256) / 256  # X + c is exact
    return X, (X[:, :3] + rng.gumbel(size=(150, 3)))[:, :classes].argmax(axis=1)


@each("far", [1e3, 1e5, 1e7])
@each("classes", [2, 3])
@each("penalty", [
    None, "l2", {"l2": {"factors": [0, 1, 1, 2]}}, {"l2": {"factors": [0, 0, 1, 2]}},
    {"elastic_net": {"factors": [0, 1, 1, 2]}},
])  # fmt: skip
def test_columns_without_a_penalty_are_centred_as_for_the_intercept(penalty, classes, far):
    X, y = data(classes)
    strength = {} if penalty is None else {"strength": 0.01}
    near = L.LogisticRegression(penalty=penalty, tol=1e-7, **strength).fit(X, y)
    moved = L.LogisticRegression(penalty=penalty, tol=1e-7, **strength).fit(X + far, y)
    assert moved.status_ == "converged", moved.reason_
    assert moved.certificate_ <= 1e-7
    assert moved.objective_ == pytest.approx(near.objective_, rel=3e-7)
    assert_allclose(moved.coef_, near.coef_, atol=2e-3)
    assert_allclose(moved.predict_proba(X + far), near.predict_proba(X), atol=1e-3)


def test_rank_is_that_of_the_features_and_not_of_their_rounding():
    X, y = data(2)
    for far in (0, 1e7):
        model = L.ProbitRegression(penalty=None).fit(X + far, y)
        assert model.status_ == "converged"
    with pytest.warns(match="linearly dependent"):
        twice = L.LogisticRegression(penalty=None).fit(np.column_stack([X, X[:, 0]]) + 1e7, y)
    assert twice.status_ == "rank_deficient"


@each("far", [1e3, 1e5, 3e6, 1e7, 1e8])
@each("classes", [2, 3])
def test_standard_errors_are_those_of_the_rows_near_0(classes, far):
    X, y = data(classes)
    near = L.LogisticRegression(penalty=None).fit(X, y).summary()
    moved = L.LogisticRegression(penalty=None).fit(X + far, y).summary()
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
    model = L.LogisticRegression(penalty=penalty, solver=solver, max_iter=30, trace=True)
    objective = model.fit(X, y).objective_
    model.fit(X + 1e7, y)
    assert model.status_ == "converged", model.reason_
    assert model.objective_ == pytest.approx(objective, rel=2e-6)
    assert model.trace_[-1]["objective"] == pytest.approx(objective, rel=2e-6)


@pytest.mark.filterwarnings("ignore:.*gradient_descent stopped")
def test_no_fit_has_converged_because_its_certificate_is_relative_to_something_large():
    """A first-order method reaches neither minimum. The cosine of its slopes with x is small, with x − x̄ large; and
    residuals of 10⁻⁷ of y still have digits."""
    X, y = data(2)
    steps = {"gradient_descent": {"learning_rate": 0.5}}
    far = L.LogisticRegression(penalty=None, solver="gradient_descent", max_iter=200)
    assert far.fit(X + 1e7, y).certificate_ > 0.1
    nearly = L.LinearRegression(solver=steps, max_iter=30).fit(X, X[:, 0])
    assert nearly.objective_ < 1e-12 * X[:, 0].var()
    assert nearly.certificate_ > 1e-3
    assert far.status_ == nearly.status_ == "max_iter"


@each("far", [0, 50, 99, 1e4, 1e6, 1e8])
@each("noise", [0, 1e-9])
@each("solver", ["least_squares", "newton"])
def test_residuals_of_rounding_errors_are_a_converged_fit(solver, noise, far):
    X, _ = data(2)
    y = 2 * X[:, 0] + noise * np.random.default_rng(1).normal(size=len(X))
    model = L.LinearRegression(solver=solver).fit(X + far, y)
    assert model.status_ == "converged", model.reason_
    assert_allclose(model.coef_, [2, 0, 0, 0], atol=1e-8 + 1e-15 * far)


def test_a_row_that_dwarfs_all_others_is_fitted_in_a_fold_as_alone():
    X, y = data(2)
    X[7, 0] = 1e9
    folds = [np.arange(k, len(X), 5) for k in range(5)]
    model = L.LogisticRegression()
    fits = model.fit_many(X, y, folds, [{}, {"strength": 1.0}])
    for held_out, (together, _) in zip(folds, fits, strict=True):
        rest = np.setdiff1d(np.arange(len(X)), held_out)
        alone = L.LogisticRegression().fit(X[rest], y[rest])
        assert together.status_ == alone.status_ == "converged"
        assert_allclose(together.coef_, alone.coef_, atol=1e-3)


@each("far", [1e3, 1e6, 1e9])
@each("model", [
    L.LogisticRegression(), L.LogisticRegression(penalty=None),
    L.LogisticRegression(penalty="l1", strength=1e-3), L.ProbitRegression(), L.LinearSVM(),
    L.BayesianLogisticRegression(predictive="mode"),
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
    if far == 1e9 and isinstance(model, L.BayesianLogisticRegression):
        X[:, 2] = 0.1 + far  # constant: it carries no information
        found = clone(model).fit(sparse.csr_array(X), y).coef_[0]
        without = clone(model).fit(sparse.csr_array(np.delete(X, 2, axis=1)), y).coef_[0]
        assert_allclose(found, np.insert(without, 2, 0), rtol=1e-6)


def test_a_lasso_whose_digits_are_lost_stops():
    """The kink is 10⁻¹⁸ of the slopes at 0, below the rounding of any of them."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(50, 700)) * 1e16
    y = X[:, :3].sum(axis=1) / 1e16 + rng.normal(size=50)
    with pytest.warns(match="standardize the features"):
        model = L.Lasso(strength=0.01).fit(X, y)
    assert model.status_ == "max_iter"
    assert model.n_iter_ < 100
    assert np.isfinite(model.coef_).all()


# Class moments and scores of sparse rows do not depend on how far the rows are from 0


@each("model", [
    L.GaussianNB(var_smoothing=0), L.GaussianNB(var_smoothing=0, tied=True),
    L.ExponentialFamilyNB("gaussian"), L.LinearDiscriminantAnalysis(),
    L.LinearDiscriminantAnalysis(covariance_type="diag"), L.QuadraticDiscriminantAnalysis(),
    L.RegularizedDiscriminantAnalysis(), L.FisherDiscriminant(), L.NearestMean(),
    L.NearestShrunkenCentroids(),
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
    found = clone(model).fit(sparse.csr_array(far), codes).decision_function(sparse.csr_array(far))
    if found.ndim > 1:  # scores of classes have a common term
        expected, found = (Z - Z.mean(axis=1, keepdims=True) for Z in (expected, found))
    assert_allclose(found, expected, atol=2.0 ** (power - 46), rtol=0)


def three_classes(K=3):
    y = np.arange(60) % 3
    X = np.random.default_rng(0).normal(size=(60, 4)) + y[:, None]
    return X[y < K], y[y < K]


@each("K", [2, 3])
@each("model", [L.FirthLogisticRegression(tol=1e-9), L.OrdinalRegression(tol=1e-9)], ids=repr)
def test_coefficients_do_not_depend_on_offsets(model, K):
    X, y = three_classes(K)
    near, far = clone(model).fit(X, y), clone(model).fit(X + 1e6, y)
    assert near.status_ == far.status_ == "converged"
    assert np.abs(near.coef_).max() > 0.1
    assert_allclose(far.coef_, near.coef_, rtol=1e-6, atol=1e-8)
    assert_allclose(far.predict_proba(X + 1e6), near.predict_proba(X), atol=1e-7)
    if isinstance(model, L.FirthLogisticRegression):
        errors = [m.standard_errors_[:, :-1] for m in (near, far)]
        assert_allclose(*errors, rtol=1e-6)
    else:
        far = clone(model).fit(sparse.csr_array(X + 1e4), y)
        assert_allclose(far.coef_, near.coef_, rtol=1e-8)


@each("intercept", [True, False])
@each("K", [2, 3])
@each("factor", [1e-8, 1e-5, 1e5, 1e8])
def test_the_evidence_does_not_depend_on_units(factor, K, intercept):
    X, y = three_classes(K)
    model = L.BayesianLogisticRegression(fit_intercept=intercept)
    one, other = (clone(model).fit(Z, y) for Z in (X, factor * X))
    assert one.reason_ == other.reason_ == ""
    assert_allclose(other.predict_proba(factor * X), one.predict_proba(X), atol=1e-6)
    assert other.strength_ == pytest.approx(factor**2 * one.strength_, rel=1e-6)


@each("K", [2, 3])
@each("offset", [1e3, 1e6, 1e9])
def test_the_evidence_does_not_depend_on_offsets(offset, K):
    X, y = three_classes(K)
    X = np.round(X, 3) if offset < 1e9 else np.round(X * 64) / 64  # exact sums
    one, other = (L.BayesianLogisticRegression().fit(Z, y) for Z in (X, X + offset))
    assert other.strength_ == pytest.approx(one.strength_, rel=1e-7)
    assert_allclose(other.predict_proba(X + offset), one.predict_proba(X), atol=1e-5)


def test_the_covariance_is_that_of_the_features_as_they_are():
    X, y = three_classes()
    near, far = (L.BayesianLogisticRegression(strength=0.1).fit(Z, y) for Z in (X, X + 10))
    to_far = np.eye(5)
    to_far[4, :4] = -10
    to_far = np.kron(np.eye(3), to_far)
    assert_allclose(far.covariance_, to_far @ near.covariance_ @ to_far.T, rtol=1e-8)


def test_evidence_that_rises_to_the_weakest_strength_is_reported():
    x = np.repeat(10.0 ** -np.arange(7), 10)  # gaps of all sizes: weights grow as α falls
    x = np.append(-x, x)
    model = L.BayesianLogisticRegression().fit(x[:, None], x > 0)
    assert "still rises" in model.reason_
    weights = (model.mean_coef_**2).sum()
    assert len(x) * model.strength_ * weights > model.n_effective_  # the evidence falls with α


def test_a_subclass_with_the_signatures_of_scikit_learn_may_leave_the_offset_out():
    class Cubed(L.LogisticRegression):
        def fit(self, X, y, sample_weight=None):
            return super().fit(X**3, y, sample_weight)

        def decision_function(self, X):
            return super().decision_function(X**3)

    class Relabelled(L.LogisticRegression):
        def predict(self, X):
            return super().predict(X)

        def predict_log_proba(self, X):
            return super().predict_log_proba(X)

    X, y = three_classes()
    for made, rows in ((Cubed(strength=0.1), X**3), (Relabelled(strength=0.1), X)):
        made.fit(X, y)
        plain = L.LogisticRegression(strength=0.1).fit(rows, y)
        assert np.array_equal(made.predict(X), plain.predict(rows))
        assert np.array_equal(made.predict_proba(X), plain.predict_proba(rows))
        assert made.score(X, y) == plain.score(rows, y)


@pytest.mark.filterwarnings("ignore:.*max_iter")
@each("far", [1e4, 1e6, 1e8])
@each("model", [
    L.LinearSVM(strength=1e-9), L.LinearSVM(strength=1e-5), L.LinearSVM(loss="squared_hinge", strength=1e-9),
    L.LogisticRegression(strength=1e-9), L.LogisticRegression(strength=1e-9, solver="newton_cg"),
])  # fmt: skip
def test_a_certificate_counts_the_rounding_errors_of_scores(model, far):
    rng = np.random.default_rng(0)
    X = rng.normal(size=(200, 4))
    y = X[:, 0] > 0
    X[:, 0] += 10 * (2 * y - 1)
    near, moved = clone(model).fit(X, y), clone(model).fit(X + far, y)
    margins = (2 * y - 1) * moved.decision_function(X + far)
    losses = {
        "LogisticRegression": np.log1p(np.exp(-margins)),
        "LinearSVM": np.maximum(1 - margins, 0) ** (2 if "squared" in str(model) else 1),
    }[type(model).__name__]
    objective = losses.mean() + model.strength * (moved.coef_**2).sum() / 2
    assert objective - near.objective_ <= (moved.certificate_ + 1e-6) * objective
