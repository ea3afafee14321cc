"""Regressors with an offset: the fit is that to what is left of the target."""

from __future__ import annotations

import numpy as np
import statsmodels.api as sm
from cases import each

import linclass


def rows() -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(0)
    X = rng.normal(size=(70, 3)) + 1.0
    return X, X @ [1.0, -2.0, 0.5] + rng.normal(size=70)


@each("name", ["Ridge", "Lasso", "ElasticNet", "LinearRegression"])
def test_regressors_fit_what_is_left_of_the_target(name: str) -> None:
    X, y = rows()
    rng = np.random.default_rng(3)
    offset, w = 2 * rng.normal(size=len(y)), rng.integers(0, 3, len(y)) * 1.0
    kind = getattr(linclass, name)
    model, left = kind().fit(X, y, w, offset), kind().fit(X, y - offset, w)
    assert np.array_equal(model.coef_, left.coef_)
    np.testing.assert_allclose(model.predict(X, offset), left.predict(X) + offset)
    if name == "LinearRegression":
        known = sm.GLM(y, sm.add_constant(X), offset=offset, freq_weights=w).fit()
        ours = [model.intercept_, *model.coef_]
        np.testing.assert_allclose(ours, known.params, rtol=1e-9)
    else:
        for one in kind().path(X, y, [0.05, 0.5], w, offset):
            alone = kind(strength=one.strength).fit(X, y, w, offset)
            np.testing.assert_allclose(one.coef_, alone.coef_, atol=1e-5)


@each("kind", [linclass.BayesianLinearRegression, linclass.RelevanceVectorRegressor])
def test_the_bayesian_mean_has_the_offset_and_the_deviation_has_not(kind) -> None:
    X, y = rows()
    offset = 2 * np.random.default_rng(3).normal(size=len(y))
    model = kind().fit(X, y, offset=offset)
    left = kind().fit(X, y - offset)
    mean, deviation = model.predict(X, return_std=True, offset=offset)
    wanted = left.predict(X, return_std=True)
    np.testing.assert_allclose(mean, wanted[0] + offset)
    np.testing.assert_allclose(deviation, wanted[1])
    assert model.log_evidence_ == left.log_evidence_
