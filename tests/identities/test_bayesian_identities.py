"""Gaussian posteriors and evidences against their definitions."""

from itertools import pairwise

import numpy as np
import pytest
from cases import each
from numpy.testing import assert_allclose
from scipy.integrate import quad
from scipy.special import expit, logsumexp
from scipy.stats import multivariate_normal, norm

from linclass import (
    BayesianLinearRegression,
    BayesianLogisticRegression,
    LogisticRegression,
    RelevanceVectorMachine,
    Ridge,
)
from linclass.bayes.bayesian_logistic_regression import PREDICTIVES, log_mean_of_sigmoid


def line(n=60):
    rng = np.random.default_rng(0)
    X = rng.normal(size=(n, 4))
    return X, 3 + X @ [1.0, -0.5, 0.2, 0.0] + 0.7 * rng.normal(size=n)


def classes(K, n=120):
    X, _ = line(n)
    z = X @ [1.0, -0.5, 0.2, 0.0] + np.random.default_rng(1).logistic(size=n)
    return X, np.digitize(z, [0.0] if K == 2 else [-0.7, 0.7])


# linear


def test_the_evidence_of_bayesian_linear_regression_is_the_density_of_the_targets():
    X, y = line()
    y = y - 3
    for strength in ("evidence", 0.05):
        model = BayesianLinearRegression(strength=strength, fit_intercept=False).fit(X, y)
        C = np.eye(60) / model.noise_precision_ + X @ X.T / model.weight_precision_
        assert model.log_evidence_ == pytest.approx(multivariate_normal.logpdf(y, None, C))


@each("intercept", [True, False])
def test_the_mean_of_bayesian_linear_regression_is_ridge_with_its_effective_parameters(intercept):
    X, y = line()
    w = np.random.default_rng(2).uniform(0.5, 2, 60)
    model = BayesianLinearRegression(fit_intercept=intercept).fit(X, y, w)
    ridge = Ridge(strength=model.strength_, fit_intercept=intercept, tol=1e-12).fit(X, y, w)
    np.testing.assert_allclose(model.coef_, ridge.coef_, rtol=1e-8)
    np.testing.assert_allclose(model.intercept_, ridge.intercept_, rtol=1e-8)
    size = model.weight_precision_ * model.coef_ @ model.coef_
    assert size == pytest.approx(model.n_effective_, rel=1e-6)
    assert model.certificate_ < 1e-6


def test_predictions_of_bayesian_linear_regression_are_those_of_the_joint_normal_distribution():
    """A flat intercept is the limit of a wide one."""
    X, y = line()
    new = np.random.default_rng(3).normal(size=(5, 4))
    model = BayesianLinearRegression(strength=0.05).fit(X, y)
    both = np.vstack([X, new])
    C = both @ both.T / model.weight_precision_ + 1e7 + np.eye(65) / model.noise_precision_
    gain = np.linalg.solve(C[:60, :60], C[:60, 60:]).T
    mean, std = model.predict(new, return_std=True)
    np.testing.assert_allclose(mean, gain @ y, rtol=1e-4)
    np.testing.assert_allclose(std**2, np.diag(C[60:, 60:] - gain @ C[:60, 60:]), rtol=1e-5)


def test_features_that_are_uninformative_get_no_weight_and_a_constant_target_no_noise():
    X, y = line()
    y = y - X @ np.linalg.lstsq(X - X.mean(axis=0), y, rcond=None)[0]
    model = BayesianLinearRegression().fit(X, y)
    np.testing.assert_allclose(model.coef_, 0, atol=1e-6)
    assert "carry no information" in model.reason_
    constant = BayesianLinearRegression().fit(X, np.ones(60))
    mean, std = constant.predict(X, return_std=True)
    np.testing.assert_array_equal((mean, std), (np.ones(60), np.zeros(60)))
    assert "y is constant" in constant.reason_


# logistic


@each("K", [2, 3])
def test_the_mode_of_bayesian_logistic_regression_is_the_penalized_fit(K):
    X, y = classes(K)
    model = BayesianLogisticRegression(tol=1e-10).fit(X, y)
    mode = LogisticRegression(strength=model.strength_, tol=1e-12).fit(X, y)
    np.testing.assert_allclose(model.mean_coef_, mode.coef_, atol=1e-6)
    np.testing.assert_allclose(model.mean_intercept_, mode.intercept_, atol=1e-6)
    size = model.strength_ * len(y) * (model.mean_coef_**2).sum()
    assert size == pytest.approx(model.n_effective_, rel=1e-6)
    assert 0 < model.n_effective_ < 4 * (K - 1)


def test_the_covariance_of_bayesian_logistic_regression_inverts_the_curvature_of_the_posterior():
    X, y = classes(2)
    model = BayesianLogisticRegression(strength=0.02, tol=1e-10).fit(X, y)
    ones, alpha = np.column_stack([X, np.ones(len(y))]), 0.02 * len(y)
    p = expit(model.decision_function(X) * np.sqrt(1 + np.pi / 8 * model._deviations(X)[:, 0] ** 2))
    A = (ones * (p * (1 - p))[:, None]).T @ ones + alpha * np.diag([1, 1, 1, 1, 0])
    np.testing.assert_allclose(model.covariance_, np.linalg.inv(A), rtol=1e-6)


