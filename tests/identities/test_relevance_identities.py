"""Relevance vector machines against the definition of the evidence, whatever the algorithm that raises it."""

from itertools import pairwise

import numpy as np
import pytest
from cases import each
from numpy.testing import assert_allclose
from scipy.linalg import null_space
from scipy.special import expit
from scipy.stats import multivariate_normal
from sklearn.datasets import load_breast_cancer
from sklearn.preprocessing import StandardScaler

from linclass import (
    BayesianLogisticRegression,
    LinearRegression,
    LogisticRegression,
    RelevanceVectorMachine,
    RelevanceVectorRegressor,
)
from linclass.base.design_matrix import DesignMatrix
from linclass.bayes import relevance
from linclass.bayes.relevance import Relevance, WeightedColumns, ascend_together, joint_step

pytestmark = pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")

KERNELS = [None, "gaussian"]
FACTORS = [0.5, 0.99, 1.01, 2.0]  # of a precision


def rows(n=50, d=8):
    """Three of the features count; of different units, far from 0."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(n, d))
    z = X[:, :3] @ [1.5, -1.0, 0.6]
    return X * np.geomspace(0.1, 10, d) + 3, z


def targets():
    X, z = rows()
    return X, 5 + z + 0.5 * np.random.default_rng(1).normal(size=len(z))


def classes():
    X, z = rows(90)
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
        near = (
            alpha[j] * np.array(FACTORS) if stays else np.geomspace(1e-2, 1e4, 5) / Phi[:, j].var()
        )
        for value in [*near, np.inf] if stays else near:
            yield np.where(np.arange(len(alpha)) == j, value, alpha)


def evidence(Phi, y, alpha, noise):
    """ln N(y | b, noise + ΦA⁻¹Φᵀ), up to a constant, with a flat prior of b: ln ∫ db."""
    C = np.diag(noise) + Phi / alpha @ Phi.T
    one = np.ones(len(y))
    own = one @ np.linalg.solve(C, one)
    b = one @ np.linalg.solve(C, y) / own
    return float(multivariate_normal.logpdf(y - b, None, C) - 0.5 * np.log(own))


def test_the_evidence_is_the_density_of_the_differences_of_the_targets():
    X, y = targets()
    H = null_space(
        np.ones((1, len(y)))
    ).T  # orthonormal contrasts, which an intercept does not change
    for kernel in KERNELS:
        model = RelevanceVectorRegressor(kernel=kernel).fit(X, y)
        Phi = H @ columns(X, kernel)
        C = np.eye(len(H)) / model.noise_precision_ + Phi / model.precisions_ @ Phi.T
        assert model.log_evidence_ == pytest.approx(multivariate_normal.logpdf(H @ y, None, C))


@each("kernel", KERNELS)
def test_the_weights_are_the_posterior_mean_and_maximize_the_evidence(kernel):
    X, y = targets()
    model = RelevanceVectorRegressor(kernel=kernel).fit(X, y)
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
    model = RelevanceVectorRegressor(kernel=kernel, tol=1e-10).fit(X, y)
    assert model.status_ == "converged"
    Phi, alpha, noise = columns(X, kernel), model.precisions_, np.ones(len(y))

    def of(changed, factor=1.0):
        return evidence(Phi, y, changed, noise * factor / model.noise_precision_)

    best = of(alpha)
    assert all(of(alpha, factor) < best for factor in FACTORS)
    assert all(of(changed) < best + 1e-8 for changed in changes(Phi, alpha))


def test_each_step_raises_the_evidence_by_its_gain(monkeypatch):
    monkeypatch.setattr(relevance, "ALL", 0)  # from no columns
    X, y = targets()
    fits = [RelevanceVectorRegressor(kernel=None, max_iter=k).fit(X, y) for k in range(1, 12)]
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
    H = [
        [(height(a + b) - height(a - b) - height(b - a) + height(-a - b)) / 4e-6 for a in h]
        for b in h
    ]
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
    model = RelevanceVectorRegressor(kernel=None).fit(
        np.vstack([X, np.full(3, 1e6)]), np.append(y, -1e6)
    )
    assert model.status_ == "converged"
    assert_allclose(model.coef_, [1, -2, 0], atol=0.1)


@each("kernel", KERNELS)
def test_the_classifier_has_laplaces_posterior_and_evidence_at_its_mode(kernel):
    X, y = classes()
    model = RelevanceVectorMachine(kernel=kernel).fit(X, y)
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
    model = RelevanceVectorMachine(kernel=kernel, tol=1e-10).fit(X, y)
    assert model.status_ == "converged"
    Phi, alpha = columns(X, kernel), model.precisions_
    z = Phi @ weights_of(model) + model.mean_intercept_
    noise = 1 / (expit(z) * expit(-z))
    target = z + (y - expit(z)) * noise
    best = evidence(Phi, target, alpha, noise)
    assert all(evidence(Phi, target, other, noise) < best + 1e-8 for other in changes(Phi, alpha))


def test_one_feature_has_the_posterior_of_bayesian_logistic_regression():
    X, y = classes()
    model = RelevanceVectorMachine(kernel=None, tol=1e-12).fit(X[:, :1], y)
    own = BayesianLogisticRegression().fit(X[:, :1], y)  # α w² = γ there, too
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
    found = evidence(Phi, y, alpha, np.full(30, 1 / beta))
    without = evidence(Phi, y, np.full(30, 1e20), np.full(30, y.var()))
    model = RelevanceVectorRegressor(kernel=linear_splines).fit(x, y)
    own = evidence(Phi, y, model.precisions_, np.full(30, 1 / model.noise_precision_))
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
    model = RelevanceVectorMachine(gamma=0.05).fit(X, y[:300] == 5)
    assert model.status_ == "converged"
    assert model.n_iter_ < 500


@pytest.mark.filterwarnings("ignore:sample_weight sums to")
@each("weight", [1e-12, 1e6, 1e12])
@each("kind", [RelevanceVectorMachine, RelevanceVectorRegressor])
def test_weights_may_be_of_any_size(kind, weight):
    """With large frequency weights the coefficients are those of maximum likelihood."""
    X, y = classes() if kind is RelevanceVectorMachine else targets()
    model = kind(kernel=None).fit(X, y, np.full(len(y), weight))
    assert model.status_ == "converged"
    if weight < 1:
        assert_allclose(weights_of(model), weights_of(kind(kernel=None).fit(X, y)), rtol=1e-6)
    elif kind is RelevanceVectorMachine:
        free = LogisticRegression(penalty=None, tol=1e-12).fit(X, y)
        assert_allclose(model.mean_coef_, free.coef_, rtol=1e-3)
    else:
        assert_allclose(model.coef_, LinearRegression().fit(X, y).coef_, rtol=1e-3)


def test_newtons_method_restarts_from_0_if_it_misses_the_mode():
    """Heavy weights leave many rows without a curvature."""
    rng = np.random.default_rng(1)
    X = rng.normal(size=(60, 2))
    y = ((X**2).sum(axis=1) + 0.3 * rng.normal(size=60) > 1.4).astype(int)
    model = RelevanceVectorMachine().fit(X, y, np.full(60, 170.0))
    assert model.score(X, y) > 0.95
    assert model.log_evidence_ > -100  # without columns it is below −6000


def test_frequency_weights_that_let_the_columns_separate_the_classes_are_reported():
    """Of weights 170 every row counts 170 times, so that the evidence favours columns that follow each of them."""
    X, y = load_breast_cancer(return_X_y=True)
    X = StandardScaler().fit_transform(X)[:, :5]
    model = RelevanceVectorMachine().fit(X, y, sample_weight=np.full(len(y), 170.0))
    assert model.score(X, y) == 1
    assert model.status_ == "separable"
    assert "the columns separate the classes" in model.reason_
    assert RelevanceVectorMachine().fit(X, y).status_ == "converged"


def test_a_kernel_need_not_be_an_inner_product():
    X, y = classes()

    def hat(A, B):
        return -np.abs(A[:, None] - B).sum(axis=2) + A[:, :1]  # neither definite nor symmetric

    model = RelevanceVectorMachine(kernel=hat).fit(X, y)
    assert model.status_ == "converged"
    own = RelevanceVectorMachine(kernel="precomputed").fit(hat(X, X), y)
    assert_allclose(own.decision_function(hat(X, X)), model.decision_function(X))


def test_a_fit_without_an_evidence_gives_the_reason():
    X, _ = rows()
    exact = RelevanceVectorRegressor(kernel=None)
    with pytest.warns(UserWarning, match="without noise"):
        exact.fit(X, X @ np.arange(8.0))
    assert exact.status_ == "rank_deficient"
    single = RelevanceVectorRegressor().fit(X[:1], [2.0])
    assert (single.reason_[:13], single.predict(X[:2]).tolist()) == ("y is constant", [2.0, 2.0])
    flat = RelevanceVectorRegressor().fit(X, np.ones(len(X)))
    assert (flat.status_, flat.predict(X).tolist()) == ("converged", [1.0] * len(X))
    twice = np.repeat(X[:15], 2, axis=0)  # each row is of both classes
    nothing = RelevanceVectorMachine(kernel=None).fit(twice, np.arange(30) % 2)
    assert not nothing.mean_coef_.any()
    assert "carry no information" in nothing.reason_
    assert_allclose(nothing.predict_proba(twice), 0.5)
