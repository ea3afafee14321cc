"""Methods on one data set: intervals and tests of the folds' paired differences, their tables and sentences."""

import numpy as np
import polars as pl
import pytest
from cases import each
from scipy import stats
from studies import Data, Method

from linclass.evaluation import metrics as all_metrics
from linclass_study.analysis import summary
from linclass_study.analysis.sentences import certainty
from linclass_study.analysis.verdict import dataset_verdict
from linclass_study.analysis.within_dataset import comparison_within
from linclass_study.report import method_scores
from linclass_study.report.contents import TABLES
from linclass_study.report.figures import matrices
from linclass_study.report.tables import answer, performance

#: of two methods, one differs from the best alike on every fold, the other with the smaller mean does not
BEST = np.array([0.90, 0.92, 0.88, 0.91, 0.89])
STEADY, UNSTEADY = BEST - [0.03, 0.03, 0.029, 0.031, 0.03], BEST - [0.2, -0.1, 0.12, -0.1, 0.04]
THREE = {"best": BEST, "steady": STEADY, "unsteady": UNSTEADY}


def corrected_error(d):
    """Of the mean of n folds, each tested against the other n − 1."""
    return d.std(ddof=1) * (1 / len(d) + 1 / (len(d) - 1)) ** 0.5


@each("metric", ["accuracy", "log_loss"])
def test_the_interval_is_that_of_nadeau_and_bengio_whichever_way_is_better(scored, metric):
    best, other = (BEST, UNSTEADY) if metric == "accuracy" else (1 - BEST, 1 - UNSTEADY)
    outcome = scored({"d": {"best": best, "other": other}}, metric)
    cell = method_scores.behind_best(outcome, "d")["other"]
    d = BEST - UNSTEADY
    half = stats.t.ppf(0.975, 4) * corrected_error(d)
    assert cell.value == pytest.approx(d.mean())
    assert cell.interval == pytest.approx((d.mean() - half, d.mean() + half))


def test_a_larger_mean_may_be_undecided_where_a_smaller_one_is_significant(scored):
    cells = method_scores.behind_best(scored({"d": THREE}), "d")
    assert cells["steady"].value < cells["unsteady"].value
    assert cells["steady"].clear
    assert not cells["unsteady"].clear
    low, high = cells["unsteady"].interval
    assert low < 0 < high
    assert cells["steady"].interval[0] > 0


def test_bold_means_significantly_better_than_every_other_after_the_correction(scored):
    """d = .02 ± e on 4 folds has t = .02/(e √(4/3) √(1/4 + 1/3)), so p for two of them is just above .025 at 1.01 e."""
    t = stats.t.isf(0.025 / 2, 3)
    e = 0.02 / (t * (4 / 3) ** 0.5 * (7 / 12) ** 0.5)
    for factor, clear in ((0.99, True), (1.01, False)):
        other = 0.9 - (0.02 + factor * e * np.array([1, -1, 1, -1]))
        one = scored({"d": {"best": [0.9] * 4, "a": other}})
        two = scored({"d": {"best": [0.9] * 4, "a": other, "b": other}})
        of_one, of_two = (
            method_scores.scores_by_metric(o, "d", ["accuracy"])["accuracy"]["best"]
            for o in (one, two)
        )
        assert of_one.clear  # p < .05 of one comparison, as it is at most .0253
        assert of_two.clear is clear  # twice that
        assert of_two.best
        assert [method_scores.behind_best(two, "d")[name].clear for name in "ab"] == [clear, clear]


def test_every_table_of_a_data_set_has_the_same_interval_and_heat_the_same_marks(scored):
    outcome = scored({"d": THREE, "e": THREE})
    own = outcome.parts()["d"]
    expected = method_scores.behind_best(own, "d")["steady"]

    def cell(table, row, key):
        return table.rows[row][[column.key for column in table.columns].index(key)]

    assert cell(performance.performance(own, "d"), 1, "behind") == expected
    assert cell(performance.differences(own, "d"), 0, "ahead") == expected
    assert cell(answer.best_methods(outcome), 0, "ahead") == expected
    assert cell(answer.best_methods(outcome), 0, "next") == "steady"
    significant = {name: [name == "steady"] * 2 for name in THREE}
    assert matrices.heat(outcome).numbers["significant"] == significant


def test_a_single_score_per_method_has_no_interval_and_no_mark(make):
    outcome = make({"d": Data(official=30)}, {f"m{i}": Method(1 + i / 5) for i in range(8)})
    cells = method_scores.scores_by_metric(outcome, "d", ["accuracy"], "official")["accuracy"]
    assert not any(cell.clear for cell in cells.values())
    outcome.evaluation["protocols"] = ["official"]
    assert method_scores.behind_best(outcome, "d") == {}
    assert "behind" not in [column.key for column in performance.performance(outcome, "d").columns]
    columns = performance.all_metrics(outcome, "d").frame().columns
    assert not [name for name in columns if name.endswith(("_low", "_high"))]
    assert performance.differences(outcome, "d") is None


