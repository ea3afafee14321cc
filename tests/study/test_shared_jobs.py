"""Predictions do not depend on the other runs of a job, their order, or the number of jobs."""

import os
from pathlib import Path

import numpy as np
import polars as pl
import pytest

from linclass.base.tables import Table
from linclass_study.data.dataset import Dataset, save_dataset
from linclass_study.errors import StudyError
from linclass_study.execution import feature_file, folds, run_files
from linclass_study.execution.fit_jobs import SharedInputs, compute_bundle, compute_shard, gather
from linclass_study.execution.fit_run import owner_of
from linclass_study.execution.folds import write_folds
from linclass_study.execution.run_files import is_current, recorded_run, write_manifest
from linclass_study.files.logs import FAILED_LOG

in_process = pytest.mark.usefixtures("in_process")
EVALUATION = {
    "protocols": ["cv"], "folds": 3, "repeats": 2, "inner_folds": 2,
    "tune_metric": "accuracy", "tune_rule": "best", "seed": 7,
}  # fmt: skip
LIMITS = {"fit_seconds": 60, "fit_memory_mb": 1000}
STEPS = ["impute", "one_hot", "standardize"]
ENTRIES = {
    "lda": {"classifier": "linclass.LinearDiscriminantAnalysis"},
    "svm": {
        "classifier": "linclass.LinearSVM",
        "tune": {"strength": [0.1, 1]},
        "transforms": STEPS,
    },
    "theirs": {"classifier": "sklearn.linear_model.SGDClassifier"},  # draws from a seed
    "own": {"classifier": "odd_estimators.Remembers"},
}
METHODS = {
    name: {"entry": entry, "code": "c", "features": "as_is"} for name, entry in ENTRIES.items()
}


@pytest.fixture
def results(tmp_path, monkeypatch):
    """A results folder with the data, folds and features of one data set of two features."""
    monkeypatch.setenv("PYTHONPATH", str(Path(__file__).parent))
    rng = np.random.default_rng(5)
    y = (np.arange(60) % 2).astype(np.int32)
    table = Table(rng.normal(size=(60, 2)) + 1.5 * y[:, None], ("u", "v"))
    data = Dataset(table, y, np.zeros(60, np.int8), ["a", "b"], digest="d")
    (tmp_path / "data").mkdir()
    save_dataset(data, tmp_path / "data/d.npz", tmp_path / "data/d.json")
    write_folds(*folds.make_folds(data, "d", EVALUATION), str(tmp_path / "folds/d.parquet"))
    feature_file.FeatureFile(table, y, *feature_file.grid(table, y)).save(
        tmp_path / "features/d/as_is.npz"
    )
    return tmp_path


def files(results):
    paths = sorted(path for name in run_files.OTHERS for path in results.glob(f"runs/d/*/{name}"))
    return {f"{path.parent.name}/{path.name}": path.read_bytes() for path in paths}


def compute(results, *methods):
    return compute_bundle(results, {"d": {m: METHODS[m] for m in methods}}, EVALUATION, LIMITS)


@pytest.mark.full
def test_a_run_gives_the_same_bytes_alone_and_among_others_in_any_order(results):
    reported = compute(results, *METHODS)
    together = files(results)
    for name, many in {
        "predictions.parquet": 4,
        "coefficients.parquet": 3,
        "paths.parquet": 1,
    }.items():
        assert sum(file.endswith(name) for file in together) == many
    fits = pl.concat([pl.read_parquet(f) for f in results.glob("runs/d/*/fits.parquet")])
    assert fits["status"].is_in(["converged", "max_iter"]).all()
    assert {run: about["rows"] for run, about in reported.items()}.keys() == {
        f"d/{m}" for m in METHODS
    }
    for method in reversed(METHODS):
        for path in (results / "runs/d" / method).iterdir():
            path.unlink()
        compute(results, method)
    assert files(results) == together


@pytest.mark.slow
def test_a_run_distributed_to_several_jobs_gives_the_same_bytes(results, tmp_path):
    compute(results, "svm")
    whole = files(results)
    for path in (results / "runs/d/svm").iterdir():
        path.unlink()
    shared, parts = SharedInputs(results, "d", EVALUATION, LIMITS), []
    for k in (1, 2, 3, 4):  # 6 fits to 4 jobs
        parts.append(tmp_path / f"{k}.npz")
        compute_shard(shared, "svm", METHODS["svm"], (k, 4), parts[-1])
    reported = gather(shared, "svm", METHODS["svm"], parts)
    assert files(results) == whole
    assert reported["d/svm"] == recorded_run(results / "runs/d/svm")


