"""Warm starts of kernel machines: the fit is the same, and cheaper where the previous one is near."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from cases import each
from scipy import sparse
from sklearn.base import clone

from linclass import (
    KernelLogisticRegression,
    KernelPerceptron,
    KernelSVM,
    SupportVectorRegressor,
)
from linclass.base.regressor import Regressor

MODELS = [
    KernelSVM(strength=0.01),
    KernelSVM(strength=0.01, loss="squared_hinge"),
    KernelSVM(strength=0.01, kernel="polynomial", degree=2),
    KernelLogisticRegression(strength=0.01),
    SupportVectorRegressor(strength=0.01, kernel="gaussian"),
    SupportVectorRegressor(strength=0.01, loss="squared_epsilon_insensitive"),
]
ALL = each("model", MODELS, ids=repr)
pytestmark = pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")


def rows(model: Any, K: int = 2, n: int = 120) -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(K)
    y = np.arange(n) % K
    X = rng.normal(size=(n, 2)) + y[:, None]
    return X, (X[:, 0] ** 2 + rng.normal(size=n) if isinstance(model, Regressor) else y)


def answers(model: Any, X: Any) -> np.ndarray:
    return model.predict(X) if isinstance(model, Regressor) else model.decision_function(X)


@each("container", [np.asarray, sparse.csr_array])
@each("K", [2, 3])
@ALL
def test_a_warm_fit_is_the_fit(model: Any, K: int, container: Any) -> None:
    X, y = rows(model, K)
    cold = clone(model).set_params(tol=1e-10).fit(container(X), y)
    warm = clone(model).set_params(tol=1e-10, warm_start=True, strength=0.05)
    warm.fit(container(X), y).set_params(strength=0.01).fit(container(X), y)
    Z = answers(cold, container(X))
    size = np.abs(Z).max()
    np.testing.assert_allclose(answers(warm, container(X)), Z, rtol=1e-4, atol=1e-4 * size)
    assert warm.objective_ == pytest.approx(cold.objective_, rel=1e-8)


@ALL
def test_a_fit_from_its_own_end_is_over_at_once(model: Any) -> None:
    X, y = rows(model)
    cold = clone(model).fit(X, y)
    warm = clone(model).set_params(warm_start=True).fit(X, y)
    assert warm.n_iter_ == cold.n_iter_ > 1  # without a previous fit
    warm.fit(X, y)
    assert warm.n_iter_ <= 1 + cold.n_iter_ // 4
    assert warm.status_ == "converged"


@ALL
def test_other_rows_start_anew(model: Any) -> None:
    X, y = rows(model)
    warm = clone(model).set_params(warm_start=True).fit(X, y)
    for other, own in ((X[:50], y[:50]), (X + 1e-3, y), (X[:, [0, 1, 0]], y)):
        fresh = clone(model).fit(other, own)
        warm.fit(other, own)
        if "coef_" in vars(warm):  # which any rows with as many features can start from
            assert warm.objective_ == pytest.approx(fresh.objective_, rel=2 * fresh.tol)
            continue
        assert warm.n_iter_ == fresh.n_iter_
        np.testing.assert_array_equal(answers(warm, other), answers(fresh, other))


@ALL
def test_rows_of_weight_zero_keep_their_places(model: Any) -> None:
    X, y = rows(model)
    w = (np.arange(len(y)) % 5 > 0).astype(float)
    warm = clone(model).set_params(warm_start=True).fit(X, y, w)
    first = warm.n_iter_
    assert warm.fit(X, y, w).n_iter_ <= 1 + first // 4
    np.testing.assert_allclose(
        answers(warm, X), answers(clone(model).fit(X, y, w), X), rtol=1e-2, atol=1e-2
    )


@each("K", [2, 3])
@each("intercept", [True, False])
def test_a_perceptron_goes_on_from_where_it_was(K: int, intercept: bool) -> None:
    X, y = rows(KernelPerceptron(), K)
    model = KernelPerceptron(gamma=20.0, fit_intercept=intercept, max_iter=1000).fit(X, y)
    assert model.status_ == "converged"
    again = clone(model).set_params(warm_start=True).fit(X, y)
    Z = again.decision_function(X)
    again.fit(X, y)
    assert (again.n_mistakes_, again.n_iter_) == (0, 1)
    np.testing.assert_array_equal(again.decision_function(X), Z)


def test_many_rows_with_few_features_start_from_the_features() -> None:
    """Where a kernel of low rank is replaced by its features."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(1200, 2))
    y = (X[:, 0] + rng.normal(size=1200) > 0).astype(int)
    model = KernelSVM(kernel="linear", strength=0.01, warm_start=True).fit(X, y)
    Z, first = model.decision_function(X), model.n_iter_
    assert model.fit(X, y).n_iter_ < first
    np.testing.assert_allclose(model.decision_function(X), Z, rtol=1e-3, atol=1e-3)
