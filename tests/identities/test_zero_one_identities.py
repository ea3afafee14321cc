"""The fewest training errors: the optimum by brute force, the lower bound, and solutions of the local search."""

from itertools import combinations
from math import fsum

import numpy as np
import pytest
from cases import each
from scipy import sparse

import linclass as L
from linclass.separation.separability import separability
from linclass.separation.zero_one_cells import all_cells
from linclass.separation.zero_one_problem import Answer, ZeroOneProblem, search_conflicts

RIVALS = [
    L.LogisticRegression(strength=1e-3), L.LinearDiscriminantAnalysis(), L.LeastSquaresClassifier(), L.NearestMean(),
    L.Perceptron(max_iter=30), L.LinearClassifier(loss="squared_hinge"),
]  # fmt: skip


def problem(seed, n, d):
    """Noisy rows; every other seed on a grid, with ties, repeated rows and contradictions."""
    rng = np.random.default_rng([seed, n, d])
    X = rng.standard_normal((n, d)) if seed % 2 else rng.integers(-1, 3, (n, d)).astype(float)
    y = (X[:, 0] + rng.choice([0.5, 1, 3]) * rng.standard_normal(n) > 0.5).astype(int)
    y[:2] = 0, 1
    return X, y


def by_brute_force(X, y):
    """The fewest rows without which the others are separable, or of one class."""
    for k in range(len(y)):
        for wrong in combinations(range(len(y)), k):
            kept = np.setdiff1d(np.arange(len(y)), wrong)
            if len(set(y[kept])) < 2 or separability(X[kept], y[kept]).separable:
                return k
    raise AssertionError("a row alone is always right")


def wrong(model, X, y):
    return int(np.count_nonzero(model.predict(X) != y))


@each("d", [1, 2, 3, 4], quick=1)
@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
def test_the_zero_one_classifier_has_the_fewest_errors_of_linear_classifiers(d):
    """200 problems in all, every one certified."""
    for seed in range(50):
        X, y = problem(seed, 30 if d < 4 else 18, d)
        exact = L.ZeroOneClassifier().fit(X, y)
        assert exact.status_ == "converged", seed
        assert exact.bound_ == exact.n_errors_ == wrong(exact, X, y), seed
        for rival in RIVALS:
            if seed % 2 or not isinstance(rival, L.LinearDiscriminantAnalysis):
                assert wrong(rival.fit(X, y), X, y) >= exact.n_errors_, (seed, rival)


@each("d", [1, 2, 3])
def test_the_minimum_is_what_brute_force_finds(d):
    for seed in range(14):
        X, y = problem(seed, 9, d)
        model = L.ZeroOneClassifier().fit(X, y)
        assert model.exact_
        assert model.n_errors_ == by_brute_force(X, y), seed


@pytest.mark.slow
@each("intercept", [True, False])
def test_cells_and_conflicts_come_to_the_same_minimum(intercept):
    for seed in range(15):
        X, y = problem(seed, 18, 1 + seed % 3)
        weights = np.random.default_rng(seed).integers(1, 4, len(y)).astype(float)
        P = ZeroOneProblem(X, y, weights, 2, intercept)
        d, cost = all_cells(P.Z, P.costs)[:2]
        assert P.cost(d) == pytest.approx(cost)
        found = search_conflicts(P, Answer(np.zeros(P.Z.shape[1]), P.total, 0.0), 10_000)
        assert found.bound == found.cost == P.cost(found.d) == pytest.approx(cost), seed


@each("unit", [1e-9, 1e9])
def test_a_bound_does_not_depend_on_the_unit_of_the_weights(unit):
    """The tolerances of integer programs are absolute: costs of 10⁻⁹ would all be 0 to them."""
    for seed in range(4):
        X, y = problem(seed, 12, 3)
        weights = np.random.default_rng(seed).uniform(1, 4, len(y))
        found = []
        for scale in (1.0, unit):
            P = ZeroOneProblem(X, y, scale * weights, 2, True)
            answer = search_conflicts(P, Answer(np.zeros(P.Z.shape[1]), P.total, 0.0), 10_000)
            assert answer.bound == answer.cost
            found.append(answer.cost / scale)
        assert found[1] == pytest.approx(found[0], rel=1e-9), seed


@each(
    ("seed", "n", "d", "noise", "fewest"),
    [(5, 50, 6, 0.05, 2), (6, 60, 5, 0.1, 3), (9, 80, 6, 0.05, 2), (10, 100, 4, 0.05, 4)],
)
def test_small_noisy_problems_are_certified_by_default(seed, n, d, noise, fewest):
    """None of them is enumerated; the minima are also those of a mixed-integer program with a least margin."""
    rng = np.random.default_rng(seed)
    X, w = rng.standard_normal((n, d)), rng.standard_normal(d)
    y = X @ w + 0.3 * rng.standard_normal() > 0
    y ^= rng.random(n) < noise
    model = L.ZeroOneClassifier().fit(X, y)
    assert model.status_ == "converged"
    assert model.bound_ == wrong(model, X, y) == fewest


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
def test_errors_of_very_different_weights_are_counted_to_the_lightest_row():
    """Beside costs of 10⁸ floats lose costs of 10⁻⁹ in the sums over cells."""
    for seed in range(3):
        X, y = problem(seed, 9, 2)
        weights = 10.0 ** np.random.default_rng(seed).integers(-9, 9, len(y))
        subsets = [s for k in range(9) for s in combinations(range(9), k)]
        for wrong_rows in sorted(subsets, key=lambda s: fsum(weights[list(s)])):
            kept = np.setdiff1d(np.arange(9), wrong_rows)
            if len(set(y[kept])) < 2 or separability(X[kept], y[kept]).separable:
                break
        least = fsum(weights[list(wrong_rows)])
        model = L.ZeroOneClassifier().fit(X, y, weights)
        assert model.bound_ <= least * (1 + 1e-9)
        assert model.n_errors_ == pytest.approx(least, rel=1e-9) or not model.exact_


