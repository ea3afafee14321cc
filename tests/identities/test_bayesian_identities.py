"""Bayesian linear models and relevance vector machines: posteriors and evidences against their definitions."""

from itertools import pairwise

import numpy as np
import pytest
from cases import each
from numpy.testing import assert_allclose
from scipy.integrate import quad
from scipy.linalg import null_space
from scipy.special import expit, logsumexp
from scipy.stats import multivariate_normal, norm
from sklearn.datasets import load_breast_cancer
from sklearn.preprocessing import StandardScaler

import linclass as L
from linclass.base.design_matrix import DesignMatrix
from linclass.bayes import relevance
from linclass.bayes.bayesian_logistic_regression import PREDICTIVES, log_mean_of_sigmoid
from linclass.bayes.relevance import Relevance, WeightedColumns, ascend_together, joint_step


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
        model = L.BayesianLinearRegression(strength=strength, fit_intercept=False).fit(X, y)
        C = np.eye(60) / model.noise_precision_ + X @ X.T / model.weight_precision_
        assert model.log_evidence_ == pytest.approx(multivariate_normal.logpdf(y, None, C))


@each("intercept", [True, False])
def test_the_mean_of_bayesian_linear_regression_is_ridge_with_its_effective_parameters(intercept):
    X, y = line()
    w = np.random.default_rng(2).uniform(0.5, 2, 60)
    model = L.BayesianLinearRegression(fit_intercept=intercept).fit(X, y, w)
    ridge = L.Ridge(strength=model.strength_, fit_intercept=intercept, tol=1e-12).fit(X, y, w)
    assert_allclose(model.coef_, ridge.coef_, rtol=1e-8)
    assert_allclose(model.intercept_, ridge.intercept_, rtol=1e-8)
    size = model.weight_precision_ * model.coef_ @ model.coef_
    assert size == pytest.approx(model.n_effective_, rel=1e-6)
    assert model.certificate_ < 1e-6


def test_predictions_of_bayesian_linear_regression_are_those_of_the_joint_normal_distribution():
    """A flat intercept is the limit of a wide one."""
    X, y = line()
    new = np.random.default_rng(3).normal(size=(5, 4))
    model = L.BayesianLinearRegression(strength=0.05).fit(X, y)
    both = np.vstack([X, new])
    C = both @ both.T / model.weight_precision_ + 1e7 + np.eye(65) / model.noise_precision_
    gain = np.linalg.solve(C[:60, :60], C[:60, 60:]).T
    mean, std = model.predict(new, return_std=True)
    assert_allclose(mean, gain @ y, rtol=1e-4)
    assert_allclose(std**2, np.diag(C[60:, 60:] - gain @ C[:60, 60:]), rtol=1e-5)


def test_features_that_are_uninformative_get_no_weight_and_a_constant_target_no_noise():
    X, y = line()
    y = y - X @ np.linalg.lstsq(X - X.mean(axis=0), y, rcond=None)[0]
    model = L.BayesianLinearRegression().fit(X, y)
    assert_allclose(model.coef_, 0, atol=1e-6)
    assert "carry no information" in model.reason_
    constant = L.BayesianLinearRegression().fit(X, np.ones(60))
    mean, std = constant.predict(X, return_std=True)
    np.testing.assert_array_equal((mean, std), (np.ones(60), np.zeros(60)))
    assert "y is constant" in constant.reason_


# logistic


@each("K", [2, 3])
def test_the_mode_of_bayesian_logistic_regression_is_the_penalized_fit(K):
    X, y = classes(K)
    model = L.BayesianLogisticRegression(tol=1e-10).fit(X, y)
    mode = L.LogisticRegression(strength=model.strength_, tol=1e-12).fit(X, y)
    assert_allclose(model.mean_coef_, mode.coef_, atol=1e-6)
    assert_allclose(model.mean_intercept_, mode.intercept_, atol=1e-6)
    size = model.strength_ * len(y) * (model.mean_coef_**2).sum()
    assert size == pytest.approx(model.n_effective_, rel=1e-6)
    assert 0 < model.n_effective_ < 4 * (K - 1)


