"""A fit is made again only if its rows, seed or recipe have changed, or a limit that it exceeds.

Tables do not depend on which fits were made before."""

import os
import shutil
from collections import Counter

import numpy as np
import polars as pl
import pytest
from cases import EXTENTS, first
from scipy import sparse
from test_shared_jobs import EVALUATION, LIMITS, METHODS, files, results  # noqa: F401
from test_unfinished_run import Calls

from linclass.base.tables import Table
from linclass_study.command.clean import Removed, empty_store, environments_of, remove_runs
from linclass_study.data.dataset import load_dataset
from linclass_study.execution import feature_file, fit_store, folds, run_files
from linclass_study.execution.fit_forecast import ToFit
from linclass_study.execution.fit_jobs import compute_bundle
from linclass_study.execution.fit_run import RowDigests
from linclass_study.execution.fit_store import FittedRun
from linclass_study.execution.folds import Plan, write_folds
from linclass_study.execution.run_files import RunSpec
from linclass_study.processes.guard import Guard, GuardedResult

pytestmark = pytest.mark.usefixtures("in_process")

TIMES = ("fit_seconds", "predict_seconds", "peak_rss_mb")
ONCE = EVALUATION | {"repeats": 1}


def hold_out(repeats):
    return {"protocols": ["cv", {"hold_out": {"repeats": repeats}}]}


CURVE = {"learning_curve": {"sizes": [0.5]}}


@pytest.fixture
def calls(monkeypatch):
    return Calls(monkeypatch)


def compute(folder, evaluation, *methods, limits=LIMITS, **changes):
    """The files of the runs, and rows of fits without times, after they were computed by this evaluation."""
    data = load_dataset(folder / "data/d.npz")
    write_folds(*folds.make_folds(data, "d", evaluation), str(folder / "folds/d.parquet"))
    compute_bundle(folder, {"d": {m: METHODS[m] | changes for m in methods}}, evaluation, limits)
    fits = (
        pl.read_parquet(path).drop(TIMES) for path in sorted(folder.glob("runs/d/*/fits.parquet"))
    )
    return files(folder) | {"fits": pl.concat(fits).rows()}


def fresh(folder, *arguments, **changes):
    """The same without earlier fits."""
    for name in ("runs", "store"):
        shutil.rmtree(folder / name, ignore_errors=True)
    return compute(folder, *arguments, **changes)


def planned(folder, evaluation, *methods, limits=LIMITS):
    """Why fits are made, by the plan → how many."""
    specs = {
        m: RunSpec(METHODS[m]["entry"], METHODS[m]["code"], evaluation, limits) for m in methods
    }
    plan = ToFit(folder, {}, specs.__getitem__)
    return dict(sum((Counter(plan.changes("d", method)) for method in methods), Counter()))


@pytest.mark.parametrize("extent", EXTENTS)
def test_an_extended_study_fits_what_is_new_and_a_restored_one_nothing(results, calls, extent):  # noqa: F811
    """Calls: a repeat of lda is one joint fit; each fold of svm is one, and the path of its first fold another."""
    first = compute(results, ONCE, "lda", "svm")
    assert calls.made == 1 + 4
    variants = {
        "a repeat": (EVALUATION, 2 * 3, 1 + 3),
        "a protocol": (EVALUATION | hold_out(2), 2 * 2, 2 + 2),
        "one of its repeats": (EVALUATION | hold_out(3), 2, 1 + 1),
        "a size": (EVALUATION | {"protocols": ["cv", CURVE]}, 2 * 3, 3 + 3),
        "traces": (EVALUATION | {"traces": True}, 2, 2 + 2),
    }
    if extent == "quick":
        variants = {name: variants[name] for name in ("a repeat", "a protocol")}
    made = {}
    for name, (evaluation, fits, new) in variants.items():
        assert (name, sum(planned(results, evaluation, "lda", "svm").values())) == (name, fits)
        calls.made = 0
        made[name] = compute(results, evaluation, "lda", "svm")
        assert (name, calls.made) == (name, new)
    calls.made = 0
    assert planned(results, ONCE, "lda", "svm") == {}
    assert compute(results, ONCE, "lda", "svm") == first
    for name, (evaluation, *_) in variants.items():
        assert planned(results, evaluation, "lda", "svm") == {}
        assert compute(results, evaluation, "lda", "svm") == made[name]
    assert calls.made == 0
    for name, (evaluation, *_) in variants.items():
        anew = fresh(results, evaluation, "lda", "svm")
        varying = {"svm/traces.parquet"}  # it has seconds
        assert {file for file in anew if anew[file] != made[name][file]} <= varying, name
        assert anew.keys() == made[name].keys()


