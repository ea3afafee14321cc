"""Models with an intercept do not depend on the offsets of features."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import sparse

from linclass import FirthLogisticRegression, OrdinalRegression


def three_classes() -> tuple[np.ndarray, np.ndarray]:
    y = np.arange(60) % 3
    return np.random.default_rng(0).normal(size=(60, 4)) + y[:, None], y


@pytest.mark.parametrize("K", [2, 3])
@pytest.mark.parametrize("model", [FirthLogisticRegression, OrdinalRegression])
def test_coefficients_do_not_depend_on_offsets(model: type, K: int) -> None:
    X, y = three_classes()
    X, y = X[y < K], y[y < K]
    near, far = model(tol=1e-9).fit(X, y), model(tol=1e-9).fit(X + 1e6, y)
    assert near.status_ == far.status_ == "converged"
    assert np.abs(near.coef_).max() > 0.1
    np.testing.assert_allclose(far.coef_, near.coef_, rtol=1e-6, atol=1e-8)
    np.testing.assert_allclose(far.predict_proba(X + 1e6), near.predict_proba(X), atol=1e-7)
    if model is FirthLogisticRegression:
        errors = [m.standard_errors_[:, :-1] for m in (near, far)]
        np.testing.assert_allclose(*errors, rtol=1e-6)


@pytest.mark.filterwarnings("ignore:.*linearly dependent")
@pytest.mark.parametrize("model", [FirthLogisticRegression, OrdinalRegression])
def test_a_constant_feature_changes_no_probability(model: type) -> None:
    X, y = three_classes()
    more = np.column_stack([X, np.full(60, 0.1)])
    alone, both = model(tol=1e-9).fit(X, y), model(tol=1e-9).fit(more, y)
    np.testing.assert_allclose(both.predict_proba(more), alone.predict_proba(X), atol=1e-7)


def test_sparse_rows_far_from_0_are_not_taken_for_fitted() -> None:
    X, y = three_classes()
    near = OrdinalRegression().fit(X, y)
    far = OrdinalRegression().fit(sparse.csr_array(X + 1e4), y)
    np.testing.assert_allclose(far.coef_, near.coef_, rtol=1e-3)


def test_an_order_names_each_class_once() -> None:
    X, y = three_classes()
    with pytest.raises(ValueError, match="'mid' more than once"):
        OrdinalRegression(order=["lo", "mid", "mid", "hi"]).fit(X, np.array(["lo", "mid", "hi"])[y])
