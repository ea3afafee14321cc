"""What fails because a disk is full is reported as such, and is no result of a fit."""

from __future__ import annotations

import errno
import os
import shutil
from collections import namedtuple
from types import SimpleNamespace

import pytest

from linclass_study.errors import StudyError
from linclass_study.execution import compute
from linclass_study.execution.records import Records
from linclass_study.execution.run_files import RunInputs
from linclass_study.files import writing

FAILED = f"OSError: [Errno {errno.ENOSPC}] {os.strerror(errno.ENOSPC)}"
Usage = namedtuple("Usage", "total used free")


@pytest.fixture
def full(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(shutil, "disk_usage", lambda _: Usage(10**9, 10**9 - 10**6, 10**6))


def test_a_disk_with_room_is_not_full(tmp_path):
    assert writing.full_disk(tmp_path / "not" / "yet" / "there") == ""
    writing.refuse_for_full_disk([FAILED], tmp_path)  # another disk was full, as /dev/shm


def test_a_full_disk_is_named_with_what_is_left(full, tmp_path):
    assert writing.full_disk(tmp_path) == (
        f"The disk of {tmp_path} is full (1 MB are left): make room, then run again."
    )


def test_only_a_fit_that_failed_for_it_is_refused(full, tmp_path):
    writing.refuse_for_full_disk(["ValueError: no", ""], tmp_path)
    with pytest.raises(StudyError, match="is full"):
        writing.refuse_for_full_disk(["ValueError: no", FAILED], tmp_path)


def test_a_run_that_failed_on_a_full_disk_is_not_written(full, tmp_path, monkeypatch):
    monkeypatch.setattr(compute, "fit_and_predict", lambda *_, **__: FailedRecords())
    with pytest.raises(StudyError, match="is full"):
        compute.computed_run(Shared(tmp_path), "m", SPEC, {}, SimpleNamespace(limits_of_fit={}))
    assert not [*tmp_path.rglob("*.parquet")]


SPEC = {"entry": {}, "code": "", "features": "f"}


class FailedRecords(Records):
    def __init__(self):
        self.fits = [{"status": "failed", "reason": FAILED}]


class Shared:
    """The inputs of a run that has no earlier fits."""

    def __init__(self, results):
        self.results, self.dataset = results, "d"

    def folder(self, method):
        return self.results / "runs" / self.dataset / method

    def inputs_of(self, spec, limits):
        return RunInputs("this entry", "these rows")

    def run_of(self, method, spec):
        return SimpleNamespace(fits=lambda limits: [])

    def earlier_fits(self, *given):
        return SimpleNamespace(covering=lambda *_: None)
