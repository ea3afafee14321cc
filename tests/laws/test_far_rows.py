"""Features far from 0: a fit to X + c has the objective and the slopes of the fit to X, whatever has no penalty."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from numpy.testing import assert_allclose

from linclass import LogisticRegression, ProbitRegression


def data(classes: int) -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(0)
    X = np.round(rng.normal(size=(150, 4)) * 256) / 256  # X + c is exact
    return X, (X[:, :3] + rng.gumbel(size=(150, 3)))[:, :classes].argmax(axis=1)


@pytest.mark.parametrize("far", [1e3, 1e5, 1e7])
@pytest.mark.parametrize("classes", [2, 3])
@pytest.mark.parametrize(
    "penalty",
    [
        None,
        "l2",
        {"l2": {"factors": [0, 1, 1, 2]}},
        {"l2": {"factors": [0, 0, 1, 2]}},
        {"elastic_net": {"factors": [0, 1, 1, 2]}},
    ],
)
def test_columns_without_a_penalty_are_centred_as_for_the_intercept(
    penalty: Any, classes: int, far: float
) -> None:
    X, y = data(classes)
    near = LogisticRegression(penalty=penalty, strength=0.01, tol=1e-7).fit(X, y)
    moved = LogisticRegression(penalty=penalty, strength=0.01, tol=1e-7).fit(X + far, y)
    assert moved.status_ == "converged", moved.reason_
    assert moved.certificate_ <= 1e-7
    assert moved.objective_ == pytest.approx(near.objective_, rel=3e-7)
    assert_allclose(moved.coef_, near.coef_, atol=2e-3)
    assert_allclose(moved.predict_proba(X + far), near.predict_proba(X), atol=1e-3)


def test_rank_is_that_of_the_features_and_not_of_their_rounding() -> None:
    X, y = data(2)
    for far in (0, 1e7):
        model = ProbitRegression(penalty=None).fit(X + far, y)
        assert model.status_ == "converged"
    with pytest.warns(match="linearly dependent"):
        twice = LogisticRegression(penalty=None).fit(np.column_stack([X, X[:, 0]]) + 1e7, y)
    assert twice.status_ == "rank_deficient"


@pytest.mark.parametrize("far", [1e3, 1e5, 3e6, 1e7])
@pytest.mark.parametrize("classes", [2, 3])
def test_standard_errors_are_those_of_the_rows_near_0(classes: int, far: float) -> None:
    X, y = data(classes)
    near = LogisticRegression(penalty=None).fit(X, y).summary()
    moved = LogisticRegression(penalty=None).fit(X + far, y).summary()
    weights = ["(Intercept)" not in name for name in near.table.name]
    assert_allclose(moved.table.std_error[weights], near.table.std_error[weights], rtol=1e-5)
    assert_allclose(moved.table.estimate[weights], near.table.estimate[weights], rtol=1e-4)
    assert moved.deviance == pytest.approx(near.deviance, rel=1e-9)
    assert moved.null_deviance == pytest.approx(near.null_deviance, rel=1e-12)
