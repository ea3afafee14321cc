"""Curves, bins and counts of the figures agree with the numbers in the tables, and captions name folds or hold-outs."""

from dataclasses import replace

import numpy as np
import polars as pl
import pytest
from cases import each
from scipy import stats
from sklearn.metrics import average_precision_score, roc_auc_score
from studies import Data, Method, draw_exhibits, finish, numbers_of

from linclass.evaluation.metrics.predictions import Predictions
from linclass.evaluation.metrics.probabilities import calibration_error
from linclass.plotting import ReliabilityDisplay
from linclass_study.analysis.summary import HeldOut, held_out
from linclass_study.analysis.wording import units
from linclass_study.files import tables as table_files
from linclass_study.files.tables import write_table
from linclass_study.protocols import selected_protocols
from linclass_study.report.contents import FIGURES, TABLES
from linclass_study.report.drawing.panels import selected_methods, selection_note
from linclass_study.report.figures import coefficients, probabilities
from linclass_study.report.figures import curves as fold_curves
from linclass_study.report.figures.confusion import confusion_counts, per_class
from linclass_study.report.tables import models

THREE = ("a", "b", "c")


def scored(folds, n=400):
    """Scores with many ties, class members, and the fold of each row."""
    rng = np.random.default_rng(n)
    member = rng.random(n) < 0.3
    return np.round(rng.normal(size=n) + member, 1), member, rng.integers(0, folds, n)


@each("folds", [1, 7])
def test_the_mean_of_a_roc_curve_is_its_auc_and_that_of_the_other_the_average_precision(folds):
    score, member, fold = scored(folds)
    roc = fold_curves.roc_curves(score, member, fold, folds)
    precision = fold_curves.precision_recall_curves(score, member, fold, folds)
    assert (np.diff(roc, axis=1) > -1e-9).all()
    for f in range(folds):
        own = member[fold == f], score[fold == f]
        assert roc[f].mean() == pytest.approx(roc_auc_score(*own), abs=1e-12)
        assert precision[f].mean() == pytest.approx(average_precision_score(*own), abs=1e-12)


def test_a_fold_of_one_class_has_no_curve_and_does_not_change_the_others():
    score, member, fold = scored(3)
    alone = fold_curves.roc_curves(score[fold == 2], member[fold == 2], fold[fold == 2] - 2, 1)[0]
    member = member & (fold != 1)
    curves = fold_curves.roc_curves(score, member, fold, 3)
    assert np.isnan(curves[1]).all()
    np.testing.assert_allclose(curves[2], alone, atol=1e-12)
    assert np.isnan(fold_curves.precision_recall_curves(score, member, fold, 3)[1]).all()


@each("classes", [("no", "yes"), THREE])
def test_areas_under_the_drawn_curves_match_the_scores(make, classes):
    silent = Method(2.0, probabilities=False)
    outcome = make({"d": Data(classes)}, {"m": Method(1.0), "n": silent}, 5, f"of {len(classes)}")
    draw_exhibits(outcome, "roc", "precision_recall")
    for figure, metric in (("roc", "auc"), ("precision_recall", "average_precision")):
        methods = numbers_of(outcome, f"{figure}-d")["methods"]
        assert set(methods) == {"m", "n"}
        for method, numbers in methods.items():
            values = outcome.scores.filter(method=method, metric=metric, protocol="cv")["value"]
            assert np.mean(numbers["mean"]) == pytest.approx(values.mean(), abs=1e-9)
            assert numbers["area"] == pytest.approx(values.mean(), abs=1e-9)
            assert numbers["sd_of_area"] == pytest.approx(values.std(), abs=1e-9)
    caption = numbers_of(outcome, "precision_recall-d")["caption"]
    assert ("“yes”" if len(classes) == 2 else "each against the rest") in caption


@each("classes", [("no", "yes"), THREE])
def test_calibration_error_is_the_mean_distance_of_bins_from_their_probabilities(make, classes):
    methods = {"m": Method(2.0), "without": Method(probabilities=False)}
    outcome = make({"d": Data(classes)}, methods, 5, f"of {len(classes)}")
    draw_exhibits(outcome, "calibration")
    (drawn,) = numbers_of(outcome, "calibration-d")["methods"].values()
    rows = held_out(outcome, "d", "m")
    scores = rows.y_true, rows.y_pred, rows.score, rows.log_proba
    whole = calibration_error(Predictions(*scores, positive=len(classes) - 1))
    assert drawn["calibration_error"] == pytest.approx(whole, abs=1e-12)
    shown = [1] if len(classes) == 2 else [0, 1, 2]
    assert sum(drawn["rows"]) == 120 * len(shown)
    of_class = sum(n * share for n, share in zip(drawn["rows"], drawn["share"], strict=True))
    assert of_class == pytest.approx(np.isin(rows.y_true, shown).sum())


