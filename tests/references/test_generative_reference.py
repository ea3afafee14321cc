"""scikit-learn's LDA, naive Bayes and nearest centroid, each beside the convention it shares."""

import numpy as np
import pytest
import scipy.sparse as sp
from sklearn.datasets import load_breast_cancer, load_iris, load_wine
from sklearn.discriminant_analysis import LinearDiscriminantAnalysis as TheirLDA
from sklearn.dummy import DummyClassifier
from sklearn.naive_bayes import GaussianNB as TheirNB
from sklearn.neighbors import NearestCentroid

from linclass import GaussianNB, LinearDiscriminantAnalysis, MajorityClass, NearestMean

DATA = {
    "iris": load_iris(return_X_y=True),
    "wine": load_wine(return_X_y=True),
    "breast_cancer": load_breast_cancer(return_X_y=True),
}


class Unbiased:
    """A covariance for scikit-learn that makes its pooled one Σ_k S_k / (N − K), not over N."""

    def __init__(self, factor: float):
        self.factor = factor

    def fit(self, X: np.ndarray) -> "Unbiased":
        self.covariance_ = self.factor * np.cov(X.T, bias=True)
        return self


@pytest.mark.parametrize("data", DATA)
@pytest.mark.parametrize("covariance", ["unbiased", "maximum_likelihood"])
def test_lda_is_scikit_learns(data: str, covariance: str) -> None:
    X, y = DATA[data]
    n, K = len(y), len(np.unique(y))
    estimator = Unbiased(n / (n - K)) if covariance == "unbiased" else None
    theirs = TheirLDA(solver="lsqr", covariance_estimator=estimator).fit(X, y)
    ours = LinearDiscriminantAnalysis(covariance=covariance).fit(X, y)
    np.testing.assert_allclose(ours.predict_proba(X), theirs.predict_proba(X), atol=1e-8)
    assert np.array_equal(ours.predict(X), theirs.predict(X))


@pytest.mark.parametrize("data", DATA)
@pytest.mark.parametrize("smoothing", [1e-9, 1e-3])
def test_gaussian_naive_bayes_is_scikit_learns(data: str, smoothing: float) -> None:
    X, y = DATA[data]
    theirs = TheirNB(var_smoothing=smoothing).fit(X, y)
    ours = GaussianNB(var_smoothing=smoothing).fit(X, y)
    np.testing.assert_allclose(ours.predict_log_proba(X), theirs.predict_log_proba(X), atol=1e-8)
    np.testing.assert_allclose(ours.means_, theirs.theta_, rtol=1e-12)
    np.testing.assert_allclose(ours.variances_, theirs.var_, rtol=1e-10)
    assert ours.epsilon_ == pytest.approx(theirs.epsilon_)


def test_naive_bayes_of_sparse_rows_is_scikit_learns_of_the_dense_ones() -> None:
    rng = np.random.default_rng(0)
    y = np.arange(200) % 2
    words = (rng.random((200, 300)) < 0.02 + 0.05 * y[:, None] * (np.arange(300) < 30)).astype(
        float
    )
    theirs = TheirNB().fit(words, y).predict_log_proba(words)
    ours = GaussianNB().fit(sp.csr_array(words), y).predict_log_proba(sp.csr_array(words))
    np.testing.assert_allclose(ours, theirs, rtol=1e-6, atol=1e-6)  # variances of 1e-9: θ of 1e9


@pytest.mark.parametrize("data", DATA)
def test_nearest_mean_is_scikit_learns_nearest_centroid(data: str) -> None:
    X, y = DATA[data]
    theirs = NearestCentroid().fit(X, y).predict(X)
    assert np.array_equal(NearestMean().fit(X, y).predict(X), theirs)


@pytest.mark.parametrize("data", DATA)
def test_majority_is_scikit_learns_prior_dummy(data: str) -> None:
    X, y = DATA[data]
    theirs = DummyClassifier(strategy="prior").fit(X, y)
    ours = MajorityClass().fit(X, y)
    np.testing.assert_allclose(ours.predict_proba(X), theirs.predict_proba(X), rtol=1e-14)
    assert np.array_equal(ours.predict(X), theirs.predict(X))
