"""scikit-learn's LDA, naive Bayes and nearest centroid, each beside the convention it shares."""

import numpy as np
import pytest
import scipy.sparse as sp
import sklearn.naive_bayes as peers
from cases import each
from sklearn.covariance import ledoit_wolf_shrinkage
from sklearn.datasets import load_breast_cancer, load_iris, load_wine
from sklearn.discriminant_analysis import LinearDiscriminantAnalysis as TheirLDA
from sklearn.discriminant_analysis import QuadraticDiscriminantAnalysis as TheirQDA
from sklearn.dummy import DummyClassifier
from sklearn.linear_model import RidgeClassifier
from sklearn.neighbors import NearestCentroid

import linclass as L

DATA = {
    "iris": load_iris(return_X_y=True),
    "wine": load_wine(return_X_y=True),
    "breast_cancer": load_breast_cancer(return_X_y=True),
}


class Unbiased:
    """A covariance for scikit-learn that makes its pooled one Σ_k S_k / (N − K), not over N."""

    def __init__(self, factor: float):
        self.factor = factor

    def fit(self, X):
        self.covariance_ = self.factor * np.cov(X.T, bias=True)
        return self


@each("data", DATA)
@each("ddof", [1, 0])
def test_lda_is_scikit_learns(data, ddof):
    X, y = DATA[data]
    n, K = len(y), len(np.unique(y))
    estimator = Unbiased(n / (n - K)) if ddof else None
    theirs = TheirLDA(solver="lsqr", covariance_estimator=estimator).fit(X, y)
    ours = L.LinearDiscriminantAnalysis(ddof=ddof).fit(X, y)
    np.testing.assert_allclose(ours.predict_proba(X), theirs.predict_proba(X), atol=1e-8)
    assert np.array_equal(ours.predict(X), theirs.predict(X))


@each("data", DATA)
@each("smoothing", [1e-9, 1e-3])
def test_gaussian_naive_bayes_is_scikit_learns(data, smoothing):
    X, y = DATA[data]
    theirs = peers.GaussianNB(var_smoothing=smoothing).fit(X, y)
    ours = L.GaussianNB(var_smoothing=smoothing).fit(X, y)
    np.testing.assert_allclose(ours.predict_log_proba(X), theirs.predict_log_proba(X), atol=1e-8)
    np.testing.assert_allclose(ours.means_, theirs.theta_, rtol=1e-12)
    np.testing.assert_allclose(ours.variances_, theirs.var_, rtol=1e-10)
    assert ours.epsilon_ == pytest.approx(theirs.epsilon_)


@each("data", DATA)
def test_nearest_means_and_majorities_are_scikit_learns(data):
    X, y = DATA[data]
    theirs = NearestCentroid().fit(X, y).predict(X)
    assert np.array_equal(L.NearestMean().fit(X, y).predict(X), theirs)
    theirs = DummyClassifier(strategy="prior").fit(X, y)
    ours = L.MajorityClass().fit(X, y)
    np.testing.assert_allclose(ours.predict_proba(X), theirs.predict_proba(X), rtol=1e-14)
    assert np.array_equal(ours.predict(X), theirs.predict(X))


@each("data", DATA)
def test_ledoit_and_wolfs_share_is_scikit_learns_of_the_deviations(data):
    X, y = DATA[data]
    R = X - np.array([X[y == k].mean(axis=0) for k in np.unique(y)])[y]
    ours = L.LinearDiscriminantAnalysis(shrinkage="ledoit_wolf")
    expected = ledoit_wolf_shrinkage(R, assume_centered=True)
    assert ours.fit(X, y).shrinkage_ == pytest.approx(expected, rel=1e-8)
    rng = np.random.default_rng(0)
    wide = rng.normal(size=(30, 50))
    wide_R = wide - np.array([wide[k::3].mean(axis=0) for k in range(3)])[np.arange(30) % 3]
    expected = ledoit_wolf_shrinkage(wide_R, assume_centered=True)
    assert ours.fit(wide, np.arange(30) % 3).shrinkage_ == pytest.approx(expected, rel=1e-8)


@each("data", ["iris", "wine"])
@each("solver", ["svd", "eigen"])
def test_qda_over_all_rows_of_a_class_is_scikit_learns(data, solver):
    """They take the logarithm of a probability, which ends at 10⁻³⁰⁸ and rounds near 1."""
    X, y = DATA[data]
    theirs = TheirQDA(solver=solver).fit(X, y).predict_log_proba(X)
    ours = L.QuadraticDiscriminantAnalysis(ddof=0).fit(X, y).predict_log_proba(X)
    seen = theirs > -600
    assert seen.any()
    np.testing.assert_allclose(ours[seen], theirs[seen], rtol=1e-8, atol=1e-8)