@each("repeats", [1, 3])
def test_the_chance_level_of_calibration_is_its_mean_under_correct_probabilities(repeats):
    """Of 40 rows of probability q in one bin, E|X/40 − q| with X binomial; repeats of the rows know nothing more."""
    n, q = 40, 0.35
    row = np.tile(np.arange(n), repeats)
    log_proba = np.tile(np.log([1 - q, q]), (n * repeats, 1))
    y = np.zeros(n * repeats, int)
    found = ReliabilityDisplay.of(y, np.exp(log_proba), groups=row)
    X = stats.binom(n, q)
    expected = X.expect(lambda x: abs(x / n - q))
    assert found.calibration_error == pytest.approx(q)
    assert found.by_chance == pytest.approx(expected, rel=0.1)  # 1000 draws: 2.4 % of a sd
    assert found.low == pytest.approx([X.ppf(0.025) / n], abs=1.5 / n)
    assert found.high == pytest.approx([X.ppf(0.975) / n], abs=1.5 / n)


def test_histograms_have_all_rows():
    probability = np.array([0.0, 0.049, 0.05, 0.5, 0.999, 1.0])
    y = np.array([0, 0, 0, 1, 1, 1])
    with np.errstate(divide="ignore"):
        logs = np.log(np.column_stack([1 - probability, probability]))
    rows = HeldOut(y, y, logs, logs, np.zeros(6, int), np.arange(6))
    shares = probabilities.histograms(rows, 1)
    np.testing.assert_allclose(shares.sum(axis=1), 1)
    assert shares[0, 0] == pytest.approx(2 / 3)
    assert shares[1, [10, 19]] == pytest.approx([1 / 3, 2 / 3])
    own = probabilities.histograms(rows, None)
    assert own[0, 19] == pytest.approx(1)  # the others' probability is at most 0.05


def test_an_action_beyond_the_classes_is_a_column_of_the_confusion():
    y_true, y_pred = np.array([0, 0, 1, 1]), np.array([0, 2, 1, 2])
    rows = HeldOut(y_true, y_pred, np.zeros((4, 2)), None, np.zeros(4, int), np.arange(4))
    assert confusion_counts(rows).tolist() == [[1, 0, 1], [0, 1, 1]]
    recall, precision = per_class(confusion_counts(rows))
    assert recall.tolist() == [0.5, 0.5]
    assert precision.tolist() == [1, 1]


def test_the_confusion_of_the_best_method_has_every_held_out_row_as_the_tables(make):
    outcome = make({"d": Data(THREE, rows=121)}, {"m": Method(1.0), "best": Method(3.0)})
    assert models.per_class_scores(outcome, "d") is None  # nothing was drawn
    draw_exhibits(outcome, "confusion")
    numbers = numbers_of(outcome, "confusion-d")
    counts = np.array(numbers["counts"])
    assert numbers["method"] == "best"
    assert counts.sum(axis=1).tolist() == outcome.about("d")["class_counts"]
    assert numbers["recall"] == pytest.approx(counts.diagonal() / counts.sum(axis=1))
    assert numbers["precision"] == pytest.approx(counts.diagonal() / counts.sum(axis=0))
    predictions = pl.read_parquet(outcome.results / "runs/d/best/predictions.parquet")
    right = predictions.filter(pl.col("y_true") == pl.col("y_pred"), protocol="cv")
    assert counts.diagonal().sum() == right.height
    assert [row[1:] for row in models.confusion(outcome, "d").rows] == counts.tolist()
    table = models.per_class_scores(outcome, "d").frame()
    assert table["rows"].to_list() == counts.sum(axis=1).tolist()
    assert table["predicted"].to_list() == counts.sum(axis=0).tolist()
    p, r = table["precision"], table["recall"]
    assert table["f1"].to_list() == pytest.approx((2 * p * r / (p + r)).to_list())
    for k, (name, rows) in enumerate(table.select("most_often_taken_for", "taken_for").iter_rows()):
        others = [j for j in range(3) if j != k]
        assert rows == counts[k, others].max() == counts[k, THREE.index(name)]


