"""The same criteria as scikit-learn's and statsmodels'."""

import numpy as np
import pytest
import sklearn.linear_model as peers
import statsmodels.api as sm
from cases import each
from numpy.testing import assert_allclose

import linclass as L


def numbers(seed):
    rng = np.random.default_rng(seed)
    X = rng.standard_normal((200, 8)) @ (np.eye(8) + 0.3)
    return X, X @ rng.choice([0, 0, 0.1, 1], 8) + 2 * rng.standard_normal(200)


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