def test_the_covariance_of_bayesian_logistic_regression_inverts_the_curvature_of_the_posterior():
    X, y = classes(2)
    model = L.BayesianLogisticRegression(strength=0.02, tol=1e-10).fit(X, y)
    ones, alpha = np.column_stack([X, np.ones(len(y))]), 0.02 * len(y)
    p = expit(model.decision_function(X) * np.sqrt(1 + np.pi / 8 * model._deviations(X)[:, 0] ** 2))
    A = (ones * (p * (1 - p))[:, None]).T @ ones + alpha * np.diag([1, 1, 1, 1, 0])
    assert_allclose(model.covariance_, np.linalg.inv(A), rtol=1e-6)


def test_quadrature_is_the_integral_and_the_probit_approximation_is_near():
    X, y = classes(2, 40)
    far = 3 * X[:8]
    exact = L.BayesianLogisticRegression(strength=0.01, predictive="quadrature").fit(X, y)
    near = L.BayesianLogisticRegression(strength=0.01).fit(X, y)
    mode = L.BayesianLogisticRegression(strength=0.01, predictive="mode").fit(X, y)
    mean, s = mode.decision_function(far), exact._deviations(far)[:, 0]
    for i, p in enumerate(exact.predict_proba(far)[:, 1]):
        integral, _ = quad(lambda t, i=i: expit(mean[i] + s[i] * t) * norm.pdf(t), -12, 12)
        assert p == pytest.approx(integral, abs=1e-6)
    assert_allclose(near.predict_proba(far), exact.predict_proba(far), atol=0.02)
    assert np.abs(near.predict_proba(far) - mode.predict_proba(far)).max() > 0.03


def test_coefficients_are_called_so_only_where_they_give_the_scores():
    """Who reads coef_, as SHAP does, takes X·coef_ + intercept_ to be the decision function."""
    for K in (2, 3):
        X, y = classes(K, 40)
        for predictive in PREDICTIVES if K == 2 else ("probit", "mode"):
            model = L.BayesianLogisticRegression(predictive=predictive).fit(X, y)
            Z = X @ model.mean_coef_.T + model.mean_intercept_
            averaged = not np.allclose(model.decision_function(X), Z[:, 0] if K == 2 else Z)
            assert averaged == (predictive != "mode")
            assert hasattr(model, "coef_") == hasattr(model, "intercept_") == (not averaged)
            if averaged:
                with pytest.raises(AttributeError, match="mean_coef_ is the posterior mean"):
                    _ = model.coef_
    relevance = L.RelevanceVectorMachine(kernel=None).fit(*classes(2, 40))
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
    model = L.BayesianLogisticRegression(strength=0.02, fit_intercept=intercept, tol=1e-13).fit(
        X, y
    )
    rows = np.column_stack([X, np.ones(len(X))]) if intercept else X
    C, width, alpha = 1 if K == 2 else K, rows.shape[1], len(X) * 0.02
    target = np.eye(K)[y]

    def P(theta):
        """Minus the logarithm of likelihood times prior."""
        W = theta.reshape(C, width)
        Z = rows @ W.T if K > 2 else np.column_stack([np.zeros(len(X)), rows @ W[0]])
        fit = (Z * target).sum() - logsumexp(Z, axis=1).sum()
        return -fit - norm.logpdf(W[:, :4], 0, alpha**-0.5).sum()

    W = np.column_stack([model.mean_coef_, model.mean_intercept_])[:, :width]
    theta, h, M = W.ravel(), 1e-3, W.size
    steps = h * np.eye(M)
    A = [
        [P(theta + a + b) - P(theta + a - b) - P(theta - a + b) + P(theta - a - b) for b in steps]
        for a in steps
    ]
    values = np.linalg.eigvalsh(np.array(A) / (4 * h * h))
    kept = values[1:] if K > 2 and intercept else values  # a shift of all intercepts is flat
    expected = -P(theta) + 0.5 * (np.log(2 * np.pi) - np.log(kept)).sum()
    assert model.log_evidence_ == pytest.approx(expected, abs=1e-3)