def test_quadrature_is_the_integral_and_the_probit_approximation_is_near():
    X, y = classes(2, 40)
    far = 3 * X[:8]
    exact = BayesianLogisticRegression(strength=0.01, predictive="quadrature").fit(X, y)
    near = BayesianLogisticRegression(strength=0.01).fit(X, y)
    mode = BayesianLogisticRegression(strength=0.01, predictive="mode").fit(X, y)
    mean, s = mode.decision_function(far), exact._deviations(far)[:, 0]
    for i, p in enumerate(exact.predict_proba(far)[:, 1]):
        integral, _ = quad(lambda t, i=i: expit(mean[i] + s[i] * t) * norm.pdf(t), -12, 12)
        assert p == pytest.approx(integral, abs=1e-6)
    np.testing.assert_allclose(near.predict_proba(far), exact.predict_proba(far), atol=0.02)
    assert np.abs(near.predict_proba(far) - mode.predict_proba(far)).max() > 0.03


def test_coefficients_are_called_so_only_where_they_give_the_scores():
    """Who reads coef_, as SHAP does, takes X·coef_ + intercept_ to be the decision function."""
    for K in (2, 3):
        X, y = classes(K, 40)
        for predictive in PREDICTIVES if K == 2 else ("probit", "mode"):
            model = BayesianLogisticRegression(predictive=predictive).fit(X, y)
            Z = X @ model.mean_coef_.T + model.mean_intercept_
            averaged = not np.allclose(model.decision_function(X), Z[:, 0] if K == 2 else Z)
            assert averaged == (predictive != "mode")
            assert hasattr(model, "coef_") == hasattr(model, "intercept_") == (not averaged)
            if averaged:
                with pytest.raises(AttributeError, match="mean_coef_ is the posterior mean"):
                    _ = model.coef_
    relevance = RelevanceVectorMachine(kernel=None).fit(*classes(2, 40))
    assert not hasattr(relevance, "coef_")
    assert relevance.mean_coef_.shape == (1, 4)


@each("deviation", [0.0, 0.1, 2.0, 5.0, 16.0, 99.0, 300.0])
def test_the_mean_of_the_logistic_function_over_wide_scores(deviation):
    """Of scores that few rows determine; by parts on which adaptive quadrature sees every bend of the integrand."""

    def integrand(z):
        return float(expit(z) * norm.pdf(z, mean, deviation))

    for mean in (0.0, -0.5 * deviation, -3.0 * deviation, -4.0):
        exact = float(expit(mean))
        if deviation:
            steps = np.array([-30, -8, -3, -1, 0, 1, 3, 8, 30])
            ends = np.unique([c + k * steps for c in (0.0, mean) for k in (1.0, deviation)])
            exact = sum(quad(integrand, a, b, limit=200)[0] for a, b in pairwise(ends))
        found = float(np.exp(log_mean_of_sigmoid(np.array([mean]), np.array([deviation])))[0])
        assert_allclose(found, exact, rtol=1e-6)


@each("intercept", [True, False])
@each("K", [2, 3])
def test_the_evidence_is_that_of_the_curvature_of_the_posterior(K, intercept):
    """Bishop (2006), (4.137), with derivatives by differences; K intercepts along an orthonormal basis of contrasts."""
    X, y = classes(K)
    model = BayesianLogisticRegression(strength=0.02, fit_intercept=intercept, tol=1e-13).fit(X, y)
    rows = np.column_stack([X, np.ones(len(X))]) if intercept else X
    C, width, alpha = 1 if K == 2 else K, rows.shape[1], len(X) * 0.02
    target = np.eye(K)[y]

    def minus_log_joint(theta):
        W = theta.reshape(C, width)
        Z = rows @ W.T if K > 2 else np.column_stack([np.zeros(len(X)), rows @ W[0]])
        fit = (Z * target).sum() - logsumexp(Z, axis=1).sum()
        return -fit - norm.logpdf(W[:, :4], 0, alpha**-0.5).sum()

    W = (
        np.column_stack([model.mean_coef_, model.mean_intercept_])
        if intercept
        else model.mean_coef_
    )
    theta, h, M = W.ravel(), 1e-3, W.size
    steps = h * np.eye(M)
    A = [
        [
            minus_log_joint(theta + a + b)
            - minus_log_joint(theta + a - b)
            - minus_log_joint(theta - a + b)
            + minus_log_joint(theta - a - b)
            for b in steps
        ]
        for a in steps
    ]
    values = np.linalg.eigvalsh(np.array(A) / (4 * h * h))
    kept = values[1:] if K > 2 and intercept else values  # a shift of all intercepts is flat
    expected = -minus_log_joint(theta) + 0.5 * (np.log(2 * np.pi) - np.log(kept)).sum()
    assert model.log_evidence_ == pytest.approx(expected, abs=1e-3)
