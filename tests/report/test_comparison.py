"""How far a method is behind the best of a data set is an interval of the folds' paired differences."""

import numpy as np
import polars as pl
import pytest
from cases import each
from scipy import stats
from studies import Data, Method

from linclass_study.analysis import summary
from linclass_study.report import method_scores
from linclass_study.report.figures import matrices
from linclass_study.report.tables import answer, performance
from linclass_study.report.tables import performance as differences

#: of two methods, one differs from the best alike on every fold, the other with the smaller mean does not
BEST = np.array([0.90, 0.92, 0.88, 0.91, 0.89])
STEADY, UNSTEADY = BEST - [0.03, 0.03, 0.029, 0.031, 0.03], BEST - [0.2, -0.1, 0.12, -0.1, 0.04]
THREE = {"best": BEST, "steady": STEADY, "unsteady": UNSTEADY}


@each("metric", ["accuracy", "log_loss"])
def test_the_interval_is_that_of_nadeau_and_bengio_whichever_way_is_better(scored, metric):
    best, other = (BEST, UNSTEADY) if metric == "accuracy" else (1 - BEST, 1 - UNSTEADY)
    cell = method_scores.behind_best(scored({"d": {"best": best, "other": other}}, metric), "d")[
        "other"
    ]
    d = BEST - UNSTEADY
    half = stats.t.ppf(0.975, 4) * d.std(ddof=1) * (1 / 5 + 1 / 4) ** 0.5
    assert cell.value == pytest.approx(d.mean())
    assert cell.interval == pytest.approx((d.mean() - half, d.mean() + half))


def test_a_smaller_mean_may_be_undecided_where_a_larger_one_is_significant_and_both_show_why(
    scored,
):
    outcome = scored({"d": THREE})
    cells = method_scores.behind_best(outcome, "d")
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
        d = 0.02 + factor * e * np.array([1, -1, 1, -1])
        other = 0.9 - d
        one = scored({"d": {"best": [0.9] * 4, "a": other}})
        two = scored({"d": {"best": [0.9] * 4, "a": other, "b": other}})
        marks = [
            method_scores.scores_by_metric(o, "d", ["accuracy"])["accuracy"] for o in (one, two)
        ]
        assert marks[0]["best"].clear  # p < .05 of one comparison, as it is at most .0253
        assert marks[1]["best"].clear is clear  # twice that
        assert marks[1]["best"].best
        assert [method_scores.behind_best(two, "d")[name].clear for name in "ab"] == [clear, clear]


def test_heat_colours_only_what_is_significantly_behind_the_best_of_its_data_set(scored):
    values = {"best": BEST, "steady": STEADY, "unsteady": UNSTEADY}
    numbers = matrices.heat(scored({"d": values, "e": values})).numbers
    assert numbers["significant"] == {
        "best": [False] * 2,
        "steady": [True] * 2,
        "unsteady": [False] * 2,
    }


def test_every_table_of_a_data_set_has_the_same_interval(scored):
    outcome = scored({"d": THREE, "e": THREE})
    own = outcome.parts()["d"]
    expected = method_scores.behind_best(own, "d")["steady"]

    def cell(table, row, key):
        return table.rows[row][[column.key for column in table.columns].index(key)]

    assert cell(performance.performance(own, "d"), 1, "behind") == expected
    assert cell(differences.differences(own, "d"), 0, "ahead") == expected
    assert cell(answer.best_methods(outcome), 0, "ahead") == expected
    assert cell(answer.best_methods(outcome), 0, "next") == "steady"


def test_a_single_score_per_method_has_no_interval_and_no_mark(make):
    outcome = make({"d": Data(official=30)}, {f"m{i}": Method(1 + i / 5) for i in range(8)})
    cells = method_scores.scores_by_metric(outcome, "d", ["accuracy"], "official")["accuracy"]
    assert not any(cell.clear for cell in cells.values())
    outcome.evaluation["protocols"] = ["official"]
    assert method_scores.behind_best(outcome, "d") == {}
    assert "behind" not in [column.key for column in performance.performance(outcome, "d").columns]


def test_an_infinite_score_is_not_compared(scored):
    values = {"best": [0.1] * 4, "next": [0.2] * 4, "other": [0.1, 0.1, 0.1, float("inf")]}
    outcome = scored({"d": values}, "log_loss")
    assert {*method_scores.behind_best(outcome, "d")} == {"best", "next"}
    assert method_scores.scores_by_metric(outcome, "d", ["log_loss"])["log_loss"]["best"].clear


def test_a_method_that_missed_a_fold_comes_last_and_is_not_compared(make):
    lucky = Method(9.0, endings={0: ("failed", "x")})
    outcome = make({"d": Data()}, {"lucky": lucky, "poor": Method(0.1), "fine": Method(1.0)})
    ranked = summary.ranking(outcome, "d")
    assert ranked["method"].to_list() == ["fine", "poor", "lucky"]
    assert ranked["mean"][2] > ranked["mean"][0]
    assert ranked.filter(~pl.col("whole"))["method"].to_list() == ["lucky"]
    assert "lucky" not in method_scores.behind_best(outcome, "d")
