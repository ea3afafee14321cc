"""An interrupted run continues with the next fit, and ends with the bytes of a run without an interruption."""

from __future__ import annotations

import shutil

import numpy as np
import pytest
from cases import first
from test_shared_jobs import EVALUATION, LIMITS, METHODS, compute, files, results  # noqa: F401

from linclass_study.execution import fit_store, slurm
from linclass_study.execution.fit_jobs import SharedInputs, compute_bundle, compute_shard, gather
from linclass_study.execution.fit_store import EarlierFits, UnfinishedRun
from linclass_study.execution.run_files import Made, Records
from linclass_study.processes.guard import Guard

pytestmark = pytest.mark.usefixtures("in_process")


class Interrupted(Exception):
    pass


def added(key):
    """An outcome without predictions."""
    return {"status": "failed", "reason": key}, np.arange(3), None, Made(key)


class Calls:
    """Counts the calls of fits, and interrupts the one after `allowed` of them."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch):
        self.made, self.allowed, call = 0, 10**6, Guard.call

        def counted(guard, *arguments):
            if self.made == self.allowed:
                raise Interrupted
            self.made += 1
            return call(guard, *arguments)

        monkeypatch.setattr(Guard, "call", counted)


@pytest.fixture
def calls(monkeypatch):
    monkeypatch.setattr(fit_store, "EVERY", 0)
    return Calls(monkeypatch)


@pytest.fixture
def kept(tmp_path):
    """A file with three outcomes, one a batch."""
    run = UnfinishedRun(tmp_path / fit_store.UNFINISHED)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(fit_store, "EVERY", 0)
        for number in range(3):
            run.keep({str(number): added(str(number))})
    return run.path


@pytest.mark.parametrize("method", first(1, ["svm", "theirs"]))
def test_an_interrupted_run_fits_only_the_rest_and_gives_the_same_bytes(results, calls, method):  # noqa: F811
    compute(results, method)
    whole, needed, allowed = files(results), calls.made, calls.made // 2 + 1
    shutil.rmtree(results / "runs/d" / method)
    calls.made, calls.allowed = 0, allowed
    with pytest.raises(Interrupted):
        compute(results, method)
    calls.made, calls.allowed = 0, needed
    compute(results, method)
    joint = method == "theirs"  # an attempt at a joint fit of the second repeat is made again
    assert calls.made == needed - allowed + joint
    assert files(results) == whole
    assert not [*results.rglob(fit_store.UNFINISHED)]


def test_a_joint_fit_is_not_repeated_after_its_tables_could_not_be_written(results, calls):  # noqa: F811
    compute(results, "lda")
    whole = files(results)
    shutil.rmtree(results / "runs/d/lda")
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(Records, "table", lambda _: 1 / 0)
        with pytest.raises(ZeroDivisionError):
            compute(results, "lda")
    calls.made = 0
    compute(results, "lda")
    assert calls.made == 0
    assert files(results) == whole


def test_an_interrupted_run_whose_limit_is_raised_repeats_only_what_that_ended(results, calls):  # noqa: F811
    compute(results, "svm")
    shutil.rmtree(results / "runs/d/svm")
    calls.allowed = calls.made + 5
    with pytest.raises(Interrupted):
        compute(results, "svm")
    calls.made, calls.allowed = 0, 100
    limits = LIMITS | {"fit_seconds": LIMITS["fit_seconds"] + 1}
    compute_bundle(results, {"d": {"svm": METHODS["svm"]}}, EVALUATION, limits)
    assert calls.made == 7 - 5


@pytest.mark.full
def test_an_interrupted_shard_continues(results, calls, tmp_path):  # noqa: F811
    shared, part = SharedInputs(results, "d", EVALUATION, LIMITS), tmp_path / "parts" / "1.npz"
    calls.allowed = 4
    with pytest.raises(Interrupted):
        compute_shard(shared, "svm", METHODS["svm"], (1, 1), part)
    calls.made, calls.allowed = 0, 100
    compute_shard(shared, "svm", METHODS["svm"], (1, 1), part)
    assert calls.made == 3, "six fits and the details of the first are seven calls"
    gather(shared, "svm", METHODS["svm"], [part])
    of_shards = files(results)
    shutil.rmtree(results / "runs/d/svm")
    compute(results, "svm")
    assert files(results) == of_shards


def test_a_file_cut_short_anywhere_gives_its_complete_batches_and_is_continued(kept, monkeypatch):
    monkeypatch.setattr(fit_store, "EVERY", 0)
    content = kept.read_bytes()
    for length in [*range(0, len(content), 7), len(content)]:
        kept.write_bytes(content[:length])
        run = UnfinishedRun(kept)
        assert [*run.kept] == [str(number) for number in range(len(run.kept))]
        assert all(fit["reason"] == key for key, (fit, *_) in run.kept.items())
        run.keep({"next": added("next")})
        assert [*UnfinishedRun(kept).kept] == [*run.kept, "next"]
    assert len(run.kept) == 3


def test_an_outcome_is_reused_only_if_it_has_the_requested_optional_results(tmp_path):
    run = UnfinishedRun(tmp_path / "file")
    run.kept["key"] = added("key")
    earlier = EarlierFits(unfinished=run)
    assert earlier.find("key", ()) is not None
    assert earlier.find("key", ("grid",)) is None


@pytest.mark.parametrize(
    "content", [b"", b"no batch", bytes(8), b"\xff" * 99, b"cos\nsystem\n(S'true'\ntR."]
)
def test_an_invalid_unfinished_run_is_ignored(tmp_path, content):
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
