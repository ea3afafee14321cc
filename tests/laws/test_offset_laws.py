"""Models with an intercept do not depend on the origin of features, and tuned priors do not depend on their units."""

import numpy as np
import pytest
from cases import each
from scipy import sparse

from linclass import (
    BayesianLogisticRegression,
    FirthLogisticRegression,
    LogisticRegression,
    OrdinalRegression,
)


def three_classes():
    y = np.arange(60) % 3
    return np.random.default_rng(0).normal(size=(60, 4)) + y[:, None], y


@each("K", [2, 3])
@each("model", [FirthLogisticRegression, OrdinalRegression])
def test_coefficients_do_not_depend_on_offsets(model, K):
    X, y = three_classes()
    X, y = X[y < K], y[y < K]
    near, far = model(tol=1e-9).fit(X, y), model(tol=1e-9).fit(X + 1e6, y)
    assert near.status_ == far.status_ == "converged"
    assert np.abs(near.coef_).max() > 0.1
    np.testing.assert_allclose(far.coef_, near.coef_, rtol=1e-6, atol=1e-8)
    np.testing.assert_allclose(far.predict_proba(X + 1e6), near.predict_proba(X), atol=1e-7)
    if model is FirthLogisticRegression:
        errors = [m.standard_errors_[:, :-1] for m in (near, far)]
        np.testing.assert_allclose(*errors, rtol=1e-6)


def test_sparse_rows_far_from_0_are_not_taken_for_fitted():
    X, y = three_classes()
    near = OrdinalRegression().fit(X, y)
    far = OrdinalRegression().fit(sparse.csr_array(X + 1e4), y)
    np.testing.assert_allclose(far.coef_, near.coef_, rtol=1e-8)


@each("intercept", [True, False])
@each("K", [2, 3])
@each("factor", [1e-8, 1e-5, 1e5, 1e8])
def test_the_evidence_does_not_depend_on_units(factor, K, intercept):
    X, y = three_classes()
    X, y = X[y < K], y[y < K]
    one = BayesianLogisticRegression(fit_intercept=intercept).fit(X, y)
    other = BayesianLogisticRegression(fit_intercept=intercept).fit(factor * X, y)
    assert one.reason_ == other.reason_ == ""
    np.testing.assert_allclose(other.predict_proba(factor * X), one.predict_proba(X), atol=1e-6)
    assert other.strength_ == pytest.approx(factor**2 * one.strength_, rel=1e-6)


@each("K", [2, 3])
@each("offset", [1e3, 1e6, 1e9])
def test_the_evidence_does_not_depend_on_offsets(offset, K):
    X, y = three_classes()
    X = np.round(X[y < K], 3) if offset < 1e9 else np.round(X[y < K] * 64) / 64  # exact sums
    y = y[y < K]
    one, other = (BayesianLogisticRegression().fit(Z, y) for Z in (X, X + offset))
    assert other.strength_ == pytest.approx(one.strength_, rel=1e-7)
    np.testing.assert_allclose(other.predict_proba(X + offset), one.predict_proba(X), atol=1e-5)


def test_the_covariance_is_that_of_the_features_as_they_are():
    X, y = three_classes()
    near, far = (BayesianLogisticRegression(strength=0.1).fit(Z, y) for Z in (X, X + 10))
    to_far = np.eye(5)
    to_far[4, :4] = -10
    to_far = np.kron(np.eye(3), to_far)
    np.testing.assert_allclose(far.covariance_, to_far @ near.covariance_ @ to_far.T, rtol=1e-8)


def test_evidence_that_rises_to_the_weakest_strength_is_reported():
    x = np.repeat(
        10.0 ** -np.arange(7), 10
    )  # gaps of all sizes: weights grow as the strength falls
    x = np.append(-x, x)
    model = BayesianLogisticRegression().fit(x[:, None], x > 0)
    assert "still rises" in model.reason_
    alpha = len(x) * model.strength_
    assert (
        alpha * float((model.mean_coef_**2).sum()) > model.n_effective_
    )  # the evidence falls with α


class Cubed(LogisticRegression):
    """A subclass with scikit-learn's signatures, which know no offset."""

    def fit(self, X, y, sample_weight=None):
        return super().fit(X**3, y, sample_weight)

    def decision_function(self, X):
        return super().decision_function(X**3)


class Relabelled(LogisticRegression):
    def predict(self, X):
        return super().predict(X)

    def predict_log_proba(self, X):
        return super().predict_log_proba(X)


def test_a_subclass_may_leave_the_offset_out():
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(40, 2)), np.arange(40) % 3
    for made, rows in ((Cubed(strength=0.1), X**3), (Relabelled(strength=0.1), X)):
        made.fit(X, y)
        plain = LogisticRegression(strength=0.1).fit(rows, y)
        assert np.array_equal(made.predict(X), plain.predict(rows))
        assert np.array_equal(made.predict_proba(X), plain.predict_proba(rows))
        assert made.score(X, y) == plain.score(rows, y)
