"""The certainty of the answer for one data set: sentences with the numbers of their tests."""

import numpy as np
import pytest
from scipy import stats

from linclass_study.analysis.sentences import certainty
from linclass_study.analysis.verdict import dataset_verdict
from linclass_study.analysis.within_dataset import comparison_within
from linclass_study.report.contents import TABLES


@pytest.fixture
def reported(scored):
    """reported({method: value of each fold}, metric, rows of a fold): outcome and sentence, of a rope of 0.01."""

    def tell(values, *more, **options):
        outcome = scored({"d": values}, *more, **options)
        return outcome, certainty(dataset_verdict(outcome, "d"))

    return tell


NOISE = np.array([-0.002, 0.001, 0.0, -0.001, 0.002])


def test_a_significantly_best_method_is_reported_with_the_correction_that_disagrees(reported):
    _, output = reported({"a": 0.6 + NOISE[::-1], "b": 0.9 + NOISE, "c": 0.7 - NOISE})
    assert output.startswith("b is clearly the best.")
    assert (
        "With a probability of at least 0.95 it is better than 2 of them by more than 0.01 in accuracy, all at once "
        "(union bound), and equal in practice to 0, each on its own. Its closest rival is c:"
        in output
    )
    assert "distinguishes 2 of 2 from it" in output
    d = 0.26 + 0.19 * np.array([1, -1, 0.5, -0.5, 0])
    error = d.std(ddof=1) * (1 / 5 + 1 / 4) ** 0.5
    assert 2 * stats.t(4).sf(d.mean() / error) > 0.05 > stats.t(4).sf((d.mean() - 0.01) / error)
    _, output = reported({"a": 0.3 + d, "b": 0.3 + np.zeros(5)})
    assert output.startswith("a is clearly the best.")
    assert "distinguishes 0 of 1 from it at α = 0.05.)" in output
    _, output = reported({"a": 0.6 + NOISE[::-1], "b": 0.9 + NOISE}, "log_loss")
    assert output.startswith("a is clearly the best.")
    assert "in log loss" in output
    assert "over 1 comparison," in output


def test_a_difference_below_the_rope_is_practical_equivalence(reported):
    _, output = reported({"a": 0.9 + NOISE, "b": 0.899 + NOISE[::-1]})
    assert output.startswith("No method is clearly the best: 1 of 1 other may be as good as a.")
    assert "and equal in practice to 1, each on its own. Its" in output


def test_better_and_equivalent_methods_are_counted_and_the_others_are_undecided(reported):
    """Of four others b is far behind, c equal, and d and e are undecided."""
    wide = np.array([0.05, -0.04, 0.03, -0.05, 0.02])
    values = {
        "a": 0.9 + NOISE, "b": 0.5 + NOISE, "c": 0.899 + NOISE, "d": 0.89 + wide, "e": 0.88 - wide,
    }  # fmt: skip
    _, output = reported(values, rows=1000)
    assert "better than 1 of them by more than 0.01" in output
    assert "equal in practice to 1, each" in output
    _, pair = reported({"a": 0.9 + wide, "b": 0.89 - wide})
    assert "better than 0 of them" in pair
    assert "equal in practice to 0, each" in pair


def test_equal_means_are_one_sentence(reported):
    _, output = reported({name: [1.0] * 5 for name in "abcd"} | {"e": [0.5] * 5})
    assert "3 of 4 others may be as good as a. 4 methods share the best mean." in output
    # Known to half a row of 20, over five folds: 1/5 + 20/80.
    worse = stats.t(4, 0, 1 / 20 / 12**0.5 * (1 / 5 + 1 / 4) ** 0.5).cdf(-0.01)
    assert (
        f"Its closest rival is b: with probability {worse:.2f} better, {1 - 2 * worse:.2f} equal in practice, "
        f"{worse:.2f} worse." in output
    )
    assert "equal in practice to 0, each" in output


def test_equal_differences_on_two_folds_are_not_conclusive(reported):
    """One row of ten on each of two folds: with sd = 0 it would be better with a probability of 1."""
    outcome, output = reported({"a": [0.9, 0.8], "b": [0.8, 0.7]}, rows=10)
    assert output.startswith("No method is clearly the best: 1 of 1 other may be as good as a.")
    assert "distinguishes 0 of 1 from it" in output
    found = comparison_within(outcome, "d")
    # √(1/2 + 10/10) and one degree of freedom.
    t = 0.1 / (0.1 / 12**0.5 * 1.5**0.5)
    assert found.against("a").p[1] == pytest.approx(2 * stats.t(1).sf(t))


def test_a_clearly_best_method_is_compared_with_all_others_at_once(reported):
    """Against each of four equals it is better with a probability of more than .95; that it is better than all of
    them, only with more than 1 − Σ (1 − p)."""
    d = np.array([0.05, 0.025, 0.04, 0.015, 0.06])
    # Five folds of 20 rows against 80: 1/5 + 20/80.
    doubt = stats.t(4, d.mean(), d.std(ddof=1) * (1 / 5 + 1 / 4) ** 0.5).cdf(0.01)
    assert 0.05 / 2 < doubt < 0.05
    rivals = {name: 0.5 + np.zeros(5) for name in "bcde"}
    outcome, output = reported({"a": 0.5 + d} | rivals)
    assert output.startswith("No method is clearly the best: 3 of 4 others may be as good as a.")
    assert "it is better than 1 of them by more" in output
    assert len(comparison_within(outcome, "d").rivals) == 3
    (table,) = TABLES["answer"](outcome).rows
    assert "3 of the 4 others are indistinguishable from it, 1 is clearly worse" in table


def test_the_probabilities_are_those_of_the_correlated_t_test(reported):
    values = {"a": np.array([0.9, 0.8, 0.85, 0.95]), "b": np.array([0.8, 0.82, 0.8, 0.9])}
    outcome, output = reported(values)
    d = values["a"] - values["b"]
    # Four folds of 20 rows against 60: 1/4 + 20/60.
    posterior = stats.t(3, d.mean(), d.std(ddof=1) * (1 / 4 + 1 / 3) ** 0.5)
    better, worse = posterior.sf(0.01), posterior.cdf(-0.01)
    assert (
        f"b: with probability {better:.2f} better, {1 - better - worse:.2f} equal in practice, {worse:.2f} worse."
        in output
    )
    naive = stats.ttest_rel(values["a"], values["b"]).statistic
    against = comparison_within(outcome, "d").against("a")
    corrected = against.difference[1] / against.error[1]
    assert corrected == pytest.approx(naive * (1 / 4) ** 0.5 / (1 / 4 + 1 / 3) ** 0.5)
