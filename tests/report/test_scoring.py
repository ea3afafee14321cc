"""From predictions to scores, summaries and data frames, without invented values."""

import json
import statistics

import numpy as np
import polars as pl
import pytest
from cases import each
from studies import Data, Method, rows_of

from linclass.evaluation import metrics
from linclass.evaluation.metrics.predictions import Predictions
from linclass_study import load_results
from linclass_study.analysis import scoring, summary
from linclass_study.analysis.scoring import Classes, write_scores
from linclass_study.analysis.summary import write_summary
from linclass_study.errors import StudyError
from linclass_study.files import tables as table_files
from linclass_study.files.tables import frame, write_table

FIT = {"dataset": "d", "method": "m", "protocol": "cv", "repeat": 0, "fold": 0}


def predictions(y_true, y_pred, score, log_proba=None, fold=0):
    columns = {
        "row": range(len(y_true)), "y_true": y_true, "y_pred": y_pred, "score": score,
        "log_proba": log_proba or [None] * len(y_true),
    }  # fmt: skip
    same = {name: [value] * len(y_true) for name, value in (FIT | {"fold": fold}).items()}
    return table_files.frame("predictions", same | columns)


def value(scores, metric):
    return scores.filter(pl.col("metric") == metric)["value"].item()


def test_metrics_refer_to_the_positive_class_and_need_probabilities_and_costs():
    # Of 5 rows of class 0, 4 are right; of 3 of class 1, 1 is right.
    y_true, y_pred = [0, 0, 0, 0, 0, 1, 1, 1], [0, 0, 0, 0, 1, 0, 0, 1]
    given = predictions(y_true, y_pred, [[-y / 2, y / 2] for y in y_pred])
    for positive, recall, precision in ((1, 1 / 3, 1 / 2), (0, 4 / 5, 4 / 6)):
        scores = scoring.score(given, Classes(2, positive))
        assert value(scores, "recall") == pytest.approx(recall)
        assert value(scores, "precision") == pytest.approx(precision)
        assert value(scores, "accuracy") == pytest.approx(5 / 8)
    score = [[-1.0, 1.0], [1.0, -1.0]]
    certain = [[np.log(0.25), np.log(0.75)], [np.log(0.75), np.log(0.25)]]
    without, given = (
        scoring.score(predictions([1, 0], [1, 0], score, log_proba), Classes(2, 1))
        for log_proba in (None, certain)
    )
    of_probabilities = {"log_loss", "brier", "calibration_error"}
    assert set(given["metric"]) - set(without["metric"]) == of_probabilities
    assert value(given, "log_loss") == pytest.approx(-np.log(0.75))
    score = np.eye(3)[[0, 1, 2, 1]]
    log_proba = np.log(0.1 + 0.7 * score)
    whole = predictions([0, 1, 2, 2], [0, 1, 2, 1], score.tolist(), log_proba.tolist())
    scored = scoring.score(whole, Classes(3, 2, costs=(1 - np.eye(3)).tolist()))
    assert scored["metric"].to_list() == sorted(metrics.names())


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


@each("metric", [
    lambda p: float(np.mean(p.y_true != p.y_pred)),
    lambda p: p.y_true.tolist().count(p.y_pred[0]),
], ids=["a number", "one that a stack cannot have"])  # fmt: skip
def test_a_metric_that_cannot_take_all_folds_is_called_fold_by_fold(metric, monkeypatch):
    monkeypatch.setattr("linclass.evaluation.metrics.names", lambda: ["error"])
    monkeypatch.setattr("linclass.evaluation.metrics.find", lambda name: metric)
    y, scores = np.array([0, 1, 1]), np.ones((3, 2))
    parts = [predictions(y, [0, 1, fold], scores.tolist(), fold=fold) for fold in (0, 1)]
    alone = [metric(Predictions(y, np.array([0, 1, fold]), scores, None, 1)) for fold in (0, 1)]
    assert scoring.score(pl.concat(parts), Classes(2, 1))["value"].to_list() == alone


WRONG = {
    "a code below 0": {"y_pred": [-1, 1]},
    "a code that no class has": {"y_pred": [0, 2]},
    "no code": {"y_pred": [None, 1]},
    "a score too narrow": {"score": [[0.5], [0.5]]},
    "scores of two widths": {"score": [[0.5, 0.5], [1.0, 2.0, 3.0]]},
    "no score": {"score": [None, None]},
    "probabilities too wide": {"log_proba": [[-1.0, -1.0, -1.0]] * 2},
}


