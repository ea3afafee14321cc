"""Whatever an estimator returns, its run has a row per fit, and fits do not affect each other."""

import numpy as np
import polars as pl
import pytest
from cases import each, first
from run_alone import rows_file, run_alone

from linclass.base.tables import Table
from linclass_study.data.dataset import Dataset
from linclass_study.execution.features import FeatureFile, compute_features
from linclass_study.execution.fit_run import RowDigests
from linclass_study.execution.folds import Plan

TASK = {"n_classes": 2, "positive": 1, "inner_folds": 2}
LIMITS = {"fit_seconds": 8, "fit_memory_mb": 500}
N, FOLDS = 60, 3
NEAREST = {"classifier": "linclass.NearestMean"}
in_process = pytest.mark.usefixtures("in_process")


@pytest.fixture(scope="module")
def features(tmp_path_factory):
    rng = np.random.default_rng(3)
    y = (np.arange(N) % 2).astype(np.int32)
    X = rng.normal(size=(N, 2)) + 3 * y[:, None]
    return rows_file(tmp_path_factory.mktemp("features"), Table(X, ("u", "v")), y)


def tables(features, name, tmp_path, limits=LIMITS, **entry):
    """The tables of fits and of predictions of an estimator."""
    plan = Plan.of({("cv", 0): np.arange(N) // 2 % FOLDS})
    entry = {"classifier": f"odd_estimators.{name}", **entry}
    found = run_alone(entry, features, plan, TASK, limits)
    found.write(tmp_path, {"asked": "this entry", "rows": "these rows"})
    return tuple(pl.read_parquet(tmp_path / f"{part}.parquet") for part in ("fits", "predictions"))


@in_process
@each(("name", "status", "words"), [
    ("TooFewRows", "failed", "predict gave shape (19,) for 20 rows"),
    ("UnprintableReason", "failed", "RuntimeError"),
    ("WrappedMemoryError", "out_of_memory", ""),
])  # fmt: skip
def test_fits_without_valid_predictions_have_a_status_and_a_one_line_reason(
    features, tmp_path, name, status, words
):
    fits, predictions = tables(features, name, tmp_path)
    assert fits["status"].to_list() == [status] * FOLDS
    assert all(words in reason and "\n" not in reason for reason in fits["reason"]), fits["reason"]
    assert predictions.is_empty()


@in_process
def test_a_reason_of_an_estimator_that_cannot_be_written_does_not_end_the_job(features, tmp_path):
    fits, _ = tables(features, "UnwritableStatus", tmp_path)
    assert fits["reason"].to_list() == ["stopped at ?"] * FOLDS


@in_process
def test_fits_on_features_that_the_data_do_not_have_do_not_apply(tmp_path):
    file, plan = str(tmp_path / "quadratic.npz"), Plan.of({("cv", 0): np.arange(N) % FOLDS})
    FeatureFile.empty("quadratic needs numeric columns").save(file)
    found = run_alone(NEAREST, file, plan, TASK, digests=RowDigests(file, "costs", "data"))
    ended = [(fit["status"], fit["reason"]) for fit in found.fits]
    assert ended == [("not_applicable", "quadratic needs numeric columns")] * FOLDS


@pytest.mark.slow
@pytest.mark.parametrize("name", first(1, ["ForksAndDies", "ForksAndReturns"]))
def test_a_forked_process_never_answers_for_its_fit(features, tmp_path, name):
    fits, predictions = tables(features, name, tmp_path)
    assert fits["status"].to_list() == ["converged"] * FOLDS
    _, expected = tables(features, "Fine", tmp_path)
    same = ["fold", "row", "y_true", "y_pred"]
    assert predictions.select(same).equals(expected.select(same))


@pytest.mark.slow
def test_forked_processes_share_the_limit_of_their_fit(features, tmp_path):
    fits, _ = tables(features, "ForksForMemory", tmp_path)
    assert set(fits["status"]) == {"out_of_memory"}
    assert "the processes that it started" in fits["reason"][0]


@in_process
def test_strange_attributes_and_spoilt_inputs_do_not_affect_other_fits(features, tmp_path):
    foreign = {"classifier": "foreign_estimators.OwnAttributes"}
    fits, _ = tables(features, "OwnAttributes", tmp_path, **foreign)
    assert fits["status"].to_list() == ["converged"] * FOLDS
    assert fits["reason"].to_list() == [""] * FOLDS
    assert fits["iterations"].null_count() == FOLDS
    fits, _ = tables(features, "SpoilsItsInput", tmp_path, tune={"spoil": [1, 0]})
    assert fits["params"].to_list() == ['{"spoil": 0}'] * FOLDS
    first = tables(features, "GlobalRandomState", tmp_path)[1]
    assert first.equals(tables(features, "GlobalRandomState", tmp_path)[1])


def test_a_slow_import_is_a_timeout_of_the_start_and_not_of_the_fit(features, tmp_path):
    limits = LIMITS | {"fit_start_seconds": 1}
    fits, _ = tables(features, "Fine", tmp_path, limits, classifier="slow_to_import.Fine")
    assert fits["status"].to_list() == ["timeout"] * FOLDS
    output = "importing slow_to_import.Fine and loading the data took longer than 1 s"
    assert fits["reason"].to_list() == [f"{output} (limits.fit_start_seconds)"] * FOLDS
    assert fits["fit_seconds"].null_count() == FOLDS


@pytest.mark.full
def test_a_fit_that_was_stopped_took_its_limit_without_the_start_of_its_process(features, tmp_path):
    """After each timeout a new child imports everything again, which took longer than this limit."""
    fits, _ = tables(features, "Hangs", tmp_path, LIMITS | {"fit_seconds": 0.25})
    assert fits["status"].to_list() == ["timeout"] * FOLDS
    assert fits["fit_seconds"].to_list() == [0.25] * FOLDS


def plane(tmp_path, X, y, entry, fold, K=2):
    """The plane on which the fits of a run are evaluated."""
    table = Table(X, tuple("abcd")[: X.shape[1]])
    data = Dataset(table, y.astype(np.int32), np.zeros(len(y), np.int8), [*map(str, range(K))])
    file, plan = str(tmp_path / "as_is.npz"), Plan.of({("cv", 0): fold})
    compute_features(data, []).save(file)
    found = run_alone(entry, file, plan, TASK | {"n_classes": K})
    found.write(tmp_path, {"asked": "this entry", "rows": "these rows"})
    assert [fit["status"] for fit in found.fits] == ["converged"] * FOLDS
    with np.load(tmp_path / "boundary.npz") as arrays:
        return dict(arrays)


@in_process
@each(("name", "has_classes"), [("Fine", True), ("KnowsItsRowsOnly", False)])
def test_a_fit_of_more_than_two_features_is_evaluated_on_a_plane_if_possible(
    tmp_path, name, has_classes
):
    y = np.arange(N) % 2
    X = np.random.default_rng(3).normal(size=(N, 4)) + 3 * y[:, None]
    entry = {"classifier": f"odd_estimators.{name}"}
    kept = plane(tmp_path, X, y, entry, np.arange(N) // 2 % FOLDS)
    assert kept["labels"].shape == (FOLDS, len(kept["y"]), len(kept["x"]))
    assert (kept["labels"] >= 0).all() == has_classes
    assert (kept["labels"] == -1).all() != has_classes


@in_process
def test_a_plane_can_have_more_than_256_classes(tmp_path):
    """Points on a line, a class each; those from 128 on were other classes, or none."""
    K = 200
    y = np.repeat(np.arange(K), FOLDS)
    X = np.column_stack([y, np.tile([0.0, 0.1, 0.2], K)])
    kept = plane(tmp_path, X, y, NEAREST, np.tile([0, 1, 2], K), K)
    nearest = np.clip(np.round(kept["x"]), 0, K - 1)
    assert (kept["labels"] == nearest).mean() > 0.99  # but for points halfway
    assert nearest.max() > 127


@in_process
def test_a_plane_has_the_margins_of_the_scores_beside_boundaries(tmp_path):
    """The boundary of the nearest of two means is where both are equally far."""
    y, fold = np.arange(N) % 2, np.arange(N) % FOLDS
    X = np.random.default_rng(4).normal(size=(N, 2)) + 2.0 * y[:, None]
    kept = plane(tmp_path, X, y, NEAREST, fold)
    margins, labels, u, v = (kept[name] for name in ("margins", "labels", "x", "y"))
    assert margins.shape == (FOLDS, 2, len(v), len(u))
    for k in range(FOLDS):
        means = [X[(fold != k) & (y == code)].mean(axis=0) for code in (0, 1)]
        distances = [(u - mean[0]) ** 2 + (v[:, None] - mean[1]) ** 2 for mean in means]
        own, known = margins[k, 1], ~np.isnan(margins[k, 1])
        assert 0 < known.mean() < 0.1
        ratio = own[known] / (distances[0] - distances[1])[known]
        assert ratio == pytest.approx(np.full(len(ratio), np.median(ratio)), rel=1e-3)
        assert ((own > 0) == (labels[k] == 1))[known].all()
