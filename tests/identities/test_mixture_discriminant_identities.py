"""Mixture discriminant analysis: EM, LDA as its case of one subclass, Bayes' rule, and a table of the textbook."""

import numpy as np
import pytest
from cases import each
from numpy.testing import assert_allclose
from scipy.special import log_softmax, logsumexp
from scipy.stats import multivariate_normal

from linclass import LinearDiscriminantAnalysis, MixtureDiscriminantAnalysis

MDA = MixtureDiscriminantAnalysis


def problem(K, n=150, d=3):
    """Two overlapping subclasses in each class, of unequal size."""
    rng = np.random.default_rng(K)
    y = rng.permutation(np.arange(n) % (K + 1) % K)
    centres = 2 * rng.normal(size=(K, 2, d))
    part = (rng.random(n) < 0.3).astype(int)
    return centres[y, part] + rng.normal(size=(n, d)) @ rng.normal(size=(d, d)) / 2 + 3, y


def within(model, X, y, w):
    """Σ of the subclasses by the textbook: weighted scatter about their means, by memberships."""
    M = np.array([np.average(X[y == k], axis=0, weights=w[y == k]) for k in range(y.max() + 1)])
    S = ((X - M[y]).T * w) @ (X - M[y]) / w.sum()
    p = model.mixing_ * np.array([w[y == k].sum() for k in model.subclass_of_]) / w.sum()
    D = model.means_ - M[model.subclass_of_]
    return S - (D.T * p) @ D


def log_densities(model, X, S):
    """ln π_kr φ(x; μ_kr, Σ) for each subclass (n, R)."""
    each = [multivariate_normal.logpdf(X, m, S) for m in model.means_]
    return np.column_stack(each) + np.log(model.mixing_)


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
@each("shrinkage", [0.0, 0.4, 1.0])
@each("subclasses", [2, 3, 6])
@each("K", [2, 3, 5])
def test_the_objective_of_mda_falls_at_every_step(K, subclasses, shrinkage):
    X, y = problem(K)
    options = {"shrinkage": shrinkage, "n_init": 1, "tol": 1e-8, "max_iter": 100}
    for seed in range(3):
        model = MDA(subclasses, random_state=seed, **options).fit(X, y)
        values = model.objectives_
        assert len(values) == model.n_iter_ + 1 > 1
        assert (np.diff(values) <= 1e-13 * np.abs(values[-1])).all()
        assert model.objective_ == values[-1]
        assert (model.certificate_ <= 1e-8) == (model.status_ == "converged")


@each("weighted", [False, True])
@each("K", [2, 3])
def test_the_solution_of_mda_solves_the_equations_of_em(K, weighted):
    """Hastie, Tibshirani & Friedman (2009), (12.62)-(12.63), in the features as they are."""
    X, y = problem(K)
    rng = np.random.default_rng(1)
    w = rng.uniform(0.5, 2, len(y)) if weighted else np.ones(len(y))
    model = MDA(2, tol=1e-11, max_iter=5000).fit(X, y, w)
    assert model.status_ == "converged"
    S = within(model, X, y, w)
    joint = np.where(model.subclass_of_ == y[:, None], log_densities(model, X, S), -np.inf)
    density = logsumexp(joint, axis=1)
    assert model.objective_ == pytest.approx(-np.average(density, weights=w), rel=1e-10)
    Q = np.exp(joint - density[:, None]) * w[:, None]
    assert_allclose(model.means_, Q.T @ X / Q.sum(axis=0)[:, None], atol=1e-7)
    mass = np.array([w[y == k].sum() for k in model.subclass_of_])
    assert_allclose(model.mixing_, Q.sum(axis=0) / mass, atol=1e-8)
    scatter = (
        sum(((X - m).T * q) @ (X - m) for m, q in zip(model.means_, Q.T, strict=True)) / w.sum()
    )
    assert_allclose(S, scatter, atol=1e-7)


@each("priors", [None, "uniform", [0.1, 0.2, 0.7]])
def test_probabilities_of_mda_are_bayes_rule_with_its_mixtures(priors):
    X, y = problem(3)
    model = MDA(3, priors=priors).fit(X, y)
    joint = log_densities(model, X, within(model, X, y, np.ones(len(y))))
    Z = np.column_stack([logsumexp(joint[:, model.subclass_of_ == k], axis=1) for k in range(3)])
    expected = log_softmax(Z + np.log(model.priors_), axis=1)
    assert_allclose(model.predict_log_proba(X), expected, atol=1e-7)


