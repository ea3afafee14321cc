"""The same choices as scikit-learn's estimators with inner folds or criteria, on the same folds and grids."""

import numpy as np
import pytest
from cases import each
from numpy.testing import assert_allclose

from linclass import (
    ElasticNet,
    Lasso,
    LogisticRegression,
    Ridge,
    TunedClassifier,
    TunedRegressor,
    strength_of_C,
)

FOLD = np.arange(200) % 5
SPLITS = [(np.flatnonzero(k != FOLD), np.flatnonzero(k == FOLD)) for k in range(5)]
STRENGTHS = np.logspace(1, -4, 11)


def numbers(seed):
    rng = np.random.default_rng(seed)
    X = rng.standard_normal((200, 8)) @ (np.eye(8) + 0.3)
    return X, X @ rng.choice([0, 0, 0.1, 1], 8) + 2 * rng.standard_normal(200)


@each("metric", ["accuracy", "log_loss"])
@each("K", [2, 3])
def test_logistic_regression_chooses_as_scikit_learns(K, metric):
    """A fit to 160 rows has C = 1/(160 · strength) there."""
    from sklearn.linear_model import LogisticRegressionCV

    rng = np.random.default_rng(K)
    y = rng.integers(0, K, 200)
    X = 0.6 * np.eye(6)[y] + rng.standard_normal((200, 6))
    scoring = "neg_log_loss" if metric == "log_loss" else metric
    peer = LogisticRegressionCV(
        Cs=[strength_of_C(s, 160) for s in STRENGTHS],
        cv=SPLITS,
        scoring=scoring,
        l1_ratios=(0,),
        use_legacy_attributes=False,
        tol=1e-10,
        max_iter=1000,
    )
    peer.fit(X, y)
    inner = LogisticRegression(tol=1e-10)
    ours = TunedClassifier(inner, strengths=STRENGTHS, cv=FOLD, scoring=metric).fit(X, y)
    theirs = np.asarray(peer.scores_).reshape(5, len(STRENGTHS))
    assert_allclose(ours.scores_, theirs, atol=1e-5)
    assert np.ravel(peer.C_)[0] == pytest.approx(strength_of_C(ours.strength_, 160))


@each("seed", [0, 1, 2])
def test_lasso_elastic_net_and_ridge_choose_as_scikit_learns(seed):
    from sklearn.linear_model import ElasticNetCV, LassoCV, RidgeCV

    X, y = numbers(seed)
    peers = [
        (LassoCV(alphas=STRENGTHS, cv=SPLITS, tol=1e-10), Lasso(), 1),
        (
            ElasticNetCV(alphas=STRENGTHS, l1_ratio=0.7, cv=SPLITS, tol=1e-10),
            ElasticNet(l1_ratio=0.7),
            1,
        ),
        (
            RidgeCV(alphas=160 * STRENGTHS, cv=SPLITS, scoring="neg_mean_squared_error"),
            Ridge(),
            160,
        ),
    ]
    for peer, inner, factor in peers:
        peer.fit(X, y)
        inner.tol = 1e-10
        ours = TunedRegressor(inner, strengths=STRENGTHS, cv=FOLD).fit(X, y)
        assert factor * ours.strength_ == pytest.approx(peer.alpha_)
        if hasattr(peer, "mse_path_"):
            assert_allclose(-ours.scores_.T, peer.mse_path_, rtol=1e-4)
            assert_allclose(ours.coef_, peer.coef_, atol=1e-4)
        else:
            assert ours.mean_scores_.max() == pytest.approx(peer.best_score_)


@each("rule", ["aic", "bic"])
@each("seed", [0, 1])
def test_a_lasso_by_criterion_is_scikit_learns(rule, seed):
    """Our df counts the intercept, scikit-learn's does not."""
    from sklearn.linear_model import LassoLarsIC

    X, y = numbers(seed)
    peer = LassoLarsIC(criterion=rule, noise_variance=4.0).fit(X, y)
    kinks = peer.alphas_[peer.alphas_ > 1e-12]
    ours = TunedRegressor(
        Lasso(tol=1e-12, solver="homotopy"),
        strengths=kinks * (1 - 1e-9),
        rule=rule,
        noise_variance=4.0,
    )
    ours.fit(X, y)
    price = 2 if rule == "aic" else np.log(200)
    own = ours.criterion_ - price * ours.degrees_of_freedom_
    theirs = peer.criterion_[: len(kinks)]
    # at a kink scikit-learn does not yet count the feature that joins there
    df = [
        1 + np.count_nonzero(fit.coef_) for fit in Lasso(tol=1e-12).path(X, y, kinks * (1 + 1e-9))
    ]
    assert_allclose(own + price * (np.array(df) - 1), theirs, rtol=1e-6)


def test_the_criteria_are_those_of_statsmodels_also_with_fractional_weights():
    sm = pytest.importorskip("statsmodels.api")
    X, y = numbers(0)
    fit = sm.OLS(y, sm.add_constant(X)).fit()
    for rule, value in (("aic", fit.aic), ("bic", fit.bic)):
        ours = TunedRegressor(Ridge(), strengths=[1e-9], rule=rule).fit(X, y)
        assert ours.criterion_[0] == pytest.approx(value, rel=1e-6)
    labels = (y > 0).astype(int)
    likelihood = sm.Logit(labels, sm.add_constant(X)).fit(disp=0)
    for rule, value in (("aic", likelihood.aic), ("bic", likelihood.bic)):
        logistic = TunedClassifier(LogisticRegression(), strengths=[1e-9], rule=rule).fit(X, labels)
        assert logistic.criterion_[0] == pytest.approx(value, rel=1e-6)
    w = np.random.default_rng(1).uniform(0.3, 2.5, len(y))
    peer = sm.GLM(labels, sm.add_constant(X), family=sm.families.Binomial(), freq_weights=w).fit()
    for rule, value in (("aic", peer.aic), ("bic", peer.bic_llf)):
        ours = TunedClassifier(LogisticRegression(), strengths=[1e-9], rule=rule)
        assert ours.fit(X, labels, w).criterion_[0] == pytest.approx(value, rel=1e-6)
