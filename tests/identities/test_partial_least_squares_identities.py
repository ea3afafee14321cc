"""Partial least squares: uncorrelated scores of maximal covariance, conjugate gradients, least squares at the end."""

import numpy as np
import pytest
from cases import each
from numpy.testing import assert_allclose
from scipy import sparse
from sklearn.cross_decomposition import PLSRegression

from linclass import (
    FlexibleDiscriminantAnalysis,
    LinearDiscriminantAnalysis,
    LinearRegression,
    PartialLeastSquares,
)

PLS = PartialLeastSquares
N, D = 60, 6
W = np.random.default_rng(9).uniform(0.5, 2, N)
W /= W.sum()


def numbers(m=None, d=D, seed=0):
    """Correlated features; y is a vector, or a table of m targets."""
    rng = np.random.default_rng(seed)
    X = rng.standard_normal((N, d)) @ (np.eye(d) + rng.standard_normal((d, d))) + 5
    Y = X @ rng.standard_normal((d, m or 1)) + 4 * rng.standard_normal((N, m or 1))
    return X, Y if m else Y[:, 0]


def centred(A):
    """√w (a − ā), whose products are weighted covariances."""
    return np.sqrt(W)[:, None] * (A - W @ A)


@each("m", [None, 3])
def test_partial_least_squares_are_scikit_learns(m):
    """Whose directions of several targets are those of a power iteration, to its tolerance."""
    X, Y = numbers(m)
    for M in (1, 2, 4):
        ours = PLS(M).fit(X, Y)
        theirs = PLSRegression(M, scale=False, tol=1e-15, max_iter=5000).fit(X, Y)
        assert_allclose(ours.predict(X), theirs.predict(X), rtol=1e-5)
        assert_allclose(np.abs(ours.transform(X)), np.abs(theirs.transform(X)), atol=1e-5)
        assert ours.score(X, Y) == pytest.approx(theirs.score(X, Y), abs=1e-6)


@each("intercept", [True, False])
@each("shift", [0.0, 1e6])
def test_sparse_rows_give_the_same(intercept, shift):
    X, Y = numbers(2)
    X = np.round(X * (np.random.default_rng(0).random(X.shape) < 0.5), 3)
    X[:, 2] = np.round(1024 * X[:, 2]) / 1024 + shift  # the shift rounds nothing
    dense, thin = (
        PLS(3, fit_intercept=intercept).fit(form(X), Y, W)
        for form in (np.asarray, sparse.csr_array)
    )
    if not (shift and not intercept):  # far from 0 and not centred, digits are lost
        assert_allclose(thin.transform(sparse.csr_array(X)), dense.transform(X), atol=1e-8)
    assert_allclose(thin.coef_, dense.coef_, rtol=1e-9, atol=1e-12)
    if not intercept:
        assert not dense.centre_.any()
        assert not dense.intercept_.any()
    elif shift:
        near = PLS(3).fit(X - shift * (np.arange(D) == 2), Y, W)
        assert_allclose(dense.coef_, near.coef_, rtol=1e-9)


@pytest.mark.filterwarnings("ignore:LinearRegression ended rank_deficient")
@each("d", [30, 90])
def test_the_number_of_components_is_at_most_the_rank(d):
    rng = np.random.default_rng(0)
    X = rng.standard_normal((N, 4)) @ rng.standard_normal((4, d)) + 1
    y = rng.standard_normal(N)
    model = PLS(None).fit(X, y)
    assert model.scalings_.shape == (d, 4)
    least_norm = LinearRegression().fit(X, y)
    assert_allclose(model.coef_, least_norm.coef_, rtol=1e-8, atol=1e-11)
    assert_allclose(model.predict(X), least_norm.predict(X), rtol=1e-9)


@each("constant", [0.1, 1e5])
def test_constant_features_or_targets_leave_the_mean(constant):
    X, Y = numbers(2)
    for rows, target in [(np.full((N, 3), constant), Y), (X, np.full((N, 2), constant))]:
        model = PLS().fit(rows, target, W)
        assert model.transform(rows).shape == (N, 0)
        assert not model.coef_.any()
        assert_allclose(model.predict(rows), np.tile(W @ target, (N, 1)), rtol=1e-14)
    beside = PLS().fit(np.column_stack([X, np.full(N, constant)]), Y, W)
    assert_allclose(beside.coef_[:, :-1], PLS().fit(X, Y, W).coef_, rtol=1e-9)
    assert not beside.coef_[:, -1].any()


def test_several_targets_have_one_table():
    X, Y = numbers(3)
    model = PLS().fit(X, Y)
    assert (model.coef_.shape, model.intercept_.shape, model.loadings_.shape) == (
        (3, D),
        (3,),
        (2, 3),
    )
    residual, total = (
        ((Y - model.predict(X)) ** 2).sum(axis=0),
        ((Y - Y.mean(axis=0)) ** 2).sum(axis=0),
    )
    assert model.score(X, Y) == pytest.approx(np.mean(1 - residual / total))
    one, column = PLS().fit(X, Y[:, 0]), PLS().fit(X, Y[:, :1])
    assert_allclose(column.predict(X)[:, 0], one.predict(X), rtol=1e-12)
    with pytest.raises(
        ValueError, match=r"y has shape \(60,\); give the \(60, 3\) that is predicted"
    ):
        model.score(X, Y[:, 0])
    with pytest.raises(ValueError, match="y should be a 1d array, got an array of shape"):
        LinearRegression().fit(X, Y)


@each("K", [2, 3])
def test_partial_least_squares_discriminant_analysis_with_all_components_is_lda(K):
    X, _ = numbers()
    y = np.arange(N) % K
    ours = FlexibleDiscriminantAnalysis(PLS(None)).fit(X, y, W)
    expected = LinearDiscriminantAnalysis().fit(X, y, W).predict_log_proba(X)
    assert_allclose(ours.predict_log_proba(X), expected, atol=1e-8)
    assert ours.certificate_kind_ == "closed_form"