pytestmark = pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")

KERNELS = [None, "gaussian"]
FACTORS = [0.5, 0.99, 1.01, 2.0]  # of a precision


def features(n=50, d=8):
    """Three of the features count; of different units, far from 0."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(n, d))
    z = X[:, :3] @ [1.5, -1.0, 0.6]
    return X * np.geomspace(0.1, 10, d) + 3, z


def targets():
    X, z = features()
    return X, 5 + z + 0.5 * np.random.default_rng(1).normal(size=len(z))


def two_classes():
    X, z = features(90)
    return X, (z + np.random.default_rng(1).logistic(size=len(z)) > 0).astype(int)


def columns(X, kernel):
    """φ_j of the rows, from the definition of the kernel."""
    if kernel is None:
        return X
    squares = ((X[:, None] - X) ** 2).sum(axis=2)
    return np.exp(-squares / (X.shape[1] * X.var()))


def weights_of(model):
    """Of all columns."""
    if model.kernel is None:
        return np.ravel(getattr(model, "mean_coef_", getattr(model, "coef_", None)))
    w = np.zeros(len(model.precisions_))
    w[model.support_] = np.ravel(model.dual_coef_)
    return w


def changes(Phi, alpha):
    """Other precisions of single columns: of all that stay, and of some that have left."""
    for j in np.flatnonzero(np.isfinite(alpha) | (np.arange(len(alpha)) % 5 == 0)):
        stays = np.isfinite(alpha[j])
        if stays:
            values = [*alpha[j] * np.array(FACTORS), np.inf]
        else:
            values = np.geomspace(1e-2, 1e4, 5) / Phi[:, j].var()
        for value in values:
            yield np.where(np.arange(len(alpha)) == j, value, alpha)


def evidence_of(Phi, y, alpha, noise):
    """ln N(y | b, noise + ΦA⁻¹Φᵀ), up to a constant, with a flat prior of b: ln ∫ db."""
    C = np.diag(noise) + Phi / alpha @ Phi.T
    one = np.ones(len(y))
    own = one @ np.linalg.solve(C, one)
    b = one @ np.linalg.solve(C, y) / own
    return float(multivariate_normal.logpdf(y - b, None, C) - 0.5 * np.log(own))


@each("kernel", KERNELS)
def test_the_weights_are_the_posterior_mean_and_maximize_the_evidence(kernel):
    X, y = targets()
    model = L.RelevanceVectorRegressor(kernel=kernel).fit(X, y)
    stays = np.isfinite(model.precisions_)
    assert 0 < stays.sum() < len(stays)
    assert np.array_equal(weights_of(model) != 0, stays)
    Phi = np.column_stack([columns(X, kernel)[:, stays], np.ones(len(y))])
    prior = np.diag(np.append(model.precisions_[stays], 0))
    S = np.linalg.inv(prior + model.noise_precision_ * Phi.T @ Phi)
    assert_allclose(model.covariance_, S, rtol=1e-6, atol=1e-9 * np.abs(S).max())
    mean = model.noise_precision_ * S @ Phi.T @ y
    assert_allclose(np.append(weights_of(model)[stays], model.intercept_), mean, rtol=1e-6)
    predicted, deviation = model.predict(X, return_std=True)
    assert_allclose(predicted, Phi @ mean)
    variance = 1 / model.noise_precision_ + ((Phi @ S) * Phi).sum(axis=1)
    assert_allclose(deviation, np.sqrt(variance))
    own = 1 - model.precisions_[stays] * np.diag(S)[:-1]
    assert model.n_effective_ == pytest.approx(own.sum())
    H = null_space(np.ones((1, len(y)))).T  # contrasts, which an intercept does not change
    A = H @ columns(X, kernel)
    C = np.eye(len(H)) / model.noise_precision_ + A / model.precisions_ @ A.T
    assert model.log_evidence_ == pytest.approx(multivariate_normal.logpdf(H @ y, None, C))
    model = L.RelevanceVectorRegressor(kernel=kernel, tol=1e-10).fit(X, y)
    assert model.status_ == "converged"
    Phi, alpha, noise = columns(X, kernel), model.precisions_, np.ones(len(y))

    def of(changed, factor=1.0):
        return evidence_of(Phi, y, changed, noise * factor / model.noise_precision_)

    best = of(alpha)
    assert all(of(alpha, factor) < best for factor in FACTORS)
    assert all(of(changed) < best + 1e-8 for changed in changes(Phi, alpha))


def test_each_step_raises_the_evidence_by_its_gain(monkeypatch):
    monkeypatch.setattr(relevance, "ALL", 0)  # from no columns
    X, y = targets()
    fits = [L.RelevanceVectorRegressor(kernel=None, max_iter=k).fit(X, y) for k in range(1, 12)]
    assert {fit.status_ for fit in fits[:4]} == {"max_iter"}
    for old, new in pairwise(fits):
        gain = new.log_evidence_ - old.log_evidence_
        assert gain >= -1e-9
        if old.status_ == "max_iter":
            assert gain == pytest.approx(old.certificate_, abs=1e-9)


@each("freedom", [39.0, None])
def test_precisions_move_together_by_newtons_method_on_the_evidence(freedom):
    """Gradient and Hessian in ln ρ by differences of the evidence, which never falls."""
    rng = np.random.default_rng(2)
    X = rng.normal(size=(40, 4)) + rng.normal(size=(40, 1))
    y = 3 * X[:, 0] - 2 * X[:, 2] + X[:, 1] + X[:, 3] + rng.normal(size=40)
    found = WeightedColumns(DesignMatrix(X, False), np.ones(40), y)
    search = Relevance(found, freedom)
    search.stay(np.arange(4), np.array([0.5, 40.0, 0.3, 20.0]))
    h = 1e-3 * np.eye(4)

    def height(change):
        moved = Relevance(found, freedom)
        moved.stay(search.active, search.rho * np.exp(change))
        return moved.log_evidence()

    g = [(height(e) - height(-e)) / 2e-3 for e in h]
    changes = np.array(
        [[height(a + b) - height(a - b) - height(b - a) + height(-a - b) for a in h] for b in h]
    )
    H = changes / 4e-6
    concave = np.linalg.eigvalsh(H).max() < 0
    newton = -np.linalg.solve(H, g)
    step = joint_step(search)
    if concave:
        assert_allclose(step, newton * min(1, 2 / np.abs(newton).max()), rtol=1e-3, atol=1e-4)
    assert step @ g > 0
    before = search.log_evidence()
    ascend_together(search, 1e-9)
    assert search.log_evidence() > before
    beta = 1 if freedom is None else freedom / search.error
    assert_allclose(search.rho * (search.sigma.diagonal() + beta * search.mu**2), 1, rtol=1e-3)


def test_columns_that_a_far_row_makes_nearly_dependent_still_count():
    """One column leaves less than 1e-9 of the square of another, which the other rows need."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(60, 3))
    y = X @ [1.0, -2.0, 0.0] + 0.1 * rng.normal(size=60)
    rows, target = np.vstack([X, np.full(3, 1e6)]), np.append(y, -1e6)
    model = L.RelevanceVectorRegressor(kernel=None).fit(rows, target)
    assert model.status_ == "converged"
    assert_allclose(model.coef_, [1, -2, 0], atol=0.1)