@in_process
def test_shards_of_a_deleted_run_are_computed_again(results, tmp_path):
    compute(results, "svm")
    shared, part = SharedInputs(results, "d", EVALUATION, LIMITS), tmp_path / "1.npz"
    compute_shard(shared, "svm", METHODS["svm"], (1, 1), part)  # nothing: it is up to date
    for path in (results / "runs/d/svm").iterdir():
        path.unlink()
    with pytest.raises(StudyError, match="d × svm: its files were deleted meanwhile; run again"):
        gather(shared, "svm", METHODS["svm"], [part])
    assert not part.exists()


@in_process
def test_only_changed_or_incomplete_runs_are_computed(results):
    """As after a kill between two files."""
    compute(results, "lda", "svm")
    times = {p: p.stat().st_mtime_ns for p in (results / "runs").rglob("*.parquet")}
    changed = {m: dict(METHODS[m]) for m in ("lda", "svm")}
    changed["lda"]["code"] = "another"
    compute_bundle(results, {"d": changed}, EVALUATION, LIMITS)
    now = {p for p in times if p.stat().st_mtime_ns != times[p]}
    assert {path.parent.name for path in now} == {"lda"}
    compute(results, "lda")
    folder = results / "runs/d/lda"
    assert recorded_run(folder)
    (folder / run_files.LAST).unlink()
    assert recorded_run(folder) is None


@pytest.mark.slow
def test_tracebacks_of_failed_fits_are_printed_again_by_the_next_job(results, capfd):
    """Its log is a new one, and the fits stay as they are."""
    os.dup2(1, 2)  # as in a job, whose log has both
    entry = {"classifier": "linclass.LinearSVM", "params": {"tol": -1.0}}
    bad = METHODS["svm"] | {"entry": entry}
    logs = []
    for _ in range(2):
        compute_bundle(results, {"d": {"bad": bad}}, EVALUATION, LIMITS)
        logs.append(capfd.readouterr().out.partition("== d × bad\n")[2])
    assert logs[1].count("Traceback") == logs[0].count("Traceback") > 0
    compute_bundle(results, {"d": {"bad": METHODS["lda"]}}, EVALUATION, LIMITS)
    assert not (results / "runs/d/bad" / FAILED_LOG).exists()


@in_process
def test_a_run_whose_tables_were_written_in_part_is_not_whole(results, monkeypatch):
    """As on a full disk: an edit that is taken back must not find the predictions of the edited method."""
    compute(results, "lda")
    edited = METHODS["lda"] | {"code": "another"}
    monkeypatch.setattr(run_files, "described", lambda *_: 1 / 0)
    with pytest.raises(ZeroDivisionError):
        compute_bundle(results, {"d": {"lda": edited}}, EVALUATION, LIMITS)
    assert recorded_run(results / "runs/d/lda") is None


def test_only_libraries_without_state_share_a_child():
    assert owner_of("d/m", ENTRIES["lda"]) == owner_of("d/n", ENTRIES["svm"]) == "linclass"
    assert owner_of("d/m", ENTRIES["theirs"]) == "linclass"
    assert owner_of("d/m", ENTRIES["own"]) == "d/m"
    inside = {"classifier": "linclass.OneVsRest", "params": {"estimator": ENTRIES["own"]}}
    step = ENTRIES["lda"] | {"transforms": ["impute", {"odd_estimators.Fine": {}}]}
    assert owner_of("d/m", inside) == owner_of("d/m", step) == "d/m"


@pytest.mark.parametrize(
    "text",
    ["", "[3]", '{"d/svm": 3}', '{"d/svm": {"files": {"fits.parquet": 3}}}', '{"d/svm": {}}'],
)
def test_an_invalid_manifest_is_ignored(tmp_path, text):
    path = tmp_path / "bundles" / "d.json"
    path.parent.mkdir()
    path.write_text(text)
    assert not is_current(tmp_path, "d", {"d/svm": "x"})
    assert path.read_text() == text


def test_a_manifest_of_other_runs_of_another_question_or_without_its_files_does_not_hold(tmp_path):
    reported = {"files": {}, "rows": "r"}
    gone = {"files": {"fits.parquet": {"bytes": 1, "digest": "d"}}, "rows": "r"}
    for name, about, asked in (
        ("same", reported, "x"),
        ("edited", reported, "old"),
        ("other", reported, "x"),
        ("gone", gone, "x"),
    ):
        runs = {"iris/lda": about | {"asked": asked}}
        write_manifest(tmp_path / run_files.FOLDER / f"{name}.json", runs)
    wanted = {
        "same": {"iris/lda": "x"},
        "edited": {"iris/lda": "new"},
        "other": {"iris/lda": "x", "iris/qda": "x"},
        "gone": {"iris/lda": "x"},
        "absent": {"iris/svm": "x"},
    }
    assert [name for name in wanted if is_current(tmp_path, name, wanted[name])] == ["same"]
    assert len([*(tmp_path / run_files.FOLDER).glob("*.json")]) == 4, "none is removed"
