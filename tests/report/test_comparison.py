"""What is within one standard error of the best is so by the folds' paired differences."""

from __future__ import annotations

from dataclasses import replace

import polars as pl
import pytest
from studies import Data, Method

from linclass_study import table_files
from linclass_study.report import method_scores
from linclass_study.results import summary
from linclass_study.table_files import write_table


@pytest.fixture
def near(make):
    """near(metric, {method: value of each fold}): the methods near the best, each tested on a fold
    of as many rows: n_test/n_train = 1/(folds − 1)."""

    def marked_near(metric: str, values: dict[str, list[float]]) -> set[str]:
        folds = len(next(iter(values.values())))
        data = Data(rows=20 * folds, official=0)
        outcome = make({"d": data}, {name: Method() for name in values}, folds=folds)
        rows = [
            ("d", name, "cv", 0, fold, metric, value)
            for name, of_folds in values.items()
            for fold, value in enumerate(of_folds)
        ]
        write_table(table_files.frame("scores", rows), "scores", outcome.results / "scores.parquet")
        cells = method_scores.scores_by_metric(replace(outcome), "d", [metric])[metric]
        return {name for name, cell in cells.items() if cell.near}

    return marked_near


def test_one_fold_apart_from_a_perfect_method_is_near_though_that_has_no_spread(near):
    # One fold differs by a: mean(d) = a/n, sd(d) = a/√n, so mean(d) = sd(d)·√(1/n) < the error.
    assert near("accuracy", {"perfect": [1.0] * 5, "other": [1.0, 1.0, 0.95, 1.0, 1.0]}) == {
        "other"
    }


def test_what_is_worse_on_every_fold_alike_is_not_near_however_the_folds_spread(near):
    values = [0.5, 0.9, 0.6, 0.8, 0.7]
    assert near("accuracy", {"best": values, "worse": [v - 0.01 for v in values]}) == set()


@pytest.mark.parametrize("metric", ["accuracy", "log_loss"])
@pytest.mark.parametrize(("factor", "expected"), [(0.999, {"other"}), (1.001, set())])
def test_the_border_is_that_of_nadeau_and_bengio_whichever_way_is_better(
    near, metric, factor, expected
):
    # d = m + (−s, −s, s, s) over 4 folds: sd = s·√(4/3), and n_test/n_train = 1/3, so the border
    # is m = s·√(4/3)·√(1/4 + 1/3) = s·√(7/9).
    s = 0.1
    m = factor * s * (7 / 9) ** 0.5
    sign = 1 if metric == "accuracy" else -1
    other = [0.5 - sign * (m + e) for e in (-s, -s, s, s)]
    assert near(metric, {"best": [0.5] * 4, "other": other}) == expected


def test_an_infinite_difference_is_not_near(near):
    assert near("log_loss", {"best": [0.1] * 4, "other": [0.1, 0.1, 0.1, float("inf")]}) == set()


def test_one_official_test_set_has_no_standard_error(make):
    outcome = make({"d": Data(official=30)}, {f"m{i}": Method(1 + i / 5) for i in range(8)})
    cells = method_scores.scores_by_metric(outcome, "d", ["accuracy"], "official")["accuracy"]
    assert not any(cell.near for cell in cells.values())


def test_a_method_that_missed_a_fold_comes_after_the_others_however_good_its_folds_are(make):
    lucky = Method(9.0, endings={0: ("failed", "x")})
    outcome = make({"d": Data()}, {"lucky": lucky, "poor": Method(0.1), "fine": Method(1.0)})
    ranked = summary.ranking(outcome, "d")
    assert ranked["method"].to_list() == ["fine", "poor", "lucky"]
    assert ranked["mean"][2] > ranked["mean"][0]


def test_a_method_that_missed_a_fold_is_not_compared(make):
    outcome = make({"d": Data()}, {"a": Method(), "b": Method(endings={0: ("failed", "x")})})
    ranked = summary.ranking(outcome, "d")
    assert ranked.filter(~pl.col("whole"))["method"].to_list() == ["b"]
    assert not method_scores.scores_by_metric(outcome, "d", ["accuracy"])["accuracy"]["b"].near
