"""A fit is made again only if its rows, seed or recipe have changed, or a limit that it exceeds.

Tables depend neither on which fits were made before nor on interruptions."""

import os
import shutil
from collections import Counter

import numpy as np
import polars as pl
import pytest
from cases import EXTENTS, first
from run_alone import EVALUATION, LIMITS, METHODS, TWICE, compute, files
from scipy import sparse

from linclass.base.tables import Table
from linclass_study.command.clean import empty_store, environments_of, remove_runs
from linclass_study.data.dataset import load_dataset
from linclass_study.execution import features, fit_store, folds, run_files, slurm
from linclass_study.execution.fit_forecast import ToFit
from linclass_study.execution.fit_jobs import SharedInputs, compute_shard, gather
from linclass_study.execution.fit_run import RowDigests
from linclass_study.execution.fit_store import EarlierFits, FittedRun, UnfinishedRun
from linclass_study.execution.folds import Plan, write_folds
from linclass_study.execution.run_files import Made, Records, RunSpec
from linclass_study.processes.guard import Guard, GuardedResult

TIMES = ("fit_seconds", "predict_seconds", "peak_rss_mb")


class Interrupted(Exception):
    pass


class Calls:
    """Counts the calls of fits, and interrupts the one after `allowed` of them."""

    def __init__(self, monkeypatch):
        self.made, self.allowed, call = 0, 10**6, Guard.call

        def counted(guard, *arguments):
            if self.made == self.allowed:
                raise Interrupted
            self.made += 1
            return call(guard, *arguments)

        monkeypatch.setattr(Guard, "call", counted)

    def of(self, work, *arguments, **changes):
        """How many calls this work makes."""
        self.made = 0
        work(*arguments, **changes)
        return self.made


@pytest.fixture
def calls(in_process, monkeypatch):
    return Calls(monkeypatch)


def write_folds_of(data, folder, evaluation):
    write_folds(*folds.make_folds(data, "d", evaluation), str(folder / "folds/d.parquet"))


def fit(folder, evaluation, *methods, **changes):
    """The files of the runs, and rows of fits without times, after they were computed by this evaluation."""
    write_folds_of(load_dataset(folder / "data/d.npz"), folder, evaluation)
    compute(folder, evaluation, *methods, **changes)
    fits = (
        pl.read_parquet(path).drop(TIMES) for path in sorted(folder.glob("runs/d/*/fits.parquet"))
    )
    return files(folder) | {"fits": pl.concat(fits).rows()}


def fit_anew(folder, *arguments, **changes):
    """The same without earlier fits."""
    for name in ("runs", "store"):
        shutil.rmtree(folder / name, ignore_errors=True)
    return fit(folder, *arguments, **changes)


def planned(folder, evaluation, *methods, limits=LIMITS):
    """Why fits are made, by the plan → how many."""
    specs = {
        m: RunSpec(METHODS[m]["entry"], METHODS[m]["code"], evaluation, limits) for m in methods
    }
    plan = ToFit(folder, {}, specs.__getitem__)
    return dict(sum((Counter(plan.changes("d", method)) for method in methods), Counter()))


def hold_out(repeats):
    return {"protocols": ["cv", {"hold_out": {"repeats": repeats}}]}


