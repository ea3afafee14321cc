"""The tables of a data set: every metric of each method, and differences from the best."""

import numpy as np
import polars as pl
import pytest
from scipy import stats
from studies import Data, Method

from linclass.evaluation import metrics as all_metrics
from linclass_study.analysis.within_dataset import comparison_within
from linclass_study.report.tables import performance


def test_intervals_are_students_with_the_corrected_error(make):
    outcome = make({"d": Data(rows=100)}, {"a": Method(0.5), "b": Method(2.0)}, folds=5)
    table = performance.all_metrics(outcome, "d")
    frame = table.frame()
    for metric in ("accuracy", "average_precision", "log_loss"):
        for row in frame.iter_rows(named=True):
            values = outcome.scores.filter(dataset="d", method=row["method"], metric=metric)[
                "value"
            ]
            # Five folds of 20 rows against 80: 1/5 + 20/80.
            half = stats.t.ppf(0.975, 4) * values.std() * (1 / 5 + 1 / 4) ** 0.5
            low, high = all_metrics.bounds(metric)
            assert row[metric] == pytest.approx(values.mean())
            assert row[f"{metric}_low"] == pytest.approx(max(values.mean() - half, low))
            assert row[f"{metric}_high"] == pytest.approx(min(values.mean() + half, high))


def test_columns_are_the_metrics_with_values(make, monkeypatch):
    """A new metric of linclass/evaluation/metrics is enough; here, one that the list forgets."""
    outcome = make(
        {"d": Data()}, {"a": Method(probabilities=False), "b": Method(probabilities=False)}
    )
    keys = [column.key for column in performance.all_metrics(outcome, "d").columns]
    assert "accuracy" in keys
    assert not {"expected_cost", "log_loss", "brier", "calibration_error"} & {*keys}
    outcome = make({"d": Data()}, {"a": Method()})
    whole = performance.all_metrics(outcome, "d").frame()
    forgotten = {name: output for name, output in performance.METRICS.items() if name != "log_loss"}
    monkeypatch.setattr(performance, "METRICS", forgotten)
    table = performance.all_metrics(outcome, "d")
    last = table.columns[-1]
    assert (last.key, last.title, last.about) == ("log_loss", "Log loss", "less is better")
    assert table.frame()["log_loss"].to_list() == whole["log_loss"].to_list()


def test_the_table_lists_exactly_the_existing_metrics_without_averages():
    averages = {
        name for name in all_metrics.names() if name.endswith(("_macro", "_micro", "_weighted"))
    }
    assert set(performance.METRICS) == set(all_metrics.names()) - averages


def test_differences_are_of_the_best_to_each_other_method(make):
    outcome = make({"d": Data()}, {"a": Method(0.2), "b": Method(3.0), "c": Method(1.0)}, folds=5)
    frame = performance.differences(outcome, "d").frame()
    found = comparison_within(outcome, "d")
    assert found.methods[0] == "b"
    assert frame["method"].to_list() == found.methods[1:]
    for j, row in enumerate(frame.iter_rows(named=True), 1):
        d = found.table[:, 0] - found.table[:, j]
        error = np.std(d, ddof=1) * (1 / 5 + 24 / 96) ** 0.5
        assert row["ahead"] == pytest.approx(d.mean())
        assert row["ahead_high"] - row["ahead"] == pytest.approx(stats.t.ppf(0.975, 4) * error)
        assert row["p"] == pytest.approx(2 * stats.t.sf(d.mean() / error, 4))
        assert row["p"] <= row["p_holm"] <= min(1, 3 * row["p"])
        assert row["better"] + row["equal"] + row["worse"] == pytest.approx(1)


def test_tables_without_content_are_omitted(make):
    gone = make({"d": Data(unavailable="no source")}, {"a": Method(), "b": Method()})
    assert performance.all_metrics(gone, "d") is None
    assert performance.differences(gone, "d") is None
    alone = make({"d": Data()}, {"a": Method()}, name="alone")
    assert performance.differences(alone, "d") is None
    assert performance.all_metrics(alone, "d").frame().height == 1
    single = make({"d": Data(official=30)}, {"a": Method(), "b": Method()}, name="single")
    single.evaluation["protocols"] = ["official"]
    frame = performance.all_metrics(single, "d").frame()
    assert isinstance(frame, pl.DataFrame)
    assert not [name for name in frame.columns if name.endswith(("_low", "_high"))]
    assert performance.differences(single, "d") is None
