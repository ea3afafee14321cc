"""Log-probabilities of any scores are log-probabilities."""

import warnings

import numpy as np
from cases import each

from linclass.base.arrays import log_probabilities

SCORES = {
    "ordinary": np.random.default_rng(0).normal(size=(20, 4)),
    "huge": 1e300 * np.random.default_rng(1).normal(size=(20, 4)),
    "tiny differences": 1e8 + np.random.default_rng(2).normal(size=(20, 4)),
    "impossible class": np.array([[0.0, -np.inf, 1.0], [-np.inf, -np.inf, 3.0]]),
    "overflow": np.array([[np.inf, 0.0, -np.inf], [np.inf, np.inf, 0.0]]),
    "log-odds": np.array([0.0, 1.0, -1000.0, 1e300, np.inf, -np.inf]),
}


@each("kind", SCORES)
def test_probabilities_sum_to_one_and_nothing_warns(kind: str) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        log_proba = log_probabilities(SCORES[kind])
    assert (log_proba <= 0).all()
    np.testing.assert_allclose(np.exp(log_proba).sum(axis=1), 1, rtol=1e-14)


def test_a_constant_added_to_a_row_changes_nothing() -> None:
    Z = SCORES["ordinary"]
    np.testing.assert_allclose(log_probabilities(Z + 100.0), log_probabilities(Z), atol=1e-12)


def test_improbable_classes_keep_their_order_beyond_the_smallest_number() -> None:
    log_proba = log_probabilities(np.array([[0.0, -800.0, -900.0]]))
    np.testing.assert_allclose(log_proba, [[0.0, -800.0, -900.0]])


def test_scores_that_overflow_together_share_the_probability() -> None:
    assert np.exp(log_probabilities(SCORES["overflow"])).tolist() == [[1, 0, 0], [0.5, 0.5, 0]]