@pytest.mark.parametrize("extent", EXTENTS)
def test_an_extended_study_fits_what_is_new_and_a_restored_one_nothing(results, calls, extent):
    """Calls: a repeat of lda is one joint fit; each fold of svm is one, and the path of its first fold another."""
    assert calls.of(fit, results, EVALUATION, "lda", "svm") == 1 + 4
    before = fit(results, EVALUATION, "lda", "svm")
    curve = {"protocols": ["cv", {"learning_curve": {"sizes": [0.5]}}]}
    variants = {  # name: (what changes, planned fits, calls)
        "a repeat": ({"repeats": 2}, 2 * 3, 1 + 3),
        "a protocol": ({"repeats": 2} | hold_out(2), 2 * 2, 2 + 2),
        "one of its repeats": ({"repeats": 2} | hold_out(3), 2, 1 + 1),
        "a size": ({"repeats": 2} | curve, 2 * 3, 3 + 3),
        "traces": ({"repeats": 2, "traces": True}, 2, 2 + 2),
    }
    if extent == "quick":
        variants = {name: variants[name] for name in ("a repeat", "a protocol")}
    made = {}
    for name, (change, fits, new) in variants.items():
        evaluation = EVALUATION | change
        what = "fitted again" if name == "traces" else "new fits"
        why = {f"{what}, as `evaluation:` changed": fits}
        assert (name, planned(results, evaluation, "lda", "svm")) == (name, why)
        calls.made = 0
        made[name] = fit(results, evaluation, "lda", "svm")
        assert (name, calls.made) == (name, new)
    calls.made = 0
    for evaluation, known in (
        (EVALUATION, before),
        *((EVALUATION | change, made[name]) for name, (change, *_) in variants.items()),
    ):
        assert planned(results, evaluation, "lda", "svm") == {}
        assert fit(results, evaluation, "lda", "svm") == known
    assert calls.made == 0
    for name, (change, *_) in variants.items():
        anew = fit_anew(results, EVALUATION | change, "lda", "svm")
        varying = {"svm/traces.parquet"}  # it has seconds
        assert {file for file in anew if anew[file] != made[name][file]} <= varying, name
        assert anew.keys() == made[name].keys()


@pytest.mark.full
def test_another_first_protocol_predicts_the_plane_and_keeps_all_other_fits(results, calls):
    other = EVALUATION | {"protocols": [{"hold_out": {"repeats": 1}}, "cv"]}
    fit(results, EVALUATION, "svm")
    calls.made = 0
    made = fit(results, other, "svm")
    assert calls.made == 2, "the fit of hold_out and its path"
    assert calls.of(fit, results, EVALUATION, "svm") == 0, "cv was stored with the plane"
    assert fit_anew(results, other, "svm") == made


def test_a_renamed_method_keeps_its_fits(results, calls, monkeypatch):
    fit(results, EVALUATION, "svm")
    monkeypatch.setitem(METHODS, "renamed", METHODS["svm"])
    assert calls.of(fit, results, EVALUATION, "renamed") == 0
    renamed, svm = (
        pl.read_parquet(results / f"runs/d/{m}/tuning.parquet") for m in ("renamed", "svm")
    )
    assert renamed.drop("method").equals(svm.drop("method"))
    made = files(results)
    assert made["renamed/boundary.npz"] == made["svm/boundary.npz"]


@pytest.mark.full
def test_other_rows_refit_the_fits_that_see_them_and_no_others(results, calls):
    """Calls: an attempt at a joint fit, three folds, and the official split, which alone sees official test rows."""
    data = load_dataset(results / "data/d.npz")
    data.split[50:] = 1
    evaluation = EVALUATION | {"protocols": ["cv", "official"], "cv_rows": "train"}
    about = (results / "data/d.json").read_text().replace('"test_rows": 0', '"test_rows": 10')
    (results / "data/d.json").write_text(about)

    def calls_of(changed):
        write_folds_of(changed, results, evaluation)
        file = features.FeatureFile(changed.table, changed.y, *features.NOWHERE)
        file.save(results / "features/d/as_is.npz")
        return calls.of(compute, results, evaluation, "theirs")

    assert calls_of(data) == 1 + 3 + 1
    assert calls_of(data) == 0
    data.table.X[55, 0] += 1
    assert calls_of(data) == 1
    data.table.X[3, 0] += 1
    assert calls_of(data) == 1 + 3 + 1


def test_rows_of_a_fit_are_identified_by_all_that_it_sees(tmp_path):
    X, y = np.arange(8.0).reshape(4, 2), np.array([0, 1, 0, 1], np.int32)
    (fit,) = Plan.of({("cv", 0): np.array([0, 0, 1, 1])}).fits[:1]

    def digest(
        X=X, y=y, names=("u", "v"), levels=None, groups=(0, 1, 2, 3), shared=0, content="", **more
    ):
        table = Table(X, names, levels or {})
        file = features.FeatureFile(table, y, *features.NOWHERE, groups=np.array(groups), **more)
        file.save(tmp_path / "features.npz")
        return RowDigests(tmp_path / "features.npz", shared, content).of_fit(fit)

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
        *(digest(in_file="rows.parquet", content=content) for content in "ab"),
    ]
    assert len({digest(), *others}) == 1 + len(others)
    assert digest(content="a") == digest(), "the rows are known"


