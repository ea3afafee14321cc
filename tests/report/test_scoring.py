"""From predictions to scores and tables, without invented values."""

import statistics

import numpy as np
import polars as pl
import pytest
from studies import Data, Method, rows_of

from linclass.evaluation import metrics
from linclass.evaluation.metrics.predictions import Predictions
from linclass_study.analysis import scoring, summary
from linclass_study.analysis.scoring import Classes, write_scores
from linclass_study.analysis.summary import write_summary
from linclass_study.errors import StudyError
from linclass_study.files import tables as table_files
from linclass_study.files.reading import read_parquet
from linclass_study.files.tables import write_table

FIT = {"dataset": "d", "method": "m", "protocol": "cv", "repeat": 0, "fold": 0}


def predictions(y_true, y_pred, score, log_proba=None, fold=0):
    columns = {
        "row": range(len(y_true)),
        "y_true": y_true,
        "y_pred": y_pred,
        "score": score,
        "log_proba": log_proba or [None] * len(y_true),
    }
    same = {name: [value] * len(y_true) for name, value in (FIT | {"fold": fold}).items()}
    return table_files.frame("predictions", same | columns)


def value(scores, metric):
    return scores.filter(pl.col("metric") == metric)["value"].item()


def test_metrics_refer_to_the_positive_class_and_need_probabilities_and_costs():
    # Of 5 rows of class 0, 4 are right; of 3 of class 1, 1 is right.
    y_true, y_pred = [0, 0, 0, 0, 0, 1, 1, 1], [0, 0, 0, 0, 1, 0, 0, 1]
    score = [[-y / 2, y / 2] for y in y_pred]
    of_one = scoring.score(predictions(y_true, y_pred, score), Classes(2, 1))
    of_zero = scoring.score(predictions(y_true, y_pred, score), Classes(2, 0))
    assert value(of_one, "recall") == pytest.approx(1 / 3)
    assert value(of_one, "precision") == pytest.approx(1 / 2)
    assert value(of_zero, "recall") == pytest.approx(4 / 5)
    assert value(of_zero, "precision") == pytest.approx(4 / 6)
    assert value(of_one, "accuracy") == value(of_zero, "accuracy") == pytest.approx(5 / 8)
    score = [[-1.0, 1.0], [1.0, -1.0]]
    without = scoring.score(predictions([1, 0], [1, 0], score), Classes(2, 1))
    certain = [[np.log(0.25), np.log(0.75)], [np.log(0.75), np.log(0.25)]]
    given = scoring.score(predictions([1, 0], [1, 0], score, certain), Classes(2, 1))
    assert set(given["metric"]) - set(without["metric"]) == {
        "log_loss",
        "brier",
        "calibration_error",
    }
    assert value(given, "log_loss") == pytest.approx(-np.log(0.75))
    score = np.eye(3)[[0, 1, 2, 1]]
    log_proba = np.log(0.1 + 0.7 * score)
    scored = scoring.score(
        predictions([0, 1, 2, 2], [0, 1, 2, 1], score.tolist(), log_proba.tolist()),
        Classes(3, 2, costs=[[0, 1, 1], [1, 0, 1], [1, 1, 0]]),
    )
    assert scored["metric"].to_list() == sorted(metrics.names())
    # One of class 1 is taken for class 0, which costs 5, and one of class 0 for class 1, which costs 1.
    given = predictions([0, 0, 1, 1], [0, 1, 0, 1], [[0.0, 0.0]] * 4)
    assert "expected_cost" not in scoring.score(given, Classes(2, 1))["metric"]
    scored = scoring.score(given, Classes(2, 1, costs=[[0, 5], [1, 0]]))
    assert value(scored, "expected_cost") == (1 + 5) / 4