@each("kernel", KERNELS)
def test_the_classifier_has_laplaces_posterior_and_evidence_at_its_mode(kernel):
    X, y = two_classes()
    model = L.RelevanceVectorMachine(kernel=kernel).fit(X, y)
    assert model.status_ == "converged"
    stays = np.isfinite(model.precisions_)
    Phi = np.column_stack([columns(X, kernel)[:, stays], np.ones(len(y))])
    theta = np.append(weights_of(model)[stays], model.mean_intercept_)
    prior = np.append(model.precisions_[stays], 0)
    z = Phi @ theta
    slope = Phi.T @ (expit(z) - y) + prior * theta
    assert_allclose(slope, 0, atol=1e-4)  # the mode
    A = np.diag(prior) + (Phi.T * expit(z) * expit(-z)) @ Phi
    assert_allclose(model.covariance_ @ A, np.eye(len(A)), atol=1e-5)
    fit = np.log(np.where(y, expit(z), expit(-z))).sum() - 0.5 * prior @ theta**2
    volume = 0.5 * np.log(prior[:-1]).sum() - 0.5 * np.linalg.slogdet(A)[1]
    assert model.log_evidence_ == pytest.approx(fit + volume + 0.5 * np.log(2 * np.pi))
    s = np.sqrt(((Phi @ np.linalg.inv(A)) * Phi).sum(axis=1))
    assert_allclose(model.decision_function(X), z / np.sqrt(1 + np.pi * s**2 / 8), rtol=1e-6)
    model = L.RelevanceVectorMachine(kernel=kernel, tol=1e-10).fit(X, y)
    assert model.status_ == "converged"
    Phi, alpha = columns(X, kernel), model.precisions_
    z = Phi @ weights_of(model) + model.mean_intercept_
    noise = 1 / (expit(z) * expit(-z))
    target = z + (y - expit(z)) * noise
    best = evidence_of(Phi, target, alpha, noise)
    assert all(
        evidence_of(Phi, target, other, noise) < best + 1e-8 for other in changes(Phi, alpha)
    )