@pytest.mark.full
def test_changes_of_code_entry_or_tuning_refit_all_and_of_writing_code_none(results, calls):
    before = fit(results, EVALUATION, "svm")
    calls.made = 0
    assert fit(results, EVALUATION, "svm", tables="edited") == before
    assert calls.made == 0
    entry = METHODS["svm"]["entry"] | {"params": {"tol": 1e-5}}
    for changes in ({"code": "edited"}, {"entry": entry}):
        assert calls.of(fit, results, EVALUATION, "svm", **changes) == 4
    otherwise = EVALUATION | {"inner_folds": 3}
    assert calls.of(fit, results, otherwise, "svm", "theirs") == 4 + 4
    assert calls.of(fit, results, EVALUATION | {"inner_folds": 4}, "theirs") == 0, "it is not tuned"


@pytest.mark.full
def test_the_order_of_keys_refits_nothing_and_that_of_transforms_all(results, calls):
    entry = METHODS["svm"]["entry"] | {
        "tune": {"strength": [0.1, 1], "loss": ["hinge", "squared_hinge"]},
        "params": {"class_weight": {"a": 1, "b": 2}, "tol": 1e-5},
    }
    other = {key: entry[key] for key in reversed(entry)}
    for key in ("tune", "params"):
        other[key] = {name: entry[key][name] for name in reversed(entry[key])}
    other["params"]["class_weight"] = {"b": 2, "a": 1}
    before = fit(results, EVALUATION, "svm", entry=entry)
    calls.made = 0
    assert fit(results, EVALUATION, "svm", entry=other) == before
    assert calls.made == 0
    anew = fit_anew(results, EVALUATION, "svm", entry=other)
    assert anew | {"fits": 0} == before | {"fits": 0}, "they name parameters as the entry does"
    steps = {"transforms": ["one_hot", "impute", "standardize"]}
    assert calls.of(fit, results, EVALUATION, "svm", entry=entry | steps) == 4
    assert run_files.digest_of({1: 2, "a": 3}) == run_files.digest_of({"a": 3, 1: 2})


def record_another_ending(folder, **columns):
    """Of the second fit of svm."""
    path = folder / "runs/d/svm/fits.parquet"
    metadata = {run_files.KEY: pl.read_parquet_metadata(path)[run_files.KEY]}
    fits = pl.read_parquet(path).with_columns(
        pl.when(pl.col("fold") == 1).then(pl.lit(value)).otherwise(name).alias(name)
        for name, value in columns.items()
    )
    fits.cast(pl.read_parquet_schema(path)).write_parquet(path, metadata=metadata)


def test_a_changed_limit_refits_only_fits_that_it_ended_or_that_exceed_it(results, calls):
    fit(results, EVALUATION, "svm")
    shutil.copytree(results / "runs", results / "recorded")
    for change, limits, refits in (
        ({}, {"fit_seconds": 61, "fit_memory_mb": 2000}, 0),
        ({}, {"fit_seconds": 59, "fit_memory_mb": 999}, 0),
        ({"fit_seconds": 50.0}, {"fit_seconds": 51}, 0),
        ({"fit_seconds": 50.0}, {"fit_seconds": 40}, 1),
        ({"fit_seconds": 50.0, "predict_seconds": 2.0}, {"fit_seconds": 51}, 1),
        ({"peak_rss_mb": 950.0}, {"fit_memory_mb": 940}, 1),
        ({"peak_rss_mb": 1500.0}, {"fit_memory_mb": 1100}, 0),
        ({"status": "timeout", "fit_seconds": 60.0}, {"fit_seconds": 61}, 1),
        ({"status": "timeout", "fit_seconds": 60.0}, {"fit_memory_mb": 2000}, 0),
        ({"status": "timeout", "fit_seconds": None}, {"fit_start_seconds": 121}, 1),
        ({"status": "timeout", "fit_seconds": None}, {"fit_seconds": 61}, 0),
        ({"status": "out_of_memory", "fit_seconds": None}, {"fit_seconds": 61}, 0),
        ({"status": "out_of_memory", "fit_seconds": None}, {"fit_memory_mb": 1001}, 1),
    ):
        for folder in ("runs", "store"):
            shutil.rmtree(results / folder, ignore_errors=True)
        shutil.copytree(results / "recorded", results / "runs")
        record_another_ending(results, **change)
        why = {"fitted again, as `limits:` changed": refits} if refits else {}
        found = planned(results, EVALUATION, "svm", limits=LIMITS | limits)
        assert found == why, (change, limits)
        for made in (refits, 0):  # then it is up to date
            again = calls.of(fit, results, EVALUATION, "svm", limits=LIMITS | limits)
            assert again == made, (change, limits)