def test_many_methods_are_selected_by_kind_and_the_caption_says_so(make):
    methods = {f"m{i}": Method(skill) for i, skill in enumerate((0.0, 6.0, 5.0, 1.0, 3.0, 2.0))}
    outcome = make({"d": Data(rows=400)}, methods)
    kinds = ["linclass.MajorityClass", "x.A", "x.A", "x.B", "x.A", "x.C"]
    entries = {name: {"classifier": kind} for name, kind in zip(methods, kinds, strict=True)}
    outcome = replace(outcome, methods=entries)
    assert selected_methods(outcome, "d", methods, 4) == ["m1", "m5", "m3", "m0"]
    assert selected_methods(outcome, "d", methods, 5) == ["m1", "m2", "m5", "m3", "m0"]
    assert selected_methods(outcome, "d", ["m2", "m4"], 1) == ["m2"]
    assert "4 of 6 methods" in selection_note(outcome, ["m1", "m5", "m3", "m0"], 6)
    methods = {"one": Method(2.0), "two": Method(1.0), "silent": Method(0.5, probabilities=False)}
    outcome = make({"d": Data()}, methods, name="silent")
    assert selection_note(outcome, [*methods], 3, "with an AUC") == "All 3 methods are shown."
    for figure in (probabilities.calibration, probabilities.probabilities):
        assert "All 2 methods with probabilities are shown." in figure(outcome, "d").caption


FOLDS = 4
SHOWN = ("roc", "precision_recall", "calibration", "probabilities", "coefficients")
SHOWN_TABLES = ("confusion", "per_class", "coefficients")


def of_protocol(made, protocols, protocol):
    """The same results under another protocol: its fits are repeats, or the first fold alone."""
    folder = made.results
    several = protocol == "hold_out"
    for table in ("predictions", "scores", "fits", "coefficients"):
        for path in [*folder.rglob(f"{table}.parquet"), *folder.glob(f"{table}/*.parquet")]:
            rows = pl.read_parquet(path).filter(protocol="cv")
            rows = rows if several else rows.filter(fold=0)
            repeat = pl.col("fold").cast(rows.schema["repeat"]) if several else pl.col("repeat")
            rows = rows.with_columns(
                protocol=pl.lit(protocol), repeat=repeat, fold=pl.col("fold") * 0
            )
            write_table(table_files.frame(table, rows.to_dict()), table, path)
    return replace(made, evaluation=made.evaluation | {"protocols": protocols})


@pytest.fixture
def outcome(make):
    made = make({"d": Data(official=20)}, {"m": Method(2.0), "other": Method(1.0)}, folds=FOLDS)
    weights = [
        {
            "dataset": "d", "method": "m", "protocol": "cv", "repeat": 0, "fold": fold,
            "class": 1, "feature": name, "value": 1.0, "scale": 2.0, "features": 2,
        }
        for fold in range(FOLDS)
        for name in ("x0", "x1")[: 1 + (fold > 0)]
    ]  # fmt: skip
    path = made.results / "runs" / "d" / "m" / "coefficients.parquet"
    write_table(table_files.frame("coefficients", weights), "coefficients", path)
    return made


def captions(outcome):
    finish(outcome, *FIGURES)
    found = {name: FIGURES[name](outcome, "d").caption for name in SHOWN}
    found |= {f"table {name}": TABLES[name](outcome, "d").caption for name in SHOWN_TABLES}
    return found.items()


def test_captions_of_hold_out_results_do_not_mention_folds(outcome):
    hold_out = {"hold_out": {"test_share": 0.25, "repeats": FOLDS}}
    for name, caption in captions(of_protocol(outcome, [hold_out], "hold_out")):
        assert "hold-outs" in caption, name
        assert "fold" not in caption, name
    for protocols, words in (
        (["cv", "official"], "folds"),
        ([hold_out], "hold-outs"),
        ([hold_out, "cv"], "hold-outs or folds"),
    ):
        evaluation = outcome.evaluation | {"protocols": protocols}
        assert units(evaluation, *selected_protocols(evaluation)) == words


def test_captions_of_single_fits_do_not_mention_a_spread(outcome):
    official = of_protocol(outcome, ["official"], "official")
    for name, caption in captions(official):
        for words in ("fold", "hold-out", "±", "means over"):
            assert words not in caption, name
    of_rows = "mean distance of the rows from the diagonal"
    assert of_rows in probabilities.calibration(official, "d").caption
    assert "Large marks" not in coefficients.coefficients(official, "d").caption