def test_shrinkage_maximizes_the_likelihood_with_a_prior_of_the_covariance():
    """mean ln density − ½ a/(1 − a) (ln det Σ + tr Σ⁻¹T), T = (tr Σ_w/d) I, in the features as they are."""
    X, y = problem(2)
    a, w = 0.3, np.ones(len(y))
    model = MDA(2, shrinkage=a, tol=1e-10, max_iter=5000).fit(X, y)
    M = np.array([X[y == k].mean(axis=0) for k in range(2)])
    T = ((X - M[y]) ** 2).sum() / X.size * np.eye(3)
    S = (1 - a) * within(model, X, y, w) + a * T

    def objective(S):
        joint = np.where(model.subclass_of_ == y[:, None], log_densities(model, X, S), -np.inf)
        prior = np.linalg.slogdet(S)[1] + np.trace(np.linalg.solve(S, T))
        return -logsumexp(joint, axis=1).mean() + 0.5 * a / (1 - a) * prior

    assert model.objective_ == pytest.approx(objective(S), rel=1e-9)
    rng = np.random.default_rng(0)
    for _ in range(10):
        B = rng.normal(size=(3, 3))
        assert objective(S + 1e-3 * (B + B.T)) > objective(S)


def test_each_class_may_have_its_own_number_of_subclasses():
    X, y = problem(3)
    assert MDA([1, 3, 2]).fit(X, y).subclass_of_.tolist() == [0, 1, 1, 1, 2, 2]
    assert MDA(1).fit(X, y).n_iter_ == 0
    X[y == 0] = X[0]  # no two rows differ
    assert MDA(2).fit(X, y).subclass_of_.tolist() == [0, 1, 1, 2, 2]


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
def test_a_covariance_that_collapses_is_reported_and_shrinkage_is_the_remedy():
    rng = np.random.default_rng(0)
    X, y = np.repeat(rng.normal(size=(3, 5)), 10, axis=0), np.arange(30) % 2
    X += 1e-7 * rng.normal(size=X.shape)  # three points in each class
    bare = MDA(3).fit(X, y)
    assert bare.status_ == "rank_deficient"
    assert "has collapsed" in bare.reason_
    assert "shrinkage above 0" in bare.reason_
    assert np.isfinite(bare.predict_log_proba(X)).all()
    assert MDA(3, shrinkage=0.1).fit(X, y).status_ == "converged"


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
def test_dependent_features_and_early_ends_are_reported():
    X, y = problem(3)
    twice = MDA(2).fit(np.column_stack([X, X @ [1.0, 2, 3]]), y)
    assert (twice.status_, twice.rank_) == ("rank_deficient", 3)
    expected = MDA(2).fit(X, y).predict_proba(X)
    assert_allclose(
        twice.predict_proba(np.column_stack([X, X @ [1.0, 2, 3]])).argmax(1), expected.argmax(1)
    )
    early = MDA(2, max_iter=1).fit(X, y)
    assert (early.status_, early.n_iter_) == ("max_iter", 1)
    assert "Raise max_iter" in early.reason_


def waveforms(n, rng):
    """Breiman et al. (1984): on the line between two of three triangles, with normal noise."""
    j = np.arange(1, 22)
    h = np.maximum(6 - np.abs(j - np.array([[11], [15], [7]])), 0)
    first, second = np.array([[0, 1], [0, 2], [1, 2]])[y := rng.integers(0, 3, n)].T
    u = rng.random((n, 1))
    return u * h[first] + (1 - u) * h[second] + rng.normal(size=(n, 21)), y


def test_waveforms_have_the_errors_of_the_textbooks_table():
    """Hastie, Tibshirani & Friedman (2009), table 12.4: ten simulations of 300 training and 500 test rows.

    LDA .121 (.006) and .191 (.006), MDA with three subclasses .087 (.005) and .169 (.006), with a penalty .157 (.005)
    on test rows; the Bayes error is about .140.
    """
    rng = np.random.default_rng(0)
    errors = []
    for _ in range(10):
        train, test = waveforms(300, rng), waveforms(500, rng)
        models = LinearDiscriminantAnalysis(), MDA(3), MDA(3, shrinkage=0.9)
        fitted = [model.fit(*train) for model in models]
        errors.append([[1 - m.score(*rows) for m in fitted] for rows in (train, test)])
    (lda, mda, _), (lda_test, mda_test, penalized) = np.mean(errors, axis=0)
    assert abs(lda - 0.121) < 3 * np.hypot(0.006, 0.006)
    assert abs(mda - 0.087) < 3 * np.hypot(0.005, 0.005)
    assert abs(lda_test - 0.191) < 3 * np.hypot(0.006, 0.006)
    assert abs(mda_test - 0.169) < 3 * np.hypot(0.006, 0.006)
    assert abs(penalized - 0.157) < 3 * np.hypot(0.005, 0.005)
    assert lda_test > mda_test > penalized > 0.14