@pytest.mark.full
def test_another_first_protocol_predicts_the_plane_and_keeps_all_other_fits(results, calls):  # noqa: F811
    other = ONCE | {"protocols": [{"hold_out": {"repeats": 1}}, "cv"]}
    compute(results, ONCE, "svm")
    calls.made = 0
    made = compute(results, other, "svm")
    assert calls.made == 2, "the fit of hold_out and its path"
    compute(results, ONCE, "svm")
    assert calls.made == 2, "cv was stored with the plane"
    assert fresh(results, other, "svm") == made


def test_a_renamed_method_keeps_its_fits(results, calls):  # noqa: F811
    compute(results, ONCE, "svm")
    before = {name.partition("/")[2]: content for name, content in files(results).items()}
    METHODS["renamed"] = METHODS["svm"]
    calls.made = 0
    try:
        compute(results, ONCE, "renamed")
    finally:
        del METHODS["renamed"]
    assert calls.made == 0
    renamed, svm = (
        pl.read_parquet(results / f"runs/d/{m}/tuning.parquet") for m in ("renamed", "svm")
    )
    assert renamed.drop("method").equals(svm.drop("method"))
    assert (results / "runs/d/renamed/boundary.npz").read_bytes() == before["boundary.npz"]


@pytest.mark.full
def test_other_rows_refit_the_fits_that_see_them_and_no_others(results, calls):  # noqa: F811
    """Calls: an attempt at a joint fit, three folds, and the official split, which alone sees official test rows."""
    data = load_dataset(results / "data/d.npz")
    data.split[50:] = 1
    evaluation = ONCE | {"protocols": ["cv", "official"], "cv_rows": "train"}

    def computed(changed):
        write_folds(*folds.make_folds(changed, "d", evaluation), str(results / "folds/d.parquet"))
        file = feature_file.FeatureFile(changed.table, changed.y, *feature_file.NOWHERE)
        file.save(results / "features/d/as_is.npz")
        about = (results / "data/d.json").read_text().replace('"test_rows": 0', '"test_rows": 10')
        (results / "data/d.json").write_text(about)
        calls.made = 0
        compute_bundle(results, {"d": {"theirs": METHODS["theirs"]}}, evaluation, LIMITS)

    computed(data)
    assert calls.made == 1 + 3 + 1
    computed(data)
    assert calls.made == 0
    data.table.X[55, 0] += 1
    computed(data)
    assert calls.made == 1
    data.table.X[3, 0] += 1
    computed(data)
    assert calls.made == 1 + 3 + 1


def test_rows_of_a_fit_are_identified_by_all_that_it_sees(tmp_path):
    table, y = Table(np.zeros((4, 2)), ("u", "v")), np.array([0, 1, 0, 1], np.int32)
    (fit, _) = Plan.of({("cv", 0): np.array([0, 0, 1, 1])}).fits
    for in_file, same in (("", True), ("rows.parquet", False)):
        file = feature_file.FeatureFile(table, y, *feature_file.NOWHERE, in_file=in_file)
        file.save(tmp_path / "features.npz")
        one, other = (RowDigests(tmp_path / "features.npz", {}, content) for content in "ab")
        assert (one.of_fit(fit) == other.of_fit(fit)) == same
    X, y = np.arange(8.0).reshape(4, 2), np.array([0, 1, 0, 1], np.int32)

    def digest(X=X, y=y, names=("u", "v"), levels=None, groups=(0, 1, 2, 3), shared=0):
        table = Table(X, names, levels or {})
        file = feature_file.FeatureFile(table, y, *feature_file.NOWHERE, groups=np.array(groups))
        file.save(tmp_path / "features.npz")
        return RowDigests(tmp_path / "features.npz", shared, "").of_fit(fit)

    others = [
        digest(X=X + (np.arange(8) == 7).reshape(4, 2)),
        digest(X=X[[0, 1, 3, 2]]),
        digest(X=X[:, ::-1]),
        digest(X=sparse.csr_array(X)),
        digest(y=np.array([0, 1, 1, 1], np.int32)),
        digest(names=("u", "w")),
        digest(levels={"u": ("a", "b")}),
        digest(groups=(0, 1, 2, 2)),
        digest(shared=1),
    ]
    assert len({digest(), *others}) == 1 + len(others)