def test_outcomes_that_a_lowered_limit_ended_are_found_when_it_is_restored(
    results, calls, monkeypatch
):
    fit(results, EVALUATION, "svm")
    before, lower = files(results), LIMITS | {"fit_seconds": 40}
    record_another_ending(results, fit_seconds=50.0)
    with monkeypatch.context() as patch:
        patch.setattr(Guard, "seconds", 40.0, raising=False)
        patch.setattr(Guard, "call", lambda *_: GuardedResult("timeout", "stopped after 40 s"))
        lowered = fit(results, EVALUATION, "svm", limits=lower)
    fits = pl.read_parquet(results / "runs/d/svm/fits.parquet")
    assert fits["status"].to_list() == ["converged", "timeout", "converged"]
    calls.made = 0
    assert planned(results, EVALUATION, "svm") == {}
    fit(results, EVALUATION, "svm")
    assert files(results) == before
    assert planned(results, EVALUATION, "svm", limits=lower) == {}
    assert fit(results, EVALUATION, "svm", limits=lower) == lowered
    assert calls.made == 0


@pytest.mark.full
def test_the_store_keeps_what_was_used_last_within_its_bound(results, calls):
    for strength in (1, 2, 3):
        entry = METHODS["lda"]["entry"] | {"params": {"shrinkage": strength / 10}}
        fit(results, EVALUATION, "lda", entry=entry)
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
def test_clean_empties_the_store_or_makes_fits_anew(results, calls):
    tuned_otherwise = EVALUATION | {"inner_folds": 3}
    fit(results, EVALUATION, "svm")
    fit(results, tuned_otherwise, "svm")
    assert remove_runs(results, ["d/svm"], []) == (["d/svm"], 0)
    assert calls.of(fit, results, EVALUATION, "svm") == 0, "the other variant was kept"
    assert calls.of(fit, results, tuned_otherwise, "svm") == 4, "this one was removed"
    assert empty_store(results) == 1
    assert calls.of(fit, results, EVALUATION, "svm") == 4
    (environment,) = environments_of(results / "runs/d/svm")
    assert remove_runs(results, [], ["another"]) == ([], 0)
    assert remove_runs(results, [], [environment]) == (["d/svm"], 1)
    assert not (results / "runs/d/svm").exists()
    assert not (results / "store").exists()


def test_a_run_whose_files_another_job_replaces_is_not_read(results, in_process):
    compute(results, TWICE, "lda")
    for stamp, part in enumerate(("rows", "_tables")):
        run = FittedRun.read(results / "runs/d/lda")
        os.utime(results / "runs/d/lda" / run_files.LAST, ns=(stamp, stamp))
        with pytest.raises(OSError, match="was written again"):
            getattr(run, part)


# An interrupted run continues with the next fit, and ends with the bytes of a run without an interruption


@pytest.fixture
def keep_every_fit(monkeypatch):
    monkeypatch.setattr(fit_store, "EVERY", 0)


@pytest.mark.parametrize("method", first(1, ["svm", "theirs"]))
def test_an_interrupted_run_fits_only_the_rest_and_gives_the_same_bytes(
    results, calls, keep_every_fit, method
):
    compute(results, TWICE, method)
    whole, needed, allowed = files(results), calls.made, calls.made // 2 + 1
    shutil.rmtree(results / "runs/d" / method)
    calls.made, calls.allowed = 0, allowed
    with pytest.raises(Interrupted):
        compute(results, TWICE, method)
    calls.allowed = needed
    joint = method == "theirs"  # an attempt at a joint fit of the second repeat is made again
    assert calls.of(compute, results, TWICE, method) == needed - allowed + joint
    assert files(results) == whole
    assert not [*results.rglob(fit_store.UNFINISHED)]