def test_an_infinite_score_is_not_compared(scored):
    values = {"best": [0.1] * 4, "next": [0.2] * 4, "other": [0.1, 0.1, 0.1, float("inf")]}
    outcome = scored({"d": values}, "log_loss")
    assert {*method_scores.behind_best(outcome, "d")} == {"best", "next"}
    assert method_scores.scores_by_metric(outcome, "d", ["log_loss"])["log_loss"]["best"].clear


def test_a_method_that_missed_a_fold_comes_last_is_marked_as_partial_and_not_compared(make):
    lucky = Method(9.0, endings={0: ("failed", "x")})
    methods = {"lucky": lucky, "poor": Method(0.1), "good": Method(50.0), "equal": Method(50.0)}
    outcome = make({"d": Data()}, methods)
    ranked = summary.ranking(outcome, "d")
    assert ranked["method"].to_list() == ["good", "equal", "poor", "lucky"]
    assert ranked["mean"][3] > ranked["mean"][2]
    assert ranked.filter(~pl.col("whole"))["method"].to_list() == ["lucky"]
    assert "lucky" not in method_scores.behind_best(outcome, "d")
    cells = method_scores.scores_by_metric(outcome, "d", ["accuracy"])["accuracy"]
    assert {name for name, cell in cells.items() if cell.best} == {"good", "equal"}
    assert {name for name, cell in cells.items() if cell.partial} == {"lucky"}
    assert not any(cell.clear for cell in cells.values())  # of two equals none is better


@pytest.fixture
def reported(scored):
    """reported({method: value of each fold}, metric, rows of a fold): outcome and sentence, of a rope of 0.01."""

    def report(values, *more, **options):
        outcome = scored({"d": values}, *more, **options)
        return outcome, certainty(dataset_verdict(outcome, "d"))

    return report


NOISE = np.array([-0.002, 0.001, 0.0, -0.001, 0.002])


def test_a_significantly_best_method_is_reported_with_the_correction_that_disagrees(reported):
    _, output = reported({"a": 0.6 + NOISE[::-1], "b": 0.9 + NOISE, "c": 0.7 - NOISE})
    assert output.startswith("b is clearly the best.")
    assert (
        "With a probability of at least 0.95 it is better than 2 of them by more than 0.01 in accuracy, all at once "
        "(union bound), and equal in practice to 0, each on its own. Its closest rival is c:"
    ) in output
    assert "distinguishes 2 of 2 from it" in output
    d = 0.26 + 0.19 * np.array([1, -1, 0.5, -0.5, 0])
    error = corrected_error(d)
    assert 2 * stats.t(4).sf(d.mean() / error) > 0.05 > stats.t(4).sf((d.mean() - 0.01) / error)
    _, output = reported({"a": 0.3 + d, "b": 0.3 + np.zeros(5)})
    assert output.startswith("a is clearly the best.")
    assert "distinguishes 0 of 1 from it at α = 0.05.)" in output
    _, output = reported({"a": 0.6 + NOISE[::-1], "b": 0.9 + NOISE}, "log_loss")
    assert output.startswith("a is clearly the best.")
    assert "in log loss" in output
    assert "over 1 comparison," in output


def test_better_and_equivalent_methods_are_counted_and_the_others_are_undecided(reported):
    """Of four others b is far behind, c equal, and d and e are undecided."""
    wide = np.array([0.05, -0.04, 0.03, -0.05, 0.02])
    values = {
        "a": 0.9 + NOISE, "b": 0.5 + NOISE, "c": 0.899 + NOISE, "d": 0.89 + wide, "e": 0.88 - wide,
    }  # fmt: skip
    below_the_rope = {"a": 0.9 + NOISE, "b": 0.899 + NOISE[::-1]}
    for given, rows, better, equal in (
        (values, 1000, 1, 1),
        ({"a": 0.9 + wide, "b": 0.89 - wide}, 20, 0, 0),
        (below_the_rope, 20, 0, 1),
    ):
        _, output = reported(given, rows=rows)
        assert f"better than {better} of them by more than 0.01" in output
        assert f"equal in practice to {equal}, each on its own. Its" in output
    assert output.startswith("No method is clearly the best: 1 of 1 other may be as good as a.")


