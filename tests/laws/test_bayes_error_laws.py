"""The Bayes error: closed forms, invariances, and no classifier is significantly better."""

from itertools import pairwise
from typing import Any

import numpy as np
import pytest
from cases import each
from scipy.integrate import quad
from scipy.stats import multivariate_normal, norm

from linclass.datasets.gaussian_classes import gaussians
from linclass.evaluation.bayes_error import bayes_error, square_roots

TRIANGLE = [[0.0, 0], [2, 0.5], [1, 2]]
ROUND = [[2.0, 0.6], [0.6, 1.0]]
UNLIKE = [[[2.0, 0.6], [0.6, 1.0]], [[0.5, -0.2], [-0.2, 1.5]], [[1.0, 0], [0, 0.3]]]
CASES: dict[str, tuple[Any, Any, Any]] = {
    "two, identity": (TRIANGLE[:2], "identity", None),
    "two, one covariance, unlike priors": (TRIANGLE[:2], ROUND, [0.2, 0.8]),
    "three, one covariance": (TRIANGLE, ROUND, None),
    "three on a line": ([[0.0, 0], [2, 0], [4, 0]], "identity", [0.5, 0.2, 0.3]),
    "five in the plane": ([*TRIANGLE, [3.0, 3], [-1, 1]], ROUND, None),
    "two covariances": (TRIANGLE[:2], UNLIKE[:2], [0.4, 0.6]),
    "one mean, two covariances": ([[0.0, 0], [0, 0]], [1.0, 5.0], None),
    "three covariances": (TRIANGLE, UNLIKE, [0.3, 0.3, 0.4]),
    "two covariances in space": (
        [[0.0, 0, 0], [1, 0.5, -1]],
        [np.diag([1.0, 2, 3]).tolist(), np.diag([2.0, 0.3, 1]).tolist()],
        None,
    ),
    "one dimension": ([[0.0], [1.0]], [1.0, 4.0], None),
}


def simulated(means: Any, covariances: Any, priors: Any, n: int = 400_000) -> tuple[float, float]:
    """(error of Bayes' rule on rows drawn, its standard error)."""
    K = len(means)
    pi = np.full(K, 1 / K) if priors is None else np.array(priors)
    rng = np.random.default_rng(0)
    X, y = gaussians(rng, means, [int(n * p) for p in pi], covariances)
    roots = square_roots(covariances, K, X.shape[1])
    joint = [multivariate_normal.logpdf(X, m, r @ r.T) for m, r in zip(means, roots, strict=True)]
    wrong = (np.array(joint).T + np.log(pi)).argmax(axis=1) != y
    return float(wrong.mean()), float(wrong.std() / np.sqrt(n))


@each("case", CASES)
def test_bayes_rule_has_the_bayes_error_on_generated_rows(case):
    error, deviation = simulated(*CASES[case])
    assert bayes_error(*CASES[case]) == pytest.approx(error, abs=4 * deviation + 2e-4)


@each("case", CASES)
def test_coordinates_and_order_do_not_matter(case):
    means, covariances, priors = CASES[case]
    K, d = np.shape(means)
    pi = np.full(K, 1 / K) if priors is None else np.array(priors)
    rng = np.random.default_rng(1)
    A, b, order = rng.normal(size=(d, d)), rng.normal(size=d), rng.permutation(K)
    roots = square_roots(covariances, K, d)
    C = np.array([A @ r @ r.T @ A.T for r in roots])
    C = (C + C.transpose(0, 2, 1)) / 2
    moved = np.array(means) @ A.T + b
    found = bayes_error(moved[order].tolist(), C[order].tolist(), pi[order].tolist())
    assert found == pytest.approx(bayes_error(means, covariances, priors), abs=3e-4)


def test_the_bayes_error_of_two_classes_with_equal_covariances_has_a_closed_form():
    assert bayes_error([[0, 0], [2, 2]]) == pytest.approx(norm.cdf(-np.sqrt(2)), rel=1e-14)
    assert bayes_error([[0, 0], [0, 0]], priors=[0.3, 0.7]) == pytest.approx(0.3)


def test_the_bayes_error_in_one_dimension_is_the_integral_of_the_smaller_density():
    means, variances, pi = [0.0, 1.0, 3.0], [1.0, 4.0, 0.5], np.array([0.5, 0.3, 0.2])

    def correct(x, K):
        return max(pi[k] * norm.pdf(x, means[k], np.sqrt(variances[k])) for k in range(K))

    for K in (2, 3):
        share = pi[:K].sum()
        points = np.linspace(-12, 16, 29)
        parts = [quad(correct, a, b, args=(K,))[0] for a, b in pairwise(points)]
        expected = 1 - sum(parts) / share
        found = bayes_error([[m] for m in means[:K]], variances[:K], pi[:K].tolist())
        assert found == pytest.approx(expected, abs=1e-8)


def test_the_bayes_error_is_right_for_identical_classes():
    twice = [*TRIANGLE, TRIANGLE[2]]
    without = bayes_error(TRIANGLE, ROUND, [0.3, 0.3, 0.25])
    # of the two equal classes the likelier is chosen, and all of the other is lost
    found = bayes_error(twice, ROUND, [0.3, 0.3, 0.25, 0.15])
    assert found == pytest.approx(0.85 * without + 0.15, abs=1e-5)
    assert bayes_error([[0, 0]] * 3) == pytest.approx(2 / 3)


@each(
    ("arguments", "message"),
    [
        (([[0, 0], [1, 1]], [[1.0, 1.0], [1.0, 1.0]]), "singular"),
        (([[0, np.nan], [1, 1]],), "not finite"),
        (([[0, 0], [1, 1]], [[1.0, np.nan], [np.nan, 1.0]]), "not finite"),
        (([[0, 0], [1, 1]], "identity", [1, 0]), "2 numbers above 0"),
        (([[0, 0], [1, 1]], "identity", [1]), "2 numbers above 0"),
    ],
)
def test_classes_without_an_answer_are_refused(arguments, message):
    with pytest.raises(ValueError, match=message):
        bayes_error(*arguments)
