"""Laws of logarithms of probabilities, and of the action of least expected cost."""

import warnings

import numpy as np
import pytest
from cases import each

from linclass.base.arrays import log_probabilities
from linclass.evaluation.risk import decide

# Laws of the Bayes decision for any probabilities and costs


def posteriors(n: int, K: int, seed: int = 0) -> np.ndarray:
    return np.log(np.random.default_rng(seed).dirichlet(np.ones(K), size=n))


@each("K", [2, 3, 7])
def test_no_other_action_has_less_expected_risk(K):
    log_proba = posteriors(500, K)
    costs = np.random.default_rng(K).normal(size=(K + 1, K))
    risk = np.exp(log_proba) @ costs.T
    chosen = risk[np.arange(500), decide(log_proba, costs)]
    assert (chosen <= risk.min(axis=1) + 1e-12).all()


@each("K", [2, 3, 7])
def test_costs_of_one_for_every_error_give_the_most_probable_class(K):
    log_proba = posteriors(500, K)
    assert np.array_equal(decide(log_proba, 1 - np.eye(K)), log_proba.argmax(axis=1))


def test_decisions_weigh_costs_against_probabilities():
    # to miss class 1 costs 5, a false alarm 1: act on class 1 when 5p > 1 − p, so p > 1/6
    p = np.array([0.1, 1 / 6 - 1e-9, 1 / 6 + 1e-9, 0.3])
    log_proba = np.log(np.column_stack([1 - p, p]))
    assert decide(log_proba, [[0, 5], [1, 0]]).tolist() == [0, 0, 1, 1]
    # to refer costs 0.2 always: best when neither class is more probable than 0.8
    p = np.array([0.05, 0.5, 0.95])
    log_proba = np.log(np.column_stack([1 - p, p]))
    assert decide(log_proba, [[0, 1], [1, 0], [0.2, 0.2]]).tolist() == [0, 2, 1]
    log_proba, costs = posteriors(300, 4), np.random.default_rng(1).normal(size=(4, 4))
    sunk = np.array([3.0, -2.0, 100.0, 0.0])
    assert np.array_equal(decide(log_proba, costs), decide(log_proba, costs + sunk))
    log_proba = np.array([[0.0, -np.inf], [-np.inf, 0.0]])
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert decide(log_proba, [[0, 1e300], [1, 0]]).tolist() == [0, 1]
    # class 0 is almost certain, and both actions are right for it; e^{−800} against e^{−900} decides
    log_proba = np.array([[0.0, -800.0, -900.0], [0.0, -900.0, -800.0]])
    costs = [[0, 1, 0], [0, 0, 1]]  # action 0 errs in class 1, action 1 in class 2
    assert decide(log_proba, costs).tolist() == [1, 0]


def test_costs_need_a_column_for_each_class():
    with pytest.raises(ValueError, match=r"costs has shape \(2, 2\).*3 columns"):
        decide(posteriors(3, 3), [[0, 1], [1, 0]])
    with pytest.raises(ValueError, match="NaN or infinity"):
        decide(posteriors(3, 2), [[0, np.inf], [1, 0]])


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
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        log_proba = log_probabilities(SCORES[kind])
    assert (log_proba <= 0).all()
    np.testing.assert_allclose(np.exp(log_proba).sum(axis=1), 1, rtol=1e-14)


def test_probabilities_of_shifted_tiny_and_overflowing_scores_are_exact():
    Z = SCORES["ordinary"]
    np.testing.assert_allclose(log_probabilities(Z + 100.0), log_probabilities(Z), atol=1e-12)
    log_proba = log_probabilities(np.array([[0.0, -800.0, -900.0]]))
    np.testing.assert_allclose(log_proba, [[0.0, -800.0, -900.0]])
    assert np.exp(log_probabilities(SCORES["overflow"])).tolist() == [[1, 0, 0], [0.5, 0.5, 0]]