def test_a_joint_fit_is_not_repeated_after_its_tables_could_not_be_written(
    results, calls, keep_every_fit, monkeypatch
):
    compute(results, TWICE, "lda")
    whole = files(results)
    shutil.rmtree(results / "runs/d/lda")
    with monkeypatch.context() as patch:
        patch.setattr(Records, "table", lambda _: 1 / 0)
        with pytest.raises(ZeroDivisionError):
            compute(results, TWICE, "lda")
    assert calls.of(compute, results, TWICE, "lda") == 0
    assert files(results) == whole


def test_an_extended_run_that_cannot_be_written_loses_no_earlier_fit(results, calls, monkeypatch):
    fit(results, EVALUATION, "lda")
    with monkeypatch.context() as full:
        full.setattr(run_files, "write_table", lambda *_, **__: 1 / 0)
        with pytest.raises(ZeroDivisionError):
            fit(results, TWICE, "lda")
    assert calls.of(fit, results, EVALUATION, "lda") == 0
    assert fit_store.stored_runs(results) == [], "what the run contains is not stored as well"


def test_an_interrupted_run_whose_limit_is_raised_repeats_only_what_that_ended(
    results, calls, keep_every_fit
):
    calls.allowed = 5
    with pytest.raises(Interrupted):
        compute(results, TWICE, "svm")
    calls.allowed, limits = 100, LIMITS | {"fit_seconds": 61}
    assert calls.of(compute, results, TWICE, "svm", limits=limits) == 7 - 5


@pytest.mark.full
def test_an_interrupted_shard_continues(results, calls, keep_every_fit, tmp_path):
    shared, part = SharedInputs(results, "d", TWICE, LIMITS), tmp_path / "parts" / "1.npz"
    shard = (shared, "svm", METHODS["svm"], (1, 1), part)
    calls.allowed = 4
    with pytest.raises(Interrupted):
        compute_shard(*shard)
    calls.allowed = 100
    assert calls.of(compute_shard, *shard) == 3, "six fits and the details of the first are seven"
    gather(shared, "svm", METHODS["svm"], [part])
    of_shards = files(results)
    shutil.rmtree(results / "runs/d/svm")
    compute(results, TWICE, "svm")
    assert files(results) == of_shards


def added(key):
    """An outcome without predictions."""
    return {"status": "failed", "reason": key}, np.arange(3), None, Made(key)


def test_a_file_cut_short_anywhere_gives_its_complete_batches_and_is_continued(
    tmp_path, keep_every_fit
):
    path = tmp_path / fit_store.UNFINISHED
    for number in range(3):  # one a batch
        UnfinishedRun(path).keep({str(number): added(str(number))})
    content = path.read_bytes()
    for length in [*range(0, len(content), 7), len(content)]:
        path.write_bytes(content[:length])
        run = UnfinishedRun(path)
        assert [*run.kept] == [str(number) for number in range(len(run.kept))]
        assert all(fit["reason"] == key for key, (fit, *_) in run.kept.items())
        run.keep({"next": added("next")})
        assert [*UnfinishedRun(path).kept] == [*run.kept, "next"]
    assert len(run.kept) == 3


def test_an_outcome_is_reused_only_if_it_has_the_requested_optional_results(tmp_path):
    run = UnfinishedRun(tmp_path / "file")
    run.kept["key"] = added("key")
    earlier = EarlierFits(unfinished=run)
    assert earlier.find("key", ()) is not None
    assert earlier.find("key", ("grid",)) is None


def test_an_invalid_unfinished_run_is_ignored(tmp_path):
    for content in (b"", b"no batch", bytes(8), b"\xff" * 99, b"cos\nsystem\n(S'true'\ntR."):
        (tmp_path / "file").write_bytes(content)
        assert UnfinishedRun(tmp_path / "file").kept == {}


def test_a_light_run_writes_no_file_and_one_killed_for_memory_is_not_kept(tmp_path, monkeypatch):
    run = UnfinishedRun(tmp_path / "file")
    run.keep({"quick": added("quick")})
    assert not run.path.exists()
    monkeypatch.setattr(fit_store, "EVERY", 0)
    monkeypatch.setattr(fit_store, "kills", lambda: slurm.kills() + 1)
    run.keep({"killed": added("killed")})
    assert not run.path.exists()