def test_rows_and_folds_in_any_order_have_the_scores_that_they_have_alone():
    parts = [predictions([0, 1, 1], [0, 1, 0], [[1.0, 2.0]] * 3, fold=fold) for fold in range(4)]
    together = pl.concat(parts)
    shuffled = together.sample(fraction=1, shuffle=True, seed=3)
    assert scoring.score(shuffled, Classes(2, 1)).equals(scoring.score(together, Classes(2, 1)))
    rng = np.random.default_rng(0)
    parts = []
    for fold, n in enumerate([7, 5, 7, 1, 6, 5]):
        z = rng.normal(size=(n, 3))
        log_proba = z - np.logaddexp.reduce(z, axis=1, keepdims=True)
        y = rng.integers(0, 3, n)
        parts.append(predictions(y, z.argmax(axis=1), z.tolist(), log_proba.tolist(), fold))
    alone = [scoring.score(part, Classes(3, 2)) for part in parts]
    assert scoring.score(pl.concat(parts), Classes(3, 2)).equals(pl.concat(alone))


def test_a_run_is_scored_again_only_for_other_costs_or_another_positive_class(tmp_path):
    given = predictions([0, 0, 0, 1], [0, 0, 1, 1], [[0.0, 0.0]] * 4)
    write_table(given, "predictions", tmp_path / "runs/d/m/predictions.parquet")
    write_table(table_files.frame("fits"), "fits", tmp_path / "runs/d/m/fits.parquet")
    kept, written = tmp_path / "runs" / "d" / "m" / "scores.parquet", None
    one, other = [[0, 5], [1, 0]], [[0, 5], [2, 0]]
    for positive, costs, cost, precision, again in (
        (1, None, [], 1 / 2, True),
        (1, one, [1 / 4], 1 / 2, True),
        (1, one, [1 / 4], 1 / 2, False),
        (1, other, [2 / 4], 1 / 2, True),
        (1, None, [], 1 / 2, True),
        (0, None, [], 2 / 2, True),
    ):
        classes = Classes(2, positive, costs)
        write_scores(tmp_path, "d", {"m": "digest"}, classes, "code", metrics.names())
        scores = pl.read_parquet(tmp_path / "scores" / "d.parquet")
        assert scores.filter(metric="expected_cost")["value"].to_list() == cost
        assert value(scores, "precision") == precision
        assert (kept.stat().st_ino != written) is again
        written = kept.stat().st_ino


@pytest.mark.parametrize("metric", [
    lambda p: float(np.mean(p.y_true != p.y_pred)),
    lambda p: p.y_true.tolist().count(p.y_pred[0]),
], ids=["a number", "one that a stack cannot have"])  # fmt: skip
def test_a_metric_that_cannot_take_all_folds_is_called_fold_by_fold(metric, monkeypatch):
    monkeypatch.setattr("linclass.evaluation.metrics.names", lambda: ["error"])
    monkeypatch.setattr("linclass.evaluation.metrics.find", lambda name: metric)
    parts = [predictions([0, 1, 1], [0, 1, fold], [[1.0, 2.0]] * 3, fold=fold) for fold in (0, 1)]
    scored = scoring.score(pl.concat(parts), Classes(2, 1))
    alone = [
        metric(Predictions(np.array([0, 1, 1]), np.array([0, 1, fold]), np.ones((3, 2)), None, 1))
        for fold in (0, 1)
    ]
    assert scored["value"].to_list() == alone


WRONG = {
    "a code below 0": {"y_pred": [-1, 1]},
    "a code that no class has": {"y_pred": [0, 2]},
    "no code": {"y_pred": [None, 1]},
    "a score too narrow": {"score": [[0.5], [0.5]]},
    "scores of two widths": {"score": [[0.5, 0.5], [1.0, 2.0, 3.0]]},
    "no score": {"score": [None, None]},
    "probabilities too wide": {"log_proba": [[-1.0, -1.0, -1.0]] * 2},
}


