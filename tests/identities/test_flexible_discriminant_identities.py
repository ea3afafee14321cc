"""Flexible discriminant analysis: linear regression gives linear discriminant analysis, ridge adds λI to Σ."""

import numpy as np
import pytest
from cases import each
from scipy import sparse
from sklearn.linear_model import LinearRegression as Theirs
from sklearn.neighbors import KNeighborsRegressor

from linclass import (
    FisherDiscriminant,
    FlexibleDiscriminantAnalysis,
    LinearDiscriminantAnalysis,
    ReducedRankLDA,
    Ridge,
    TunedRegressor,
)

FDA = FlexibleDiscriminantAnalysis


def problem(K, n=150, d=4):
    """Classes of unequal size and correlated features."""
    rng = np.random.default_rng(K)
    y = rng.permutation(np.arange(n) % (K + 1) % K)
    X = rng.normal(size=(n, d)) @ rng.normal(size=(d, d)) + rng.normal(size=(K, d))[y] + 5
    return X, y


@each("priors", [None, "uniform"])
@each("ddof", [1, 0])
@each("K", [2, 3, 7])  # 7: of six scores, four features explain four
def test_flexible_discriminant_analysis_with_linear_regression_is_lda(K, ddof, priors):
    X, y = problem(K)
    w = np.random.default_rng(0).uniform(0.5, 2, len(y))
    ours = FDA(priors=priors, ddof=ddof).fit(X, y, w)
    lda = LinearDiscriminantAnalysis(priors, ddof).fit(X, y, w)
    np.testing.assert_allclose(ours.predict_log_proba(X), lda.predict_log_proba(X), atol=1e-9)
    assert (ours.status_, ours.certificate_kind_) == ("converged", "gradient_cosine")


@each("K", [2, 3, 7])
def test_coordinates_of_flexible_discriminant_analysis_are_fishers(K):
    X, y = problem(K)
    ours, fisher = FDA().fit(X, y), FisherDiscriminant().fit(X, y)
    np.testing.assert_allclose(ours.transform(X), fisher.transform(X), atol=1e-9)
    assert ours.get_feature_names_out()[0] == "flexiblediscriminantanalysis0"
    # the ratio of variances between and within, from the share that is between: α²/(1 − α²)
    between = ours.explained_ / (1 - ours.explained_)
    np.testing.assert_allclose(between, fisher.ratios_, rtol=1e-9)


def test_flexible_discriminant_analysis_with_fewer_components_is_reduced_rank_lda():
    X, y = problem(5)
    ours, reduced = FDA(n_components=2).fit(X, y), ReducedRankLDA(2).fit(X, y)
    np.testing.assert_allclose(ours.predict_log_proba(X), reduced.predict_log_proba(X), atol=1e-9)


@each("K", [2, 3])
@each("strength", [0.01, 3.0])
def test_flexible_discriminant_analysis_with_ridge_is_penalized_discriminant_analysis(K, strength):
    """Hastie, Buja & Tibshirani (1995): Σ + λI in the place of Σ."""
    X, y = problem(K)
    model = FDA(Ridge(strength=strength), ddof=0).fit(X, y)
    M, share = np.array([X[y == k].mean(axis=0) for k in range(K)]), np.bincount(y) / len(y)
    R = X - M[y]
    A = np.linalg.inv(R.T @ R / len(y) + strength * np.eye(4))
    Z = X @ A @ M.T - 0.5 * np.einsum("kj,jl,kl->k", M, A, M) + np.log(share)
    expected = (
        Z
        - np.log(np.exp(Z - Z.max(1, keepdims=True)).sum(1, keepdims=True))
        - Z.max(1, keepdims=True)
    )
    np.testing.assert_allclose(model.predict_log_proba(X), expected, atol=1e-8)
    U = model.transform(X)
    within = U - np.array([U[y == k].mean(axis=0) for k in range(K)])[y]
    V = within.T @ within / len(y)
    assert np.linalg.eigvalsh(V).max() < 1  # of the unit of Σ + λI, what Σ leaves


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
@each("form", [np.asarray, sparse.csr_array])
def test_classes_that_are_predicted_exactly_are_reported_and_ridge_is_the_remedy(form):
    rng = np.random.default_rng(0)
    X, y = form(rng.normal(size=(12, 40))), np.arange(12) % 3
    exact = FDA().fit(X, y)
    assert exact.status_ == "rank_deficient"
    assert exact.score(X, y) == 1
    ridge = FDA(Ridge(strength=0.1)).fit(X, y)
    assert ridge.status_ == "converged"
    assert np.isfinite(ridge.predict_log_proba(X)).all()
    perfect = FDA(KNeighborsRegressor(1)).fit(X, y)
    assert "predicts the classes exactly along 2 of 2 coordinates" in perfect.reason_


def test_a_regressor_that_holds_rows_out_gets_the_groups():
    X, y = problem(3)
    groups = np.arange(len(y)) // 4
    model = FDA(TunedRegressor(cv=3)).fit(X, y, groups=groups)
    for regressor in model.regressors_:
        assert all(len(np.unique(regressor.fold_[groups == g])) == 1 for g in range(groups.max()))
    weights = np.where(np.arange(len(y)) < 8, 0.0, 1.0)
    left_out = FDA(TunedRegressor(cv=3)).fit(X, y, weights, groups)
    alone = FDA(TunedRegressor(cv=3)).fit(X[8:], y[8:], weights[8:], groups=groups[8:])
    np.testing.assert_allclose(left_out.coef_, alone.coef_, rtol=1e-10)


class WithItsOwnStatus(Theirs):
    """What a foreign attribute of this name means is not known."""

    status_, certificate_kind_ = "ok", None


def test_a_status_of_another_library_is_not_taken_over():
    X, y = np.random.default_rng(0).normal(size=(40, 3)), np.arange(40) % 3
    model = FlexibleDiscriminantAnalysis(WithItsOwnStatus()).fit(X, y)
    assert (model.status_, model.reason_) == ("converged", "")
    plain = FlexibleDiscriminantAnalysis(Theirs()).fit(X, y)
    np.testing.assert_allclose(model.decision_function(X), plain.decision_function(X))
