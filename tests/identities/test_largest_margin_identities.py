"""The largest margin: iris by the published numbers, an independent program, and the perceptron's bound."""

import numpy as np
import pytest
from cases import each
from scipy import sparse
from scipy.optimize import minimize

from linclass import Perceptron, largest_margin
from linclass.separation.separability import separability


def iris(*columns):
    """Setosa against the others; a column is a feature's number or (i, j) for a ratio."""
    from sklearn.datasets import load_iris

    X, species = load_iris(return_X_y=True)
    chosen = [X[:, c[0]] / X[:, c[1]] if isinstance(c, tuple) else X[:, c] for c in columns]
    return np.column_stack(chosen), (species > 0).astype(int)


def apart(seed, n=40, d=3):
    rng = np.random.default_rng(seed)
    X, w = rng.standard_normal((n, d)), rng.standard_normal(d)
    y = (X @ w > 0).astype(int)
    y[:2] = (X[:2] @ w > 0) * 1
    return X + 0.1 * np.outer(2 * y - 1, w), y


def test_iris_is_separable_through_the_origin_by_its_widths():
    found = largest_margin(*iris(1, 3), intercept="none")
    assert found.separable
    assert found.margin == pytest.approx(0.288, abs=5e-4)


def test_iris_by_ratios_needs_the_constant_feature():
    X, y = iris((1, 0), (3, 2))
    none = largest_margin(X, y, intercept="none")
    assert none.kind != "complete"
    assert none.holds(X, y)
    assert none.margin == 0
    assert largest_margin(X, y, intercept="feature").margin == pytest.approx(0.0171, abs=5e-5)
    assert largest_margin(X, y, intercept="free").margin == pytest.approx(0.0172, abs=5e-5)


@each("intercept", ["none", "feature", "free"])
def test_the_margin_is_that_of_an_independent_quadratic_program(intercept):
    for seed in range(8):
        X, y = apart(seed)
        found = largest_margin(X, y, intercept)
        signs = 2 * y - 1
        A = X if intercept == "none" else np.column_stack([X, np.ones(len(X))])
        length = A.shape[1] if intercept != "free" else A.shape[1] - 1
        any_w = separability(X, y, intercept)
        start = np.r_[any_w.weights, [] if intercept == "none" else any_w.intercept]
        start = start / (signs * (A @ start)).min()
        solved = minimize(
            lambda w, length=length: w[:length] @ w[:length] / 2,
            start,
            jac=lambda w, length=length: np.r_[w[:length], np.zeros(len(w) - length)],
            constraints={"type": "ineq", "fun": lambda w, A=A, s=signs: s * (A @ w) - 1},
            method="SLSQP",
            options={"ftol": 1e-14, "maxiter": 500},
        )
        assert found.margin == pytest.approx(1 / np.sqrt(2 * solved.fun), rel=1e-5)
        assert any_w.margin <= found.margin * (1 + 1e-9) <= found.bound * (1 + 1e-8)


@each("order", ["cyclic", "random"])
def test_the_perceptron_keeps_novikoffs_bound(order):
    for seed in range(10):
        X, y = apart(seed)
        bound = largest_margin(X, y, "feature").most_mistakes
        model = Perceptron(order=order, max_iter=100_000).fit(X, y)
        assert model.status_ == "converged"
        assert 0 < model.n_mistakes_ <= bound
    assert largest_margin(X, np.arange(len(y)) % 2, "none").most_mistakes == np.inf
    with pytest.raises(ValueError, match="intercept='feature'"):
        _ = largest_margin(X, y, "free").most_mistakes


@each("offset", [0.0, 1e2, 1e4, 1e6])
@each("intercept", ["none", "feature", "free"])
def test_a_margin_is_certified_as_the_largest_or_reported_as_uncertified(intercept, offset):
    rng = np.random.default_rng(1)
    X = rng.integers(0, 4, (40, 3)).astype(float)
    y = (X.sum(axis=1) > 4.5).astype(int)
    for rows in (X + offset, sparse.csr_array(X + offset)):
        found = largest_margin(rows, y, intercept)
        assert found.separable or intercept == "none"
        near = found.margin >= found.bound * (1 - 1e-6)
        assert found.margin <= found.bound * (1 + 1e-9)
        assert (found.status == "converged") == (found.gap <= 1e-6) == near
        assert near or "at most" in found.reason
    if intercept == "free":  # which offsets do not change
        assert largest_margin(X + offset, y).status == "converged"
