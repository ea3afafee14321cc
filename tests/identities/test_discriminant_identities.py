"""Theorems of the regularized and reduced discriminants: their limiting cases and their definitions."""

import numpy as np
import pytest
import scipy.linalg
from cases import each
from scipy.special import log_softmax
from scipy.stats import multivariate_normal

from linclass import (
    GaussianNB,
    LinearDiscriminantAnalysis,
    NearestShrunkenCentroids,
    ReducedRankLDA,
    RegularizedDiscriminantAnalysis,
)


def problem(K, n=150, d=4):
    """Classes of unequal size and unequal covariances."""
    rng = np.random.default_rng(K)
    y = rng.permutation(np.arange(n) % (K + 1) % K)
    A = rng.normal(size=(K, d, d))
    return np.einsum("ij,ijk->ik", rng.normal(size=(n, d)), A[y]) + rng.normal(size=(K, d))[y], y


# regularized discriminant analysis


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
def test_rda_has_a_covariance_for_a_class_of_one_row_and_for_few_rows():
    X, y = problem(3)
    y[y == 2] = 0
    y[5] = 2
    model = RegularizedDiscriminantAnalysis().fit(X, y)
    assert model.status_ == "converged"
    assert np.isfinite(model.decision_function(X)).all()
    wide = np.random.default_rng(0).normal(size=(12, 30))
    labels = np.arange(12) % 3
    assert RegularizedDiscriminantAnalysis().fit(wide, labels).status_ == "converged"
    bare = RegularizedDiscriminantAnalysis(shrinkage=0.0).fit(wide, labels)
    assert (bare.status_, "shrinkage above 0" in bare.reason_) == ("rank_deficient", True)


# diagonal discriminants


@each("K", [2, 3])
def test_diagonal_lda_and_qda_are_bayes_rule_with_uncorrelated_features(K):
    X, y = problem(K)
    R, share = X - np.array([X[y == k].mean(axis=0) for k in range(K)])[y], np.bincount(y) / len(y)
    pooled = (R**2).sum(axis=0) / (len(y) - K)
    for model, variances in [
        (LinearDiscriminantAnalysis(covariance_type="diag"), [pooled] * K),
        (GaussianNB(tied=True, var_smoothing=0), [pooled * (len(y) - K) / len(y)] * K),
        (GaussianNB(var_smoothing=0), [(R[y == k] ** 2).mean(axis=0) for k in range(K)]),
    ]:
        joint = [
            multivariate_normal.logpdf(X, X[y == k].mean(axis=0), np.diag(variances[k]))
            + np.log(share[k])
            for k in range(K)
        ]
        expected = log_softmax(np.column_stack(joint), axis=1)
        found = model.fit(X, y).predict_log_proba(X)
        np.testing.assert_allclose(found, expected, rtol=1e-9, atol=1e-10)


# nearest shrunken centroids


def test_nearest_shrunken_centroids_have_the_probabilities_of_their_definition():
    X, y = problem(3)
    model = NearestShrunkenCentroids(threshold=1.0).fit(X, y)
    M, n = np.array([X[y == k].mean(axis=0) for k in range(3)]), np.bincount(y)
    s = np.sqrt(((X - M[y]) ** 2).sum(axis=0) / (len(y) - 3))
    s += np.median(s)
    unit = np.sqrt(1 / n - 1 / len(y))[:, None] * s
    d = (M - X.mean(axis=0)) / unit
    shrunken = X.mean(axis=0) + unit * np.sign(d) * np.maximum(np.abs(d) - 1, 0)
    distance = (((X[:, None] - shrunken) / s) ** 2).sum(axis=2)
    expected = log_softmax(-0.5 * distance + np.log(n / len(y)), axis=1)
    np.testing.assert_allclose(model.predict_log_proba(X), expected, atol=1e-10)


def test_a_path_of_thresholds_is_separate_fits_and_loses_features_on_the_way():
    X, y = problem(3)
    thresholds = [0.0, 2.0, 0.5, 1.0]
    path = NearestShrunkenCentroids(spread_offset=0.1).path(X, y, thresholds)
    assert path.strengths.tolist() == thresholds
    for threshold, model in zip(thresholds, path, strict=True):
        alone = NearestShrunkenCentroids(threshold, 0.1).fit(X, y)
        np.testing.assert_array_equal(model.decision_function(X), alone.decision_function(X))
    counts = path.selected_.sum(axis=1)
    assert counts[0] >= counts[2] >= counts[3] >= counts[1]
    assert "thresholds 0 … 2" in repr(path)
    with pytest.raises(ValueError, match="threshold is -1"):
        NearestShrunkenCentroids().path(X, y, [1.0, -1.0])


# reduced-rank LDA


@each("priors", [None, [0.1, 0.2, 0.3, 0.4]])
def test_reduced_rank_lda_is_lda_of_its_own_coordinates(priors):
    X, y = problem(4)
    model = ReducedRankLDA(2, priors).fit(X, y)
    lda = LinearDiscriminantAnalysis(priors).fit(model.transform(X), y)
    expected = lda.predict_log_proba(model.transform(X))
    np.testing.assert_allclose(model.predict_log_proba(X), expected, atol=1e-10)


def test_directions_of_reduced_rank_lda_solve_the_eigenproblem_of_the_weighted_means():
    X, y = problem(4)
    priors = np.array([0.1, 0.2, 0.3, 0.4])
    model = ReducedRankLDA(None, priors.tolist()).fit(X, y)
    M = np.array([X[y == k].mean(axis=0) for k in range(4)])
    S = (X - M[y]).T @ (X - M[y]) / (len(y) - 4)
    D = M - priors @ M
    values = scipy.linalg.eigh((D * priors[:, None]).T @ D, S, eigvals_only=True)[::-1]
    np.testing.assert_allclose(model.ratios_, values[:3], rtol=1e-9)
    V = model.scalings_
    np.testing.assert_allclose(V.T @ S @ V, np.eye(3), atol=1e-10)