@pytest.mark.parametrize("what", WRONG)
def test_a_fit_that_cannot_be_scored_is_named_and_harms_no_other(what, capsys):
    given = {"y_true": [0, 1], "y_pred": [0, 1], "score": [[1.0, -1.0], [-1.0, 1.0]]}
    good = predictions(**given)
    bad = predictions(**(given | WRONG[what]), fold=1)
    assert scoring.score(pl.concat([good, bad]), Classes(2, 1)).equals(
        scoring.score(good, Classes(2, 1))
    )
    assert capsys.readouterr().out.startswith("d m cv 0 1: not scored: ")


@pytest.mark.parametrize("content", [b"", b"PAR1 and then nothing"])
def test_a_damaged_file_is_named_with_the_remedy_in_one_line(tmp_path, content):
    path = tmp_path / "predictions.parquet"
    path.write_bytes(content)
    with pytest.raises(StudyError) as refused:
        read_parquet(path)
    assert str(refused.value).startswith(f"{path} cannot be read")
    assert "delete it" in str(refused.value)
    assert "\n" not in str(refused.value)


def test_summaries_count_every_fit_and_give_mean_deviation_and_corrected_error(make):
    outcome = make({"d": Data()}, {"m": Method(endings={1: ("failed", "x")})}, folds=4)
    (row,) = rows_of(outcome.results / "tables" / "fits.csv")
    assert (row["planned"], row["converged"], row["failed"]) == (4, 3, 1)
    outcome = make({"d": Data()}, {"m": Method(endings={3: ("failed", "no")})}, folds=5)
    accuracy = [
        row["value"]
        for row in rows_of(outcome.results / "scores.csv")
        if row["metric"] == "accuracy"
    ]
    (row,) = [
        row
        for row in rows_of(outcome.results / "tables" / "summary.csv")
        if row["metric"] == "accuracy"
    ]
    assert row["n"] == len(accuracy) == 4
    assert row["mean"] == pytest.approx(statistics.mean(accuracy))
    assert row["sd"] == pytest.approx(statistics.stdev(accuracy))
    methods = {
        "good": Method(),
        "patchy": Method(endings={0: ("timeout", "too slow"), 1: ("failed", "raised")}),
        "dead": Method(everywhere=("out_of_memory", "too large")),
    }
    data = {"two": Data(official=20), "gone": Data(unavailable="no source")}
    outcome = make(data, methods, folds=4)
    rows = {(r["dataset"], r["method"]): r for r in rows_of(outcome.results / "tables/fits.csv")}
    assert len(rows) == 6
    for (dataset, _), row in rows.items():
        planned = 5 if dataset == "two" else 4
        assert row["planned"] == planned == sum(row[s] for s in summary.STATUSES)
    patchy = rows["two", "patchy"]
    assert (patchy["converged"], patchy["timeout"], patchy["failed"]) == (3, 1, 1)
    assert rows["two", "dead"]["out_of_memory"] == 5
    assert rows["gone", "good"]["unavailable"] == 4
    outcome = make({"d": Data(rows=100)}, {"m": Method()}, folds=5)
    (row,) = summary.ranking(outcome, "d").to_dicts()
    # Five folds of 20 rows against 80: 1/5 + 20/80.
    assert row["error"] == pytest.approx(row["sd"] * (1 / 5 + 1 / 4) ** 0.5)


def test_the_same_runs_give_identical_files(make):
    data, methods = {"b": Data(), "a": Data(("x", "y", "z"))}, {"n": Method(), "m": Method(2.0)}
    first, second = make(data, methods), make(data, methods, name="again")
    runs = list((second.results / "runs").rglob("scores.parquet"))[::-1]
    fits = [path.with_name("fits.parquet") for path in runs]
    write_summary(second.results, runs, fits)  # and the order in which runs are named is nothing
    for name in ("scores.csv", "scores.parquet", "tables/summary.csv", "tables/fits.csv"):
        assert (first.results / name).read_bytes() == (second.results / name).read_bytes()
