"""Predictions depend neither on names, order and other runs of a job, nor on the number of jobs."""

import os
import shutil

import numpy as np
import polars as pl
import pytest
from run_alone import EVALUATION, LIMITS, METHODS, TWICE, compute, files, planned

from linclass.base.tables import Table
from linclass_study.data.dataset import Dataset
from linclass_study.errors import StudyError
from linclass_study.execution import run_files
from linclass_study.execution.features import compute_features
from linclass_study.execution.fit_jobs import SharedInputs, compute_bundle, compute_shard, gather
from linclass_study.execution.fit_run import PlannedRun, SharedChild, fit_and_predict, owner_of
from linclass_study.execution.run_files import is_current, recorded_run, write_manifest
from linclass_study.files.logs import FAILED_LOG
from linclass_study.files.yaml_file import parse_numbers, read_yaml
from linclass_study.project import ROOT

in_process = pytest.mark.usefixtures("in_process")


@pytest.mark.full
def test_a_run_gives_the_same_bytes_alone_and_among_others_in_any_order(results):
    reported = compute(results, TWICE, *METHODS)
    together = files(results)
    for name, many in {"predictions": 4, "coefficients": 3, "paths": 1}.items():
        assert sum(file.endswith(f"{name}.parquet") for file in together) == many
    fits = pl.concat([pl.read_parquet(f) for f in results.glob("runs/d/*/fits.parquet")])
    assert fits["status"].is_in(["converged", "max_iter"]).all()
    assert reported.keys() == {f"d/{m}" for m in METHODS}
    assert all("rows" in about for about in reported.values())
    for method in reversed(METHODS):
        shutil.rmtree(results / "runs/d" / method)
        compute(results, TWICE, method)
    assert files(results) == together


@pytest.mark.slow
def test_a_run_distributed_to_several_jobs_gives_the_same_bytes(results, tmp_path):
    compute(results, TWICE, "svm")
    whole = files(results)
    shutil.rmtree(results / "runs/d/svm")
    shared, parts = SharedInputs(results, "d", TWICE, LIMITS), []
    for k in (1, 2, 3, 4):  # 6 fits to 4 jobs
        parts.append(tmp_path / f"{k}.npz")
        compute_shard(shared, "svm", METHODS["svm"], (k, 4), parts[-1])
    reported = gather(shared, "svm", METHODS["svm"], parts)
    assert files(results) == whole
    assert reported["d/svm"] == recorded_run(results / "runs/d/svm")


@in_process
def test_shards_of_a_deleted_run_are_computed_again(results, tmp_path):
    compute(results, TWICE, "svm")
    shared, part = SharedInputs(results, "d", TWICE, LIMITS), tmp_path / "1.npz"
    compute_shard(shared, "svm", METHODS["svm"], (1, 1), part)  # nothing: it is up to date
    shutil.rmtree(results / "runs/d/svm")
    with pytest.raises(StudyError, match="d × svm: its files were deleted meanwhile; run again"):
        gather(shared, "svm", METHODS["svm"], [part])
    assert not part.exists()


@in_process
def test_only_changed_or_incomplete_runs_are_computed(results):
    """As after a kill between two files."""
    compute(results, TWICE, "lda", "svm")
    times = {p: p.stat().st_mtime_ns for p in (results / "runs").rglob("*.parquet")}
    changed = {"lda": METHODS["lda"] | {"code": "another"}, "svm": METHODS["svm"]}
    compute_bundle(results, {"d": changed}, TWICE, LIMITS)
    now = {p for p in times if p.stat().st_mtime_ns != times[p]}
    assert {path.parent.name for path in now} == {"lda"}
    folder = results / "runs/d/lda"
    assert recorded_run(folder)
    (folder / run_files.LAST).unlink()
    assert recorded_run(folder) is None


@pytest.mark.slow
def test_tracebacks_of_failed_fits_are_printed_again_by_the_next_job(results, capfd):
    """Its log is a new one, and the fits stay as they are."""
    os.dup2(1, 2)  # as in a job, whose log has both
    entry = {"classifier": "linclass.LinearSVM", "params": {"tol": -1.0}}
    logs = []
    for _ in range(2):
        compute(results, TWICE, "svm", entry=entry)
        logs.append(capfd.readouterr().out.partition("== d × svm\n")[2])
    assert logs[1].count("Traceback") == logs[0].count("Traceback") > 0
    compute(results, TWICE, "svm")
    log = results / "runs/d/svm" / FAILED_LOG
    assert not log.exists()
    compute(results, TWICE, "svm", entry=entry | {"params": {"tol": -2.0}})
    assert "Traceback" in log.read_text(), "the log went to the store with the previous run"


@in_process
def test_a_run_whose_tables_were_written_in_part_is_not_whole(results, monkeypatch):
    """As on a full disk: an edit that is taken back must not find the predictions of the edited method."""
    compute(results, TWICE, "lda")
    monkeypatch.setattr(run_files, "described", lambda *_: 1 / 0)
    with pytest.raises(ZeroDivisionError):
        compute(results, TWICE, "lda", code="another")
    assert recorded_run(results / "runs/d/lda") is None