@each("data", DATA)
def test_fisher_is_scikit_learns_transform_and_nearest_centroid(data):
    X, y = DATA[data]
    theirs = TheirLDA(solver="eigen").fit(X, y)
    ours = L.FisherDiscriminant().fit(X, y)
    P, Q = ours.transform(X), theirs.transform(X)[:, : ours.scalings_.shape[1]]
    Q -= Q.mean(axis=0)  # theirs are not centred
    unbiased = np.sqrt((len(y) - len(ours.classes_)) / len(y))  # unit spread over N − K, not N
    signs = np.sign((P * Q).sum(axis=0))
    scale = np.abs(P).max()
    np.testing.assert_allclose(P / unbiased * signs, Q, atol=1e-8 * scale)
    assert np.array_equal(ours.predict(X), NearestCentroid().fit(Q, y).predict(Q))


def words(n=200):
    rng = np.random.default_rng(0)
    y = np.arange(n) % 3
    return rng.poisson(rng.gamma(0.5, size=(3, 40))[y]).astype(float), y


@each("container", [np.asarray, sp.csr_array])
@each("smoothing", [1.0, 0.01])
@each("name", ["MultinomialNB", "BernoulliNB"])
def test_naive_bayes_of_words_is_scikit_learns(name, smoothing, container):
    X, y = words()
    expected = getattr(peers, name)(alpha=smoothing).fit(container(X), y)
    found = getattr(L, name)(smoothing=smoothing).fit(container(X), y)
    log_p = expected.feature_log_prob_
    log_odds = log_p - np.log1p(-np.exp(log_p)) if name == "BernoulliNB" else log_p
    np.testing.assert_allclose(found.coef_, log_odds, rtol=1e-8)
    log_proba = expected.predict_log_proba(X)
    np.testing.assert_allclose(found.predict_log_proba(container(X)), log_proba, 1e-8, 1e-8)


@each("smoothing", [1.0, 0.01])
def test_categorical_naive_bayes_is_scikit_learns(smoothing):
    X, y = words()
    theirs = peers.CategoricalNB(alpha=smoothing).fit(X, y).predict_log_proba(X)
    ours = L.CategoricalNB(smoothing=smoothing).fit(X, y).predict_log_proba(X)
    np.testing.assert_allclose(ours, theirs, rtol=1e-8, atol=1e-8)


@each("alpha", [0.1, 10.0])
@each("data", DATA)
def test_ridge_indicator_of_folds_is_scikit_learns(data, alpha):
    X, y = DATA[data]
    held_out = np.arange(len(y))[::5]
    train = np.setdiff1d(np.arange(len(y)), held_out)
    theirs = RidgeClassifier(alpha=alpha, solver="cholesky").fit(X[train], y[train])
    model = L.LeastSquaresClassifier(penalty="l2", strength=alpha / len(train))
    ours = model.fit_many(X, y, [held_out], [{}])[0][0]
    Z = ours.decision_function(X)
    Z = Z if Z.ndim == 1 else 2 * Z - 1  # targets 0 and 1 here, −1 and 1 there
    np.testing.assert_allclose(Z, theirs.decision_function(X), atol=1e-7)
    assert np.array_equal(ours.predict(X), theirs.predict(X))


@each("data", DATA)
@each("threshold", [0.2, 3.0])
def test_nearest_shrunken_centroids_are_scikit_learns(data, threshold):
    """The means are; its scores leave out s₀ and the factor ½ of the paper's equations 6 and 8."""
    X, y = DATA[data]
    theirs = NearestCentroid(shrink_threshold=threshold, priors="empirical").fit(X, y)
    ours = L.NearestShrunkenCentroids(threshold).fit(X, y)
    np.testing.assert_allclose(ours.means_, theirs.centroids_, rtol=1e-9)
    np.testing.assert_allclose(ours.deviations_, theirs.deviations_, atol=1e-9)


@each("data", DATA)
def test_pooled_and_reduced_rank_models_are_scikit_learns(data):
    X, y = DATA[data]
    theirs = TheirLDA(solver="lsqr", shrinkage=0.3).fit(X, y)
    ours = L.RegularizedDiscriminantAnalysis(None, 0, 1.0, 0.3).fit(X, y)
    np.testing.assert_allclose(ours.predict_proba(X), theirs.predict_proba(X), atol=1e-8)
    ours, theirs = L.ReducedRankLDA(1).fit_transform(X, y), TheirLDA(n_components=1).fit(X, y)
    found = theirs.transform(X)
    ours *= np.sqrt(len(y) / (len(y) - len(np.unique(y))))  # theirs have Σ over N
    np.testing.assert_allclose(ours * np.sign(ours[0] * found[0]), found, atol=1e-7)
