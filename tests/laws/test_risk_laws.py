"""Least expected costs of predictions, and the Bayes error of known distributions."""

from itertools import pairwise

import numpy as np
import pytest
from cases import each
from scipy.integrate import quad
from scipy.stats import multivariate_normal, norm

from linclass.base.arrays import log_probabilities
from linclass.datasets.generators import gaussians
from linclass.evaluation.bayes_error import bayes_error, square_roots
from linclass.evaluation.risk import decide


@each("K", [2, 3, 7])
def test_no_action_has_less_expected_risk_than_the_least(K):
    log_proba = np.log(np.random.default_rng(0).dirichlet(np.ones(K), size=500))
    costs = np.random.default_rng(K).normal(size=(K + 1, K))
    risk = np.exp(log_proba) @ costs.T
    chosen = risk[np.arange(500), decide(log_proba, costs)]
    assert (chosen <= risk.min(axis=1) + 1e-12).all()
    assert np.array_equal(decide(log_proba, 1 - np.eye(K)), log_proba.argmax(axis=1))
    sunk = np.random.default_rng(1).normal(size=K)
    assert np.array_equal(decide(log_proba, costs), decide(log_proba, costs + sunk))


LOG_PROBA = {  # P(class 1) → logarithms of both probabilities
    p: np.log([1 - p, p]) for p in (0.05, 0.1, 1 / 6 - 1e-9, 1 / 6 + 1e-9, 0.3, 0.5, 0.95)
}


@each(("log_proba", "costs", "actions"), [
    # to miss class 1 costs 5, a false alarm 1: act on class 1 when 5p > 1 − p, so p > 1/6
    ([LOG_PROBA[p] for p in (0.1, 1 / 6 - 1e-9, 1 / 6 + 1e-9, 0.3)], [[0, 5], [1, 0]], [0, 0, 1, 1]),
    # to refer costs 0.2 always: best when neither class is more probable than 0.8
    ([LOG_PROBA[p] for p in (0.05, 0.5, 0.95)], [[0, 1], [1, 0], [0.2, 0.2]], [0, 2, 1]),
    ([[0.0, -np.inf], [-np.inf, 0.0]], [[0, 1e300], [1, 0]], [0, 1]),
    # class 0 is almost certain, and both actions are right for it; e^{−800} against e^{−900} decides
    ([[0.0, -800.0, -900.0], [0.0, -900.0, -800.0]], [[0, 1, 0], [0, 0, 1]], [1, 0]),
])  # fmt: skip
def test_decisions_weigh_costs_against_probabilities(log_proba, costs, actions):
    """Without a warning of NumPy, which is an error."""
    assert decide(np.array(log_proba), costs).tolist() == actions


# Log-probabilities of any scores are log-probabilities

SCORES = {
    "ordinary": np.random.default_rng(0).normal(size=(20, 4)),
    "huge": 1e300 * np.random.default_rng(1).normal(size=(20, 4)),
    "tiny differences": 1e8 + np.random.default_rng(2).normal(size=(20, 4)),
    "impossible class": np.array([[0.0, -np.inf, 1.0], [-np.inf, -np.inf, 3.0]]),
    "overflow": np.array([[np.inf, 0.0, -np.inf], [np.inf, np.inf, 0.0]]),
    "log-odds": np.array([0.0, 1.0, -1000.0, 1e300, np.inf, -np.inf]),
}


@each("kind", SCORES)
def test_probabilities_sum_to_one_and_nothing_warns(kind):
    log_proba = log_probabilities(SCORES[kind])
    assert (log_proba <= 0).all()
    np.testing.assert_allclose(np.exp(log_proba).sum(axis=1), 1, rtol=1e-14)


def test_probabilities_of_shifted_tiny_and_overflowing_scores_are_exact():
    Z = SCORES["ordinary"]
    np.testing.assert_allclose(log_probabilities(Z + 100.0), log_probabilities(Z), atol=1e-12)
    log_proba = log_probabilities(np.array([[0.0, -800.0, -900.0]]))
    np.testing.assert_allclose(log_proba, [[0.0, -800.0, -900.0]])
    assert np.exp(log_probabilities(SCORES["overflow"])).tolist() == [[1, 0, 0], [0.5, 0.5, 0]]


# The Bayes error: closed forms, invariances, and no classifier is significantly better