def test_equal_means_are_one_sentence(reported):
    _, output = reported({name: [1.0] * 5 for name in "abcd"} | {"e": [0.5] * 5})
    assert "3 of 4 others may be as good as a. 4 methods share the best mean." in output
    # Known to half a row of 20
    worse = stats.t(4, 0, 1 / 20 / 12**0.5 * (1 / 5 + 1 / 4) ** 0.5).cdf(-0.01)
    assert (
        f"Its closest rival is b: with probability {worse:.2f} better, {1 - 2 * worse:.2f} equal in practice, "
        f"{worse:.2f} worse."
    ) in output
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
    doubt = stats.t(4, d.mean(), corrected_error(d)).cdf(0.01)
    assert 0.05 / 2 < doubt < 0.05
    outcome, output = reported({"a": 0.5 + d} | {name: 0.5 + np.zeros(5) for name in "bcde"})
    assert output.startswith("No method is clearly the best: 3 of 4 others may be as good as a.")
    assert "it is better than 1 of them by more" in output
    assert len(comparison_within(outcome, "d").rivals) == 3
    (table,) = TABLES["answer"](outcome).rows
    assert "3 of the 4 others are indistinguishable from it, 1 is clearly worse" in table


def test_the_probabilities_are_those_of_the_correlated_t_test(reported):
    values = {"a": np.array([0.9, 0.8, 0.85, 0.95]), "b": np.array([0.8, 0.82, 0.8, 0.9])}
    outcome, output = reported(values)
    d = values["a"] - values["b"]
    posterior = stats.t(3, d.mean(), corrected_error(d))
    better, worse = posterior.sf(0.01), posterior.cdf(-0.01)
    assert (
        f"b: with probability {better:.2f} better, {1 - better - worse:.2f} equal in practice, {worse:.2f} worse."
    ) in output
    naive = stats.ttest_rel(values["a"], values["b"]).statistic
    against = comparison_within(outcome, "d").against("a")
    corrected = against.difference[1] / against.error[1]
    assert corrected == pytest.approx(naive * (1 / 4) ** 0.5 / (1 / 4 + 1 / 3) ** 0.5)


def test_intervals_are_students_with_the_corrected_error(make):
    outcome = make({"d": Data(rows=100)}, {"a": Method(0.5), "b": Method(2.0)}, folds=5)
    frame = performance.all_metrics(outcome, "d").frame()
    for metric in ("accuracy", "average_precision", "log_loss"):
        for row in frame.iter_rows(named=True):
            own = outcome.scores.filter(dataset="d", method=row["method"], metric=metric)
            mean = own["value"].mean()
            half = stats.t.ppf(0.975, 4) * corrected_error(own["value"].to_numpy())
            low, high = all_metrics.bounds(metric)
            assert row[metric] == pytest.approx(mean)
            assert row[f"{metric}_low"] == pytest.approx(max(mean - half, low))
            assert row[f"{metric}_high"] == pytest.approx(min(mean + half, high))


def test_columns_are_the_metrics_with_values(make, monkeypatch):
    """A new metric of linclass/evaluation/metrics is enough; here, one that the list forgets."""
    silent = Method(probabilities=False)
    outcome = make({"d": Data()}, {"a": silent, "b": silent})
    keys = [column.key for column in performance.all_metrics(outcome, "d").columns]
    assert "accuracy" in keys
    assert not {"expected_cost", "log_loss", "brier", "calibration_error"} & {*keys}
    averages = ("_macro", "_micro", "_weighted")
    expected = {name for name in all_metrics.names() if not name.endswith(averages)}
    assert set(performance.METRICS) == expected
    outcome = make({"d": Data()}, {"a": Method()}, name="other")
    whole = performance.all_metrics(outcome, "d").frame()
    assert whole.height == 1
    assert performance.differences(outcome, "d") is None
    monkeypatch.delitem(performance.METRICS, "log_loss")
    table = performance.all_metrics(outcome, "d")
    last = table.columns[-1]
    assert (last.key, last.title, last.about) == ("log_loss", "Log loss", "less is better")
    assert table.frame()["log_loss"].to_list() == whole["log_loss"].to_list()


def test_differences_are_of_the_best_to_each_other_method(make):
    outcome = make({"d": Data()}, {"a": Method(0.2), "b": Method(3.0), "c": Method(1.0)}, folds=5)
    frame = performance.differences(outcome, "d").frame()
    found = comparison_within(outcome, "d")
    assert found.methods[0] == "b"
    assert frame["method"].to_list() == found.methods[1:]
    for j, row in enumerate(frame.iter_rows(named=True), 1):
        d = found.table[:, 0] - found.table[:, j]
        error = corrected_error(d)
        assert row["ahead"] == pytest.approx(d.mean())
        assert row["ahead_high"] - row["ahead"] == pytest.approx(stats.t.ppf(0.975, 4) * error)
        assert row["p"] == pytest.approx(2 * stats.t.sf(d.mean() / error, 4))
        assert row["p"] <= row["p_holm"] <= min(1, 3 * row["p"])
        assert row["better"] + row["equal"] + row["worse"] == pytest.approx(1)


def test_tables_of_a_data_set_that_is_unavailable_are_omitted(make):
    gone = make({"d": Data(unavailable="no source")}, {"a": Method(), "b": Method()})
    assert performance.all_metrics(gone, "d") is None
    assert performance.differences(gone, "d") is None