@each("wrong", WRONG.values(), ids=WRONG)
def test_a_fit_that_cannot_be_scored_is_named_and_harms_no_other(wrong, capsys):
    given = {"y_true": [0, 1], "y_pred": [0, 1], "score": [[1.0, -1.0], [-1.0, 1.0]]}
    good, bad = predictions(**given), predictions(**(given | wrong), fold=1)
    alone = scoring.score(good, Classes(2, 1))
    assert scoring.score(pl.concat([good, bad]), Classes(2, 1)).equals(alone)
    assert capsys.readouterr().out.startswith("d m cv 0 1: not scored: ")


def test_summaries_count_every_fit_and_give_mean_deviation_and_corrected_error(make):
    outcome = make({"d": Data(rows=100)}, {"m": Method(endings={3: ("failed", "no")})}, folds=5)
    accuracy = outcome.scores.filter(metric="accuracy")["value"].to_list()
    summaries = pl.read_csv(outcome.results / "tables" / "summary.csv")
    (row,) = summaries.filter(metric="accuracy").to_dicts()
    assert row["n"] == len(accuracy) == 4
    assert row["mean"] == pytest.approx(statistics.mean(accuracy))
    assert row["sd"] == pytest.approx(statistics.stdev(accuracy))
    (row,) = summary.ranking(outcome, "d").to_dicts()
    # Four folds of 20 rows against 80: 1/4 + 20/80.
    assert row["error"] == pytest.approx(row["sd"] * (1 / 4 + 1 / 4) ** 0.5)
    methods = {
        "good": Method(),
        "patchy": Method(endings={0: ("timeout", "too slow"), 1: ("failed", "raised")}),
        "dead": Method(everywhere=("out_of_memory", "too large")),
    }
    data = {"two": Data(official=20), "gone": Data(unavailable="no source")}
    outcome = make(data, methods, folds=4, name="more")
    rows = {(r["dataset"], r["method"]): r for r in rows_of(outcome.results / "tables/fits.csv")}
    assert len(rows) == 6
    for (dataset, _), row in rows.items():
        planned = 5 if dataset == "two" else 4
        assert row["planned"] == planned == sum(row[s] for s in summary.STATUSES)
    patchy = rows["two", "patchy"]
    assert (patchy["converged"], patchy["timeout"], patchy["failed"]) == (3, 1, 1)
    assert rows["two", "dead"]["out_of_memory"] == 5
    assert rows["gone", "good"]["unavailable"] == 4


def test_the_same_runs_give_identical_files(make):
    data, methods = {"b": Data(), "a": Data(("x", "y", "z"))}, {"n": Method(), "m": Method(2.0)}
    first, second = make(data, methods), make(data, methods, name="again")
    runs = list((second.results / "runs").rglob("scores.parquet"))[::-1]
    fits = [path.with_name("fits.parquet") for path in runs]
    write_summary(second.results, runs, fits)  # and the order in which runs are named is nothing
    for name in ("scores.csv", "scores.parquet", "tables/summary.csv", "tables/fits.csv"):
        assert (first.results / name).read_bytes() == (second.results / name).read_bytes()


@pytest.fixture
def outcome(make):
    """Two methods on one data set; only one has coefficients."""
    made = make({"iris": Data(rows=20)}, {"lda": Method(), "ridge": Method()}, folds=2)
    weight = {"dataset": "iris", "method": "lda", "feature": "width", "value": 0.5}
    path = made.results / "runs" / "iris" / "lda" / "coefficients.parquet"
    write_table(frame("coefficients", [weight]), "coefficients", path)
    (made.results / "study.json").write_text(json.dumps({"methods": made.methods}))
    return made


def test_tables_of_all_runs_are_one_frame(outcome):
    results = load_results(outcome.results)
    predicted = results.predictions.collect()
    assert sorted(predicted.select("method", "row").rows()) == [
        (method, row) for method in ("lda", "ridge") for row in range(20)
    ]
    assert results.coefficients.collect()["value"].to_list() == [0.5]
    assert results.tuning.collect().is_empty()
    assert results.fits.equals(outcome.fits)
    assert results.scores.equals(outcome.scores)
    assert results.study == {"methods": outcome.methods}
    assert results.tables == ["datasets", "fits", "summary", "times"]
    assert results.table("fits")["method"].to_list() == ["lda", "ridge"]


def test_files_are_read_when_used_and_errors_name_what_is_missing(outcome, tmp_path):
    results = load_results(outcome.results)
    (outcome.results / "fits.parquet").write_bytes(b"no Parquet")
    assert results.scores.height > 1
    with pytest.raises(StudyError, match=r"^\S+fits.parquet cannot be read.*delete it.*$"):
        results.fits  # noqa: B018
    with pytest.raises(AttributeError, match="did you mean 'predictions'"):
        results.prediction  # noqa: B018
    with pytest.raises(StudyError, match="did you mean 'summary'"):
        results.table("sumary")
    with pytest.raises(StudyError, match="not the folder of a finished study"):
        load_results(tmp_path)
