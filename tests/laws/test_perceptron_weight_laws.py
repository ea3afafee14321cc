"""Weights of a perceptron count rows: weight w means up to w visits in succession, until the row is correct."""

from __future__ import annotations

import sys
from typing import Any

import numpy as np
import pytest
from cases import each
from scipy import sparse

from linclass import KernelPerceptron, Perceptron
from linclass.linear.solvers.corrections import visits_of_many, visits_of_two

pytestmark = pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")

ORDERS = ["random", "cyclic", "largest_violation"]
KINDS = [Perceptron, KernelPerceptron]
FORMS = {
    "dense": (Perceptron, np.asarray, {}),
    "sparse": (Perceptron, sparse.csr_array, {}),
    "kernel": (KernelPerceptron, np.asarray, {"kernel": "polynomial", "gamma": 1.0, "degree": 2}),
}


def counts(K: int, seed: int = 0, n: int = 120) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Whole numbers, of which sums have no rounding: rows of overlapping classes, some of them 0, some long."""
    rng = np.random.default_rng([K, seed])
    y = np.arange(n) % K
    X = rng.poisson(2.0, size=(n, 4)) + rng.integers(0, 2, (K, 4))[y] - 2.0
    X[rng.random(n) < 0.1] *= 20
    return X, y, rng.choice([0.0, 1, 1, 2, 3, 30], n)


def row_by_row(X: Any, y: Any, weights: Any) -> tuple[np.ndarray, int]:
    """One pass, as in the books: Θ of the rows [x 1], and the corrections."""
    K, mistakes = y.max() + 1, 0
    theta = np.zeros((K, X.shape[1] + 1))
    for x, k, left in zip(np.column_stack([X, np.ones(len(X))]), y, weights, strict=True):
        while left > 0:
            z = theta @ x if K > 2 else np.array([0, theta[1] @ x])
            rival = int(np.argmax(np.where(np.arange(K) == k, -np.inf, z)))
            if z[k] > z[rival]:
                break
            signs = (np.arange(K) == k) - 1.0 * (np.arange(K) == rival)
            theta += min(left, 1) * np.outer(signs, x)
            left, mistakes = left - 1, mistakes + 1
    return (theta[1:] if K == 2 else theta), mistakes


@each("order", ORDERS)
@each("K", [2, 3])
@each("form", FORMS)
def test_a_row_of_weight_two_is_the_row_twice_in_every_order(form, K, order):
    """In random order wherever the two stand; with what the fit reports."""
    kind, stored, options = FORMS[form]
    for seed in range(2):
        X, y, w = counts(K, seed, 60 if form == "kernel" else 120)
        often = np.repeat(np.arange(len(y)), w.astype(int))
        if order == "random":
            often = np.random.default_rng(seed).permutation(often)
        limit = 60 if order == "largest_violation" else 4
        model = kind(order=order, max_iter=limit, fit_intercept=seed % 2 == 0, **options)
        weighted = model.fit(stored(X), y, sample_weight=w)
        scores, mistakes, wrong = (
            weighted.decision_function(X),
            weighted.n_mistakes_,
            weighted.certificate_,
        )
        repeated = model.fit(stored(X[often]), y[often])
        np.testing.assert_allclose(scores, repeated.decision_function(X), rtol=1e-9, atol=1e-9)
        assert mistakes == repeated.n_mistakes_ >= 50
        assert 0 < wrong == pytest.approx(repeated.certificate_)


@each("K", [2, 3])
@each("stored", [np.asarray, sparse.csr_array], ids=["dense", "sparse"])
def test_partial_fit_visits_a_row_as_often_as_its_weight(stored, K):
    """Without the pocket; the last visit is the fraction left."""
    X, y, w = counts(K)
    w = w * 0.75
    theta, mistakes = row_by_row(X, y, w)
    model = Perceptron()
    for part in np.array_split(np.arange(len(y)), 3):
        model.partial_fit(stored(X[part]), y[part], classes=range(K), sample_weight=w[part])
    np.testing.assert_allclose(np.column_stack([model.coef_, model.intercept_]), theta, atol=1e-9)
    assert model.n_mistakes_ == mistakes > 100


def test_a_row_is_visited_at_most_as_often_as_its_weight():
    assert visits_of_two(-1e300, 1e-300, 1e12) == visits_of_two(0.0, 0.0, 1e12) == 1e12
    for move in (1e-200, 0.0):
        found = visits_of_many(np.array([0, 1e300, 1.0]), 0, move, 1e12)
        np.testing.assert_array_equal(found, [1e12, -1e12, 0])


@each("order", ["random", "cyclic"])
@each("K", [2, 4])
@each("form", FORMS)
def test_a_heavy_row_costs_no_more_than_a_row(form, K, order):
    """Short rows beside long ones are visited thousands of times, but all at once."""
    kind, stored, options = FORMS[form]
    X, y, _ = counts(K, n=60)
    X[::2] *= 100
    calls, made = [], {}
    for weight in (3.0, 1e12):
        entered = 0

        def count(_frame, event, _of):
            nonlocal entered
            entered += event == "call"

        model, before = kind(order=order, max_iter=3, **options), sys.getprofile()
        sys.setprofile(count)
        try:
            model.fit(stored(X), y, sample_weight=np.full(len(y), weight))
        finally:
            sys.setprofile(before)
        calls.append(entered)
        made[weight] = model.n_mistakes_
    assert made[1e12] > 1000 > made[3.0]
    assert calls[1] < 2 * calls[0]


@each("kind", KINDS)
def test_a_random_order_depends_on_the_rows_and_not_on_their_places(kind):
    X, y, w = counts(3, n=60)
    moved = np.random.default_rng(1).permutation(len(y))
    options = {} if kind is Perceptron else {"kernel": "linear"}
    one = kind(max_iter=3, **options).fit(X, y, sample_weight=w)
    other = kind(max_iter=3, **options).fit(X[moved], y[moved], sample_weight=w[moved])
    np.testing.assert_array_equal(one.decision_function(X), other.decision_function(X))
    again = kind(max_iter=3, random_state=1, **options).fit(X, y, sample_weight=w)
    assert not np.array_equal(one.decision_function(X), again.decision_function(X))


@each("order", ORDERS)
def test_a_row_of_weight_zero_is_dropped_from_a_precomputed_kernel(order):
    X, y, w = counts(2, n=60)
    K, there = (1 + X @ X.T) ** 2, w > 0
    model = KernelPerceptron(kernel="precomputed", order=order, max_iter=3)
    weighed = model.fit(K, y, sample_weight=w).decision_function(K)
    absent = model.fit(K[np.ix_(there, there)], y[there], sample_weight=w[there])
    np.testing.assert_array_equal(weighed, absent.decision_function(K[:, there]))


@each("order", ["random", "cyclic"])
@each("kind", KINDS)
def test_the_heavier_of_contradicting_rows_is_classified_correctly(kind, order):
    """By 'largest_violation' each correction is one visit, and weights that are right there need not be met."""
    X, y = np.array([[-1.0], [1.0], [1.0], [1.0]]), np.array([0, 1, 0, 1])
    options = {"kernel": "linear"} if kind is KernelPerceptron else {}
    for heavy, weights in ((0, [1.0, 1, 5, 1]), (1, [1.0, 1, 1, 1])):
        model = kind(order=order, **options).fit(X, y, sample_weight=weights)
        assert model.predict([[1.0]]) == [heavy]
        lost = sum(w for w, own in zip(weights[1:], y[1:], strict=True) if own != heavy)
        assert model.certificate_ == pytest.approx(lost / sum(weights))