def test_one_feature_has_the_posterior_of_bayesian_logistic_regression():
    X, y = two_classes()
    model = L.RelevanceVectorMachine(kernel=None, tol=1e-12).fit(X[:, :1], y)
    own = L.BayesianLogisticRegression().fit(X[:, :1], y)  # α w² = γ there, too
    assert model.precisions_[0] == pytest.approx(len(y) * own.strength_, rel=1e-4)
    assert_allclose(model.mean_coef_, own.mean_coef_, rtol=1e-4)
    assert model.log_evidence_ == pytest.approx(own.log_evidence_)
    assert_allclose(model.predict_proba(X[:, :1]), own.predict_proba(X[:, :1]), rtol=1e-4)


def test_columns_that_overlap_reach_the_evidence_of_expectation_maximization():
    """The linear splines of Tipping (2001), §4.1: no single one raises the evidence."""
    x = np.linspace(1, 21, 30)[:, None]
    y = np.sinc((x[:, 0] - 11) / np.pi) + 0.1 * np.random.default_rng(0).normal(size=30)
    Phi = linear_splines(x, x)
    alpha, beta = by_expectation_maximization(Phi, y, 3000)
    found = evidence_of(Phi, y, alpha, np.full(30, 1 / beta))
    without = evidence_of(Phi, y, np.full(30, 1e20), np.full(30, y.var()))
    model = L.RelevanceVectorRegressor(kernel=linear_splines).fit(x, y)
    own = evidence_of(Phi, y, model.precisions_, np.full(30, 1 / model.noise_precision_))
    assert found > without + 5
    assert own > found - 0.5  # there are several maxima
    assert len(model.support_) < 10


def by_expectation_maximization(Phi, y, steps):
    """(α, β) of columns that all stay, from equal α: each step raises the evidence."""
    Phi, y = Phi - Phi.mean(axis=0), y - y.mean()
    alpha, beta = 10 / Phi.var(axis=0), 1 / float(y.var())
    for _ in range(steps):
        Sigma = np.linalg.inv(np.diag(alpha) + beta * Phi.T @ Phi)
        m = beta * Sigma @ Phi.T @ y
        alpha = 1 / (m * m + np.diag(Sigma))
        lost = float(((y - Phi @ m) ** 2).sum() + (Phi @ Sigma * Phi).sum())
        beta = (len(y) - 1) / lost
    return alpha, beta


def linear_splines(A, B):
    x, y = A, B.T
    low = np.minimum(x, y)
    return np.asarray(1 + x * y + x * y * low - (x + y) / 2 * low**2 + low**3 / 3)