TRIANGLE = [[0.0, 0], [2, 0.5], [1, 2]]
ROUND = [[2.0, 0.6], [0.6, 1.0]]
UNLIKE = [[[2.0, 0.6], [0.6, 1.0]], [[0.5, -0.2], [-0.2, 1.5]], [[1.0, 0], [0, 0.3]]]
CASES = {
    "two, identity": (TRIANGLE[:2], "identity", None),
    "two, one covariance, unlike priors": (TRIANGLE[:2], ROUND, [0.2, 0.8]),
    "three, one covariance": (TRIANGLE, ROUND, None),
    "three on a line": ([[0.0, 0], [2, 0], [4, 0]], "identity", [0.5, 0.2, 0.3]),
    "five in the plane": ([*TRIANGLE, [3.0, 3], [-1, 1]], ROUND, None),
    "two covariances": (TRIANGLE[:2], UNLIKE[:2], [0.4, 0.6]),
    "one mean, two covariances": ([[0.0, 0], [0, 0]], [1.0, 5.0], None),
    "three covariances": (TRIANGLE, UNLIKE, [0.3, 0.3, 0.4]),
    "two covariances in space": ([[0.0, 0, 0], [1, 0.5, -1]],
        [np.diag([1.0, 2, 3]).tolist(), np.diag([2.0, 0.3, 1]).tolist()], None),
    "one dimension": ([[0.0], [1.0]], [1.0, 4.0], None),
}  # fmt: skip


def simulated(means, covariances, priors, n=400_000):
    """(error of Bayes' rule on rows drawn, its standard error)."""
    K = len(means)
    pi = np.full(K, 1 / K) if priors is None else np.array(priors)
    rng = np.random.default_rng(0)
    X, y = gaussians(rng, means, [int(n * p) for p in pi], covariances)
    roots = square_roots(covariances, K, X.shape[1])
    joint = [multivariate_normal.logpdf(X, m, r @ r.T) for m, r in zip(means, roots, strict=True)]
    wrong = (np.array(joint).T + np.log(pi)).argmax(axis=1) != y
    return float(wrong.mean()), float(wrong.std() / np.sqrt(n))


@pytest.mark.slow
@each("case", CASES)
def test_bayes_rule_has_the_bayes_error_in_any_coordinates(case):
    error, deviation = simulated(*CASES[case])
    known = bayes_error(*CASES[case])
    assert known == pytest.approx(error, abs=4 * deviation + 2e-4)
    means, covariances, priors = CASES[case]
    K, d = np.shape(means)
    pi = np.full(K, 1 / K) if priors is None else np.array(priors)
    rng = np.random.default_rng(1)
    A, b, order = rng.normal(size=(d, d)), rng.normal(size=d), rng.permutation(K)
    C = np.array([A @ r @ r.T @ A.T for r in square_roots(covariances, K, d)])
    C = (C + C.transpose(0, 2, 1)) / 2
    moved = (np.array(means) @ A.T + b, C, pi)
    found = bayes_error(*(part[order].tolist() for part in moved))
    assert found == pytest.approx(known, abs=3e-4)


def test_the_bayes_error_of_equal_covariances_and_of_identical_classes_has_a_closed_form():
    assert bayes_error([[0, 0], [2, 2]]) == pytest.approx(norm.cdf(-np.sqrt(2)), rel=1e-14)
    assert bayes_error([[0, 0], [0, 0]], priors=[0.3, 0.7]) == pytest.approx(0.3)
    assert bayes_error([[0, 0]] * 3) == pytest.approx(2 / 3)
    without = bayes_error(TRIANGLE, ROUND, [0.3, 0.3, 0.25])
    # of two equal classes the likelier is chosen, and all of the other is lost
    found = bayes_error([*TRIANGLE, TRIANGLE[2]], ROUND, [0.3, 0.3, 0.25, 0.15])
    assert found == pytest.approx(0.85 * without + 0.15, abs=1e-5)


@each("K", [2, 3])
def test_the_bayes_error_in_one_dimension_is_the_integral_of_the_smaller_density(K):
    means, variances, pi = [0.0, 1.0, 3.0][:K], [1.0, 4.0, 0.5][:K], np.array([0.5, 0.3, 0.2])[:K]

    def correct(x):
        return (pi * norm.pdf(x, means, np.sqrt(variances))).max()

    parts = [quad(correct, a, b)[0] for a, b in pairwise(np.linspace(-12, 16, 29))]
    found = bayes_error([[m] for m in means], variances, pi.tolist())
    assert found == pytest.approx(1 - sum(parts) / pi.sum(), abs=1e-8)