def test_only_libraries_without_state_share_a_child():
    lda, svm, theirs, own = (METHODS[m]["entry"] for m in ("lda", "svm", "theirs", "own"))
    for entry in (lda, svm, theirs):
        assert owner_of("d/m", entry) == "linclass"
    inside = {"classifier": "linclass.OneVsRest", "params": {"estimator": own}}
    step = lda | {"transforms": ["impute", {"odd_estimators.Fine": {}}]}
    for entry in (own, inside, step):
        assert owner_of("d/m", entry) == "d/m"


def test_an_invalid_manifest_is_ignored(tmp_path):
    (tmp_path / run_files.FOLDER).mkdir()
    files = '{"d/svm": {"files": {"fits.parquet": 3}}}'
    for text in ("", "[3]", '{"d/svm": 3}', files, '{"d/svm": {}}'):
        path = tmp_path / run_files.FOLDER / "d.json"
        path.write_text(text)
        assert not is_current(tmp_path, "d", {"d/svm": "x"})
        assert path.read_text() == text


def test_a_manifest_of_other_runs_of_another_question_or_without_its_files_does_not_hold(tmp_path):
    gone = {"fits.parquet": {"bytes": 1, "digest": "d"}}
    cases = {  # name: (recorded question, recorded files, wanted runs)
        "same": ("x", {}, {"iris/lda": "x"}),
        "edited": ("old", {}, {"iris/lda": "new"}),
        "other": ("x", {}, {"iris/lda": "x", "iris/qda": "x"}),
        "gone": ("x", gone, {"iris/lda": "x"}),
    }
    for name, (asked, recorded, _) in cases.items():
        runs = {"iris/lda": {"files": recorded, "rows": "r", "asked": asked}}
        write_manifest(tmp_path / run_files.FOLDER / f"{name}.json", runs)
    held = [name for name, (*_, wanted) in cases.items() if is_current(tmp_path, name, wanted)]
    assert held == ["same"]
    assert not is_current(tmp_path, "absent", {"iris/svm": "x"})
    assert len([*(tmp_path / run_files.FOLDER).glob("*.json")]) == 4, "none is removed"


def rows_for(entry):
    """Overlapping classes, so that other inner folds would tune to other values; texts for methods that count words."""
    y, rng = np.arange(60, dtype=np.int32) % 2, np.random.default_rng(7)
    table = Table(rng.gamma(3, size=(60, 3)) + 0.7 * y[:, None], ("u", "v", "w"))
    if "count_words" in entry.get("features", []):
        posts = [" ".join(rng.choice(["ape", "bee", "cat", "dog"][k:], 9)) for k in y]
        texts, codes = np.unique(posts, return_inverse=True)
        column = codes[:, None].astype(float)
        table = Table(column, ("post",), {"post": tuple(texts.tolist())}, frozenset(["post"]))
    return Dataset(table, y, np.zeros(60, np.int8), ["a", "b"])


def tables_of_runs(entries, folder):
    """Method → its tables without the method's name and the times, all from one child process."""
    found, varying = {}, ["method", "fit_seconds", "predict_seconds", "peak_rss_mb"]
    with SharedChild(LIMITS) as child:
        for name, entry in entries.items():
            own = folder / name
            own.mkdir(parents=True)
            data = rows_for(entry)
            compute_features(data, entry.get("features", [])).save(own / "features.npz")
            plan, task = planned(data, own, EVALUATION | {"folds": 2, "repeats": 2})
            run = PlannedRun("d", name, entry, str(own / "features.npz"), plan, task, seed=1)
            fit_and_predict(run, child).write(own, {"asked": "entry", "rows": "rows"})
            tables = {path.name: pl.read_parquet(path) for path in own.glob("*.parquet")}
            del tables["folds.parquet"]
            found[name] = {
                table: rows.drop(varying, strict=False) for table, rows in tables.items()
            }
    return found


@pytest.mark.slow
@in_process
def test_every_method_of_the_catalogue_under_another_name_gives_the_same_results(tmp_path):
    entries = parse_numbers(read_yaml(ROOT / "config" / "methods.yaml"))
    entries["foreign"] = {
        "classifier": "sklearn.linear_model.SGDClassifier",  # draws from its random_state
        "tune": {"alpha": [1e-4, 1e-2, 1.0]},
        "transforms": ["standardize"],
    }
    renamed = {f"{name}2": entries[name] for name in reversed(entries)}
    first = tables_of_runs(entries, tmp_path / "first")
    second = tables_of_runs(renamed, tmp_path / "second")
    assert [
        (name, table)
        for name, tables in first.items()
        for table in tables.keys() | second[f"{name}2"].keys()
        if not tables[table].equals(second[f"{name}2"][table])
    ] == []