def test_three_classes_are_fitted_together_and_certified():
    for seed in range(6):
        rng = np.random.default_rng(seed)
        y = np.arange(24) % 3
        X = rng.standard_normal((24, 2)) + 1.5 * np.eye(3)[y][:, :2]
        model = L.ZeroOneClassifier(node_limit=5000).fit(X, y)
        assert model.exact_
        assert wrong(model, X, y) == model.n_errors_
        for rival in (L.LogisticRegression(strength=1e-4), L.LinearDiscriminantAnalysis()):
            assert wrong(rival.fit(X, y), X, y) >= model.n_errors_


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
def test_an_uncertified_line_is_not_called_exact():
    rng = np.random.default_rng(0)
    X = rng.standard_normal((120, 8))
    y = (X[:, 0] + 2 * rng.standard_normal(120) > 0).astype(int)
    bounds = []
    for limit in (0, 20):
        model = L.ZeroOneClassifier(node_limit=limit).fit(X, y)
        assert model.status_ == "max_iter"
        assert not model.exact_
        assert model.bound_ < model.n_errors_ == wrong(model, X, y)
        assert model.certificate_ == pytest.approx((model.n_errors_ - model.bound_) / 120)
        assert "not certified as optimal" in model.reason_
        bounds.append(model.bound_)
    assert bounds[0] == 1 < bounds[1]  # that of classes that are proved inseparable
    assert np.array_equal(L.ZeroOneClassifier(node_limit=20).fit(X, y).coef_, model.coef_)


def test_separable_classes_have_no_errors_at_any_size():
    rng = np.random.default_rng(0)
    X = sparse.random_array((500, 3000), density=0.02, format="csr", rng=rng)
    y = rng.integers(0, 2, 500)
    model = L.ZeroOneClassifier().fit(X, y)
    assert model.status_ == "converged"
    assert model.n_errors_ == 0 == wrong(model, X, y)


def test_sparse_rows_weights_and_repeated_rows_are_consistent():
    X, y = problem(2, 30, 3)
    weights = np.random.default_rng(0).integers(1, 4, 30)
    weighted = L.ZeroOneClassifier().fit(X, y, sample_weight=weights)
    repeated = L.ZeroOneClassifier().fit(np.repeat(X, weights, axis=0), np.repeat(y, weights))
    rows = L.ZeroOneClassifier().fit(sparse.csr_array(X), y, sample_weight=weights)
    assert weighted.n_errors_ == repeated.n_errors_ == rows.n_errors_
    assert weighted.n_errors_ == weights[weighted.predict(X) != y].sum()
    there, back = L.ZeroOneClassifier().fit(X, y), L.ZeroOneClassifier().fit(X[::-1], y[::-1])
    assert back.n_errors_ == there.n_errors_


def test_rows_through_the_origin_and_rows_without_features_at_the_origin():
    X, y = np.array([[1.0], [2.0], [3.0]]), np.array([0, 1, 1])
    through_origin = L.ZeroOneClassifier(fit_intercept=False).fit(X, y)
    assert (through_origin.n_errors_, through_origin.intercept_) == (1, 0)
    assert L.ZeroOneClassifier().fit(X, y).n_errors_ == 0
    model = L.ZeroOneClassifier(fit_intercept=False).fit(np.zeros((4, 1)), [0, 1, 0, 1])
    assert (model.n_errors_, model.exact_) == (4, True)


@each("near", [1e-8, 1e-10, 1e-12])
def test_nearly_equal_rows_are_not_treated_as_equal(near):
    """x₁ − 2x₂ − near/2 > 0 has every row right, so no bound above 0 is a proof."""
    X = np.array([[0, 0], [near, 0], [1, 1], [1, 0.3], [0.2, 0.9], [2 * near, 0], [0.5, 0.5]])
    y = np.array([0, 1, 0, 1, 0, 1, 0])
    assert ((X @ [1, -2] - near / 2 > 0) == y).all()
    model = L.ZeroOneClassifier().fit(X, y)
    assert (model.n_errors_, model.bound_, model.exact_) == (0, 0, True)
    rows = ZeroOneProblem(X, y, np.ones(7), 2, True)
    assert search_conflicts(rows, Answer(np.zeros(3), 7.0, 0.0), 30).bound == 0