@pytest.mark.slow
def test_a_column_that_enters_and_leaves_in_turn_ends_outside():
    """Its gain at the mode without it is 17; at the mode with it, it is best without it."""
    from sklearn.datasets import load_digits

    X, y = load_digits(return_X_y=True)
    X = ((X - X.mean(axis=0)) / (X.std(axis=0) + 1e-12))[:300]
    model = L.RelevanceVectorMachine(gamma=0.05).fit(X, y[:300] == 5)
    assert model.status_ == "converged"
    assert model.n_iter_ < 500


@pytest.mark.filterwarnings("ignore:sample_weight sums to")
@each("weight", [1e-12, 1e6, 1e12])
@each("kind", [L.RelevanceVectorMachine, L.RelevanceVectorRegressor])
def test_weights_may_be_of_any_size(kind, weight):
    """With large frequency weights the coefficients are those of maximum likelihood."""
    X, y = two_classes() if kind is L.RelevanceVectorMachine else targets()
    model = kind(kernel=None).fit(X, y, np.full(len(y), weight))
    assert model.status_ == "converged"
    if weight < 1:
        assert_allclose(weights_of(model), weights_of(kind(kernel=None).fit(X, y)), rtol=1e-6)
    elif kind is L.RelevanceVectorMachine:
        free = L.LogisticRegression(penalty=None, tol=1e-12).fit(X, y)
        assert_allclose(model.mean_coef_, free.coef_, rtol=1e-3)
    else:
        assert_allclose(model.coef_, L.LinearRegression().fit(X, y).coef_, rtol=1e-3)


def test_heavy_frequency_weights_reach_the_mode_or_separate_the_classes():
    """Of weights 170 many rows are left without a curvature, or the columns follow each of them."""
    rng = np.random.default_rng(1)
    X = rng.normal(size=(60, 2))
    y = ((X**2).sum(axis=1) + 0.3 * rng.normal(size=60) > 1.4).astype(int)
    model = L.RelevanceVectorMachine().fit(X, y, np.full(60, 170.0))
    assert model.score(X, y) > 0.95
    assert model.log_evidence_ > -100  # without columns it is below −6000
    X, y = load_breast_cancer(return_X_y=True)
    X = StandardScaler().fit_transform(X)[:, :5]
    model = L.RelevanceVectorMachine().fit(X, y, sample_weight=np.full(len(y), 170.0))
    assert (model.score(X, y), model.status_) == (1, "separable")
    assert "the columns separate the classes" in model.reason_
    assert L.RelevanceVectorMachine().fit(X, y).status_ == "converged"


def test_a_kernel_need_not_be_an_inner_product():
    X, y = two_classes()

    def hat(A, B):
        return -np.abs(A[:, None] - B).sum(axis=2) + A[:, :1]  # neither definite nor symmetric

    model = L.RelevanceVectorMachine(kernel=hat).fit(X, y)
    assert model.status_ == "converged"
    own = L.RelevanceVectorMachine(kernel="precomputed").fit(hat(X, X), y)
    assert_allclose(own.decision_function(hat(X, X)), model.decision_function(X))


def test_a_fit_without_an_evidence_gives_the_reason():
    X, _ = features()
    exact = L.RelevanceVectorRegressor(kernel=None)
    with pytest.warns(UserWarning, match="without noise"):
        exact.fit(X, X @ np.arange(8.0))
    assert exact.status_ == "rank_deficient"
    single = L.RelevanceVectorRegressor().fit(X[:1], [2.0])
    assert (single.reason_[:13], single.predict(X[:2]).tolist()) == ("y is constant", [2.0, 2.0])
    flat = L.RelevanceVectorRegressor().fit(X, np.ones(len(X)))
    assert (flat.status_, flat.predict(X).tolist()) == ("converged", [1.0] * len(X))
    twice = np.repeat(X[:15], 2, axis=0)  # each row is of both classes
    nothing = L.RelevanceVectorMachine(kernel=None).fit(twice, np.arange(30) % 2)
    assert not nothing.mean_coef_.any()
    assert "carry no information" in nothing.reason_
    assert_allclose(nothing.predict_proba(twice), 0.5)