@pytest.mark.full
def test_changes_of_code_entry_or_tuning_refit_all_and_of_writing_code_none(results, calls):  # noqa: F811
    first = compute(results, ONCE, "svm")
    calls.made = 0
    assert compute(results, ONCE, "svm", tables="edited") == first
    assert calls.made == 0
    for changes in (
        {"code": "edited"},
        {"entry": METHODS["svm"]["entry"] | {"params": {"tol": 1e-5}}},
    ):
        calls.made = 0
        compute(results, ONCE, "svm", **changes)
        assert calls.made == 4
    calls.made = 0
    compute(results, ONCE | {"inner_folds": 3}, "svm", "theirs")
    assert calls.made == 4 + 4
    compute(results, ONCE | {"inner_folds": 4}, "theirs")
    assert calls.made == 4 + 4, "it is not tuned"


@pytest.mark.full
def test_the_order_of_keys_refits_nothing_and_that_of_transforms_all(results, calls):  # noqa: F811
    entry = METHODS["svm"]["entry"] | {
        "tune": {"strength": [0.1, 1], "loss": ["hinge", "squared_hinge"]},
        "params": {"class_weight": {"a": 1, "b": 2}, "tol": 1e-5},
    }
    other = {key: entry[key] for key in reversed(entry)}
    for key in ("tune", "params"):
        other[key] = {name: entry[key][name] for name in reversed(entry[key])}
    other["params"]["class_weight"] = {"b": 2, "a": 1}
    first = compute(results, ONCE, "svm", entry=entry)
    calls.made = 0
    assert compute(results, ONCE, "svm", entry=other) == first
    assert calls.made == 0
    anew = fresh(results, ONCE, "svm", entry=other)
    assert anew | {"fits": 0} == first | {"fits": 0}, "they name parameters as the entry does"
    calls.made = 0
    steps = {"transforms": ["one_hot", "impute", "standardize"]}
    compute(results, ONCE, "svm", entry=entry | steps)
    assert calls.made == 4
    assert run_files.digest_of({1: 2, "a": 3}) == run_files.digest_of({"a": 3, 1: 2})


def changed_fit(folder, fold, **columns):
    """Another recorded ending of a fit."""
    path = folder / "runs/d/svm/fits.parquet"
    metadata = {run_files.KEY: pl.read_parquet_metadata(path)[run_files.KEY]}
    fits = pl.read_parquet(path).with_columns(
        pl.when(pl.col("fold") == fold).then(pl.lit(value)).otherwise(name).alias(name)
        for name, value in columns.items()
    )
    fits.cast(pl.read_parquet_schema(path)).write_parquet(path, metadata=metadata)


@pytest.mark.parametrize(("change", "limits", "refits"), first(2, [
    ({"fit_seconds": 50.0}, {"fit_seconds": 40}, 1),
    ({"status": "out_of_memory", "fit_seconds": None}, {"fit_memory_mb": 1001}, 1),
    ({}, {"fit_seconds": 61, "fit_memory_mb": 2000}, 0),
    ({}, {"fit_seconds": 59, "fit_memory_mb": 999}, 0),
    ({"fit_seconds": 50.0}, {"fit_seconds": 51}, 0),
    ({"fit_seconds": 50.0, "predict_seconds": 2.0}, {"fit_seconds": 51}, 1),
    ({"peak_rss_mb": 950.0}, {"fit_memory_mb": 940}, 1),
    ({"peak_rss_mb": 1500.0}, {"fit_memory_mb": 1100}, 0),
    ({"status": "timeout", "fit_seconds": 60.0}, {"fit_seconds": 61}, 1),
    ({"status": "timeout", "fit_seconds": 60.0}, {"fit_memory_mb": 2000}, 0),
    ({"status": "timeout", "fit_seconds": None}, {"fit_start_seconds": 121}, 1),
    ({"status": "timeout", "fit_seconds": None}, {"fit_seconds": 61}, 0),
    ({"status": "out_of_memory", "fit_seconds": None}, {"fit_seconds": 61}, 0),
]))  # fmt: skip
def test_a_changed_limit_refits_only_fits_that_it_ended_or_that_exceed_it(
    results,  # noqa: F811
    calls,
    change,
    limits,
    refits,
):
    compute(results, ONCE, "svm")
    changed_fit(results, 1, **change)
    calls.made = 0
    why = {"fitted again, as `limits:` changed": refits} if refits else {}
    assert planned(results, ONCE, "svm", limits=LIMITS | limits) == why
    compute(results, ONCE, "svm", limits=LIMITS | limits)
    assert calls.made == refits
    compute(results, ONCE, "svm", limits=LIMITS | limits)
    assert calls.made == refits, "now it is up to date"


