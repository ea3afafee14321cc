"""Theorems that tie the generative classifiers to each other and to Bayes' rule."""

from typing import Any

import numpy as np
import pytest
from scipy.stats import multivariate_normal, norm

from linclass import GaussianNB, LinearDiscriminantAnalysis, MajorityClass, NearestMean
from linclass.families.tied_gaussian import TiedGaussian
from linclass.spread import Spread


def problem(K: int, n: int = 200, d: int = 4) -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(K)
    y = rng.permutation(np.arange(n) % (K + 1) % K)  # class 0 is twice as frequent
    return rng.normal(size=(n, d)) @ rng.normal(size=(d, d)) + rng.normal(size=(K, d))[y], y


def within(X: np.ndarray, y: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """(class means, pooled covariance over N − K), from the definitions."""
    M = np.array([X[y == k].mean(axis=0) for k in np.unique(y)])
    R = X - M[y]
    return M, R.T @ R / (len(y) - len(M))


def contrasts(Z: np.ndarray) -> np.ndarray:
    """What decides: the differences of the classes' scores."""
    return Z if Z.ndim == 1 else np.diff(Z, axis=1)


def posterior(joint: np.ndarray) -> np.ndarray:
    return joint - np.logaddexp.reduce(joint, axis=1, keepdims=True)


@pytest.mark.parametrize("priors", ["estimated", "given"])
@pytest.mark.parametrize("K", [2, 3, 5])
def test_lda_is_bayes_rule_for_gaussians_of_one_covariance(K: int, priors: str) -> None:
    X, y = problem(K)
    rng = np.random.default_rng(0)
    M, S = within(X, y)
    pi = np.bincount(y) / len(y) if priors == "estimated" else rng.dirichlet(np.ones(K))
    joint = np.column_stack([multivariate_normal.logpdf(X, m, S) for m in M]) + np.log(pi)
    model = LinearDiscriminantAnalysis(priors=None if priors == "estimated" else pi.tolist())
    found = model.fit(X, y).predict_log_proba(X)
    np.testing.assert_allclose(found, posterior(joint), rtol=1e-9, atol=1e-10)


@pytest.mark.parametrize("K", [2, 3])
def test_naive_bayes_is_bayes_rule_for_independent_gaussians(K: int) -> None:
    X, y = problem(K)
    prior = np.log(np.bincount(y) / len(y))
    joint = [norm.logpdf(X, X[y == k].mean(0), X[y == k].std(0)).sum(1) for k in range(K)]
    found = GaussianNB(var_smoothing=0).fit(X, y).predict_log_proba(X)
    np.testing.assert_allclose(found, posterior(np.column_stack(joint) + prior), atol=1e-10)


def test_lda_of_two_classes_has_fishers_direction() -> None:
    X, y = problem(2)
    M, S = within(X, y)
    fisher = np.linalg.solve(S, M[1] - M[0])
    w = LinearDiscriminantAnalysis().fit(X, y).coef_[0]
    np.testing.assert_allclose(w, fisher, rtol=1e-9)


def test_lda_with_equal_priors_has_fishers_threshold_midway_between_the_means() -> None:
    X, y = problem(2)
    model = LinearDiscriminantAnalysis(priors="uniform").fit(X, y)
    assert model.decision_function([model.means_.mean(axis=0)])[0] == pytest.approx(0, abs=1e-10)


def test_priors_move_the_boundary_by_their_log_odds_and_nothing_else() -> None:
    X, y = problem(2)
    equal = LinearDiscriminantAnalysis(priors="uniform").fit(X, y)
    skewed = LinearDiscriminantAnalysis(priors=[0.2, 0.8]).fit(X, y)
    np.testing.assert_array_equal(skewed.coef_, equal.coef_)
    np.testing.assert_allclose(skewed.intercept_ - equal.intercept_, np.log(0.8 / 0.2), rtol=1e-9)


def test_maximum_likelihood_covariance_scales_the_direction_by_n_over_n_minus_k() -> None:
    X, y = problem(3)
    unbiased = LinearDiscriminantAnalysis().fit(X, y)
    likeliest = LinearDiscriminantAnalysis(covariance="maximum_likelihood").fit(X, y)
    ratio = len(y) / (len(y) - 3)
    np.testing.assert_allclose(likeliest.coef_, ratio * unbiased.coef_, rtol=1e-9)


@pytest.mark.parametrize("K", [2, 4])
def test_lda_does_not_depend_on_the_coordinates(K: int) -> None:
    X, y = problem(K)
    rng = np.random.default_rng(0)
    A, b = rng.normal(size=(4, 4)), rng.normal(size=4)
    plain = LinearDiscriminantAnalysis().fit(X, y).predict_log_proba(X)
    moved = LinearDiscriminantAnalysis().fit(X @ A + b, y).predict_log_proba(X @ A + b)
    np.testing.assert_allclose(moved, plain, atol=1e-8)


@pytest.mark.parametrize("K", [2, 4])
def test_lda_with_equal_priors_is_the_nearest_mean_in_whitened_coordinates(K: int) -> None:
    X, y = problem(K)
    _, S = within(X, y)
    white = Spread.of_covariance(S, np.zeros(4)).whitener
    lda = LinearDiscriminantAnalysis(priors="uniform").fit(X, y).decision_function(X)
    nearest = NearestMean().fit(X @ white, y).decision_function(X @ white)
    np.testing.assert_allclose(contrasts(lda), contrasts(nearest), rtol=1e-9, atol=1e-9)


def test_the_nearest_mean_is_the_tied_gaussian_of_the_identity() -> None:
    X, y = problem(3)
    M, _ = within(X, y)
    family = TiedGaussian(Spread(np.eye(4), np.eye(4)))
    density = family.log_density(X, family.natural(M))
    Z = NearestMean().fit(X, y).decision_function(X)
    np.testing.assert_allclose(np.diff(Z, axis=1), np.diff(density, axis=1), atol=1e-10)


@pytest.mark.parametrize("K", [2, 4])
def test_the_nearest_mean_is_nearest(K: int) -> None:
    X, y = problem(K)
    M, _ = within(X, y)
    distance = ((X[:, None] - M) ** 2).sum(axis=2)
    assert np.array_equal(NearestMean().fit(X, y).predict(X), distance.argmin(axis=1))


def test_the_boundary_of_the_nearest_mean_bisects_the_segment_between_the_means() -> None:
    X, y = problem(2)
    model = NearestMean().fit(X, y)
    assert model.signed_distance([model.means_.mean(axis=0)])[0] == pytest.approx(0, abs=1e-12)
    half = np.linalg.norm(model.means_[1] - model.means_[0]) / 2
    np.testing.assert_allclose(model.signed_distance(model.means_), [-half, half], rtol=1e-10)


def test_naive_bayes_with_equal_variances_is_linear() -> None:
    rng = np.random.default_rng(0)
    # each class is the same cloud moved, so variances agree and the squares cancel
    cloud = rng.normal(size=(50, 3))
    X, y = np.vstack([cloud, cloud + np.array([1.0, -2.0, 0.5])]), np.repeat([0, 1], 50)
    model = GaussianNB(var_smoothing=0).fit(X, y)
    z = model.decision_function
    a, b = rng.normal(size=(2, 10, 3))
    np.testing.assert_allclose(z((a + b) / 2), (z(a) + z(b)) / 2, atol=1e-10)
    np.testing.assert_allclose(model.natural_[:, 3:], 0, atol=1e-10)


def test_lda_with_uncorrelated_features_is_naive_bayes() -> None:
    # a full factorial cloud has an exactly diagonal covariance, over N in both
    grid = np.array(np.meshgrid([-1.0, 1], [-2.0, 2], [-0.5, 0.5])).reshape(3, -1).T
    X, y = np.vstack([grid, grid + 1]), np.repeat([0, 1], 8)
    lda = LinearDiscriminantAnalysis(covariance="maximum_likelihood").fit(X, y)
    nb = GaussianNB(var_smoothing=0).fit(X, y)
    np.testing.assert_allclose(lda.decision_function(X), nb.decision_function(X), atol=1e-12)


@pytest.mark.parametrize("K", [2, 3])
def test_the_majority_is_the_likeliest_constant(K: int) -> None:
    X, y = problem(K)
    model = MajorityClass().fit(X, y)
    frequencies = np.bincount(y) / len(y)
    np.testing.assert_allclose(model.predict_proba(X[:3]), np.tile(frequencies, (3, 1)), rtol=1e-14)
    assert (model.predict(X) == frequencies.argmax()).all()
    # entropy is the least log loss of a constant: any other has Kullback–Leibler more
    loss = -model.predict_log_proba(X)[np.arange(len(y)), y].mean()
    assert loss == pytest.approx(-(frequencies * np.log(frequencies)).sum(), rel=1e-12)


@pytest.mark.parametrize("kind", [GaussianNB, LinearDiscriminantAnalysis])
def test_known_gaussians_are_learned_up_to_the_bayes_error(kind: Any) -> None:
    # classes N((0,0), I) and N((2,2), I): Bayes error Φ(−‖μ‖/2) = Φ(−√2)
    rng = np.random.default_rng(1)
    y = np.arange(40_000) % 2
    X = rng.normal(size=(40_000, 2)) + 2 * y[:, None]
    error = 1 - kind().fit(X[:20_000], y[:20_000]).score(X[20_000:], y[20_000:])
    bayes = norm.cdf(-np.sqrt(2))
    assert abs(error - bayes) < 4 * np.sqrt(bayes * (1 - bayes) / 20_000)
