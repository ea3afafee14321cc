"""The same choices as scikit-learn's estimators with inner folds or criteria, on the same folds and grids."""

import numpy as np
import pytest
import sklearn.linear_model as peers
import statsmodels.api as sm
from cases import each
from numpy.testing import assert_allclose

import linclass as L

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
    rng = np.random.default_rng(K)
    y = rng.integers(0, K, 200)
    X = 0.6 * np.eye(6)[y] + rng.standard_normal((200, 6))
    scoring = "neg_log_loss" if metric == "log_loss" else metric
    options = {"l1_ratios": (0,), "use_legacy_attributes": False, "tol": 1e-10, "max_iter": 1000}
    Cs = [L.strength_of_C(s, 160) for s in STRENGTHS]
    peer = peers.LogisticRegressionCV(Cs=Cs, cv=SPLITS, scoring=scoring, **options).fit(X, y)
    inner = L.LogisticRegression(tol=1e-10)
    ours = L.TunedClassifier(inner, strengths=STRENGTHS, cv=FOLD, scoring=metric).fit(X, y)
    assert_allclose(ours.scores_, np.reshape(peer.scores_, (5, len(STRENGTHS))), atol=1e-5)
    assert np.ravel(peer.C_)[0] == pytest.approx(L.strength_of_C(ours.strength_, 160))


@each(("peer", "inner", "factor"), [
    (peers.LassoCV(alphas=STRENGTHS, cv=SPLITS, tol=1e-10), L.Lasso(tol=1e-10), 1),
    (peers.ElasticNetCV(l1_ratio=0.7, alphas=STRENGTHS, cv=SPLITS, tol=1e-10),
     L.ElasticNet(l1_ratio=0.7, tol=1e-10), 1),
    (peers.RidgeCV(alphas=160 * STRENGTHS, cv=SPLITS, scoring="neg_mean_squared_error"), L.Ridge(tol=1e-10), 160),
])  # fmt: skip
@each("seed", [0, 1, 2])
def test_lasso_elastic_net_and_ridge_choose_as_scikit_learns(seed, peer, inner, factor):
    X, y = numbers(seed)
    peer.fit(X, y)
    ours = L.TunedRegressor(inner, strengths=STRENGTHS, cv=FOLD).fit(X, y)
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
    X, y = numbers(seed)
    peer = peers.LassoLarsIC(criterion=rule, noise_variance=4.0).fit(X, y)
    kinks = peer.alphas_[peer.alphas_ > 1e-12]
    options = {"strengths": kinks * (1 - 1e-9), "rule": rule, "noise_variance": 4.0}
    ours = L.TunedRegressor(L.Lasso(tol=1e-12, solver="homotopy"), **options).fit(X, y)
    price = 2 if rule == "aic" else np.log(200)
    own = ours.criterion_ - price * ours.degrees_of_freedom_
    # at a kink scikit-learn does not yet count the feature that joins there
    before = L.Lasso(tol=1e-12).path(X, y, kinks * (1 + 1e-9))
    df = np.array([np.count_nonzero(fit.coef_) for fit in before])
    assert_allclose(own + price * df, peer.criterion_[: len(kinks)], rtol=1e-6)


def test_the_criteria_are_those_of_statsmodels_also_with_fractional_weights():
    X, y = numbers(0)
    labels, ones = (y > 0).astype(int), sm.add_constant(X)
    w, binomial = np.random.default_rng(1).uniform(0.3, 2.5, len(y)), sm.families.Binomial()
    least, likelihood = sm.OLS(y, ones).fit(), sm.Logit(labels, ones).fit(disp=0)
    weighted = sm.GLM(labels, ones, family=binomial, freq_weights=w).fit()
    regressor = L.TunedRegressor, L.Ridge()
    classifier = L.TunedClassifier, L.LogisticRegression()
    for (tuned, inner), target, weights, rule, value in [
        (regressor, y, None, "aic", least.aic),
        (regressor, y, None, "bic", least.bic),
        (classifier, labels, None, "aic", likelihood.aic),
        (classifier, labels, None, "bic", likelihood.bic),
        (classifier, labels, w, "aic", weighted.aic),
        (classifier, labels, w, "bic", weighted.bic_llf),
    ]:
        ours = tuned(inner, strengths=[1e-9], rule=rule).fit(X, target, weights)
        assert ours.criterion_[0] == pytest.approx(value, rel=1e-6)