def test_outcomes_that_a_lowered_limit_ended_are_found_when_it_is_restored(
    results,  # noqa: F811
    calls,
    monkeypatch,
):
    compute(results, ONCE, "svm")
    first = files(results)
    changed_fit(results, 1, fit_seconds=50.0)
    with monkeypatch.context() as patch:
        patch.setattr(Guard, "seconds", 40.0, raising=False)
        patch.setattr(Guard, "call", lambda *_: GuardedResult("timeout", "stopped after 40 s"))
        lowered = compute(results, ONCE, "svm", limits=LIMITS | {"fit_seconds": 40})
    fits = pl.read_parquet(results / "runs/d/svm/fits.parquet")
    assert fits["status"].to_list() == ["converged", "timeout", "converged"]
    calls.made = 0
    assert planned(results, ONCE, "svm") == {}
    compute(results, ONCE, "svm")
    assert files(results) == first
    again = LIMITS | {"fit_seconds": 40}
    assert planned(results, ONCE, "svm", limits=again) == {}
    assert compute(results, ONCE, "svm", limits=again) == lowered
    assert calls.made == 0


@pytest.mark.full
def test_the_store_keeps_what_was_used_last_within_its_bound(results, calls):  # noqa: F811
    for strength in (1, 2, 3):
        entry = METHODS["lda"]["entry"] | {"params": {"shrinkage": strength / 10}}
        compute(results, ONCE, "lda", entry=entry)
    stored = fit_store.stored_runs(results)
    assert len(stored) == 2, "the present run is not in the store"
    assert all(FittedRun.read(folder) for folder in stored)
    size = sum(file.stat().st_size for file in stored[1].iterdir())
    assert fit_store.prune(results, 1000) == 0
    assert fit_store.prune(results, size / 1e6) == 1
    assert fit_store.stored_runs(results) == stored[1:]
    assert fit_store.prune(results, 0) == 1
    assert not (results / "store").exists()


@pytest.mark.full
def test_clean_empties_the_store_or_makes_fits_anew(results, calls):  # noqa: F811
    tuned_otherwise = ONCE | {"inner_folds": 3}
    compute(results, ONCE, "svm")
    compute(results, tuned_otherwise, "svm")
    assert remove_runs(results, ["d/svm"], []) == Removed(["d/svm"], 0)
    calls.made = 0
    compute(results, ONCE, "svm")
    assert calls.made == 0, "the other variant was kept"
    compute(results, tuned_otherwise, "svm")
    assert calls.made == 4, "this one was removed"
    assert empty_store(results) == Removed([], 1)
    calls.made = 0
    compute(results, ONCE, "svm")
    assert calls.made == 4
    (environment,) = environments_of(results / "runs/d/svm")
    assert remove_runs(results, [], ["another"]) == Removed([], 0)
    assert remove_runs(results, [], [environment]) == Removed(["d/svm"], 1)
    assert not (results / "runs/d/svm").exists()
    assert not (results / "store").exists()


def test_a_run_whose_files_another_job_replaces_is_not_read(results):  # noqa: F811
    compute(results, ONCE, "lda")
    for stamp, part in enumerate(("rows", "_tables")):
        run = FittedRun.read(results / "runs/d/lda")
        os.utime(results / "runs/d/lda" / run_files.LAST, ns=(stamp, stamp))
        with pytest.raises(OSError, match="was written again"):
            getattr(run, part)
