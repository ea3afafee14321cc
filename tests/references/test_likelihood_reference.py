"""The likelihoods of statsmodels and of published tables."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
import pytest
from sklearn.svm import LinearSVC

from linclass import LinearClassifier, ProbitRegression


@pytest.fixture(scope="module")
def sm() -> Any:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        import statsmodels.api
    return statsmodels.api


def rows(n: int = 300, d: int = 3, seed: int = 0) -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(seed)
    X = rng.standard_normal((n, d))
    return X, X @ np.linspace(1, -1, d) + rng.standard_normal(n)


def test_probit_estimates_and_standard_errors_are_statsmodels(sm: Any) -> None:
    X, z = rows()
    y = (z > 0.4).astype(int)
    theirs = sm.Probit(y, sm.add_constant(X)).fit(disp=0, tol=1e-12)
    table = ProbitRegression(penalty=None).fit(X, y).summary()
    np.testing.assert_allclose(table.table.estimate, theirs.params, rtol=1e-7)
    np.testing.assert_allclose(table.table.std_error, theirs.bse, rtol=1e-6)
    assert table.deviance == pytest.approx(-2 * theirs.llf)
    assert table.null_deviance == pytest.approx(-2 * theirs.llnull)


def test_a_linear_svm_with_an_l1_penalty_is_liblinears() -> None:
    X, z = rows(d=8)
    y = (z > 0).astype(int)
    ours = LinearClassifier(
        loss="squared_hinge", penalty="elastic_net", l1_ratio=1.0, strength=0.1, fit_intercept=False
    ).fit(X, y)
    theirs = LinearSVC(
        penalty="l1", dual=False, C=1 / (300 * 0.1), fit_intercept=False, tol=1e-9, max_iter=10**5
    ).fit(X, y)
    assert 0 < np.count_nonzero(ours.coef_) < 8
    np.testing.assert_allclose(ours.coef_, theirs.coef_, atol=1e-4)
    assert ours.certificate_ <= 1e-6
