"""The cache of values computed from files, and full disks."""

import errno
import os
import shutil
import subprocess
import sys
from collections import namedtuple
from types import SimpleNamespace

import pytest
from run_alone import EVALUATION, compute

from linclass_study.errors import StudyError
from linclass_study.execution import locks
from linclass_study.execution.run_files import Records
from linclass_study.files import disk_cache, writing
from linclass_study.workflow.handlers import Handlers

# Values that were computed from files are taken from the cache while the files are the same

LONG_AGO = 1_000_000_000


@pytest.fixture(autouse=True)
def _own_cache(tmp_path, monkeypatch):
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    monkeypatch.setattr(disk_cache, "RECENT", 0)
    disk_cache._entries.cache_clear()
    yield
    disk_cache._entries.cache_clear()


def test_a_file_is_read_once_until_it_changes(tmp_path):
    file, reads = tmp_path / "file", []

    def digest():
        return disk_cache.computed_of_file(
            "digest", file, lambda: reads.append(1) or file.read_text()
        )

    file.write_text("one")
    os.utime(file, (LONG_AGO, LONG_AGO))
    assert [digest(), digest()] == ["one", "one"]
    disk_cache._save()
    disk_cache._entries.cache_clear()  # as in the next process
    assert digest() == "one"
    assert len(reads) == 1
    file.write_text("two")
    os.utime(file, (LONG_AGO, LONG_AGO))  # the same size and time of modification
    assert digest() == "two"


def test_a_file_that_has_just_changed_is_not_trusted(tmp_path, monkeypatch):
    monkeypatch.setattr(disk_cache, "RECENT", 10**12)
    file, reads = tmp_path / "file", []
    file.write_text("one")
    for _ in range(2):
        disk_cache.computed_of_file("digest", file, lambda: reads.append(1))
    assert len(reads) == 2


def test_the_cache_forgets_what_was_not_used_for_longest(monkeypatch):
    monkeypatch.setattr(disk_cache, "MAX_ENTRIES", 3)
    for name in ("a", "b", "c", "a", "d"):
        disk_cache.computed_once(name, [], lambda: 0)
    disk_cache._save()
    disk_cache._entries.cache_clear()
    assert [*disk_cache._entries()] == ["c", "a", "d"]


def test_a_broken_or_unwritable_cache_is_ignored(tmp_path, monkeypatch):
    path = disk_cache.cache_file()
    path.parent.mkdir(parents=True)
    for content in ("", "[]", '{"a": 1}', "{"):
        path.write_text(content)
        disk_cache._entries.cache_clear()
        assert disk_cache.computed_once("a", [1], lambda: 2) == 2
    monkeypatch.setenv("XDG_CACHE_HOME", os.devnull)
    disk_cache._save()


@pytest.mark.full
def test_a_library_is_imported_once_to_check_the_entries_that_name_its_classes(tmp_path):
    """Its class is imported again when the entry is another one, here a wrong one."""
    entry = {"classifier": "sklearn.linear_model.RidgeClassifier", "params": {"alpha": 2}}
    code = (
        "import sys\nfrom linclass_study.config import selected_entries\n"
        "problems = selected_entries.checked_method(eval(sys.argv[1]))['problems']\n"
        "print(len(problems), 'sklearn' in sys.modules)"
    )

    def said(entry):
        command = [sys.executable, "-c", code, repr(entry)]
        return subprocess.run(command, capture_output=True, text=True, check=True).stdout.strip()

    assert [said(entry), said(entry)] == ["0 True", "0 False"]
    assert said(entry | {"params": {"alfa": 2}}) == "1 True"


# A failure because of a full disk is reported as such and is not the result of a fit

FAILED = f"OSError: [Errno {errno.ENOSPC}] {os.strerror(errno.ENOSPC)}"
Usage = namedtuple("Usage", "total used free")


@pytest.fixture
def full(monkeypatch):
    monkeypatch.setattr(shutil, "disk_usage", lambda _: Usage(10**9, 10**9 - 10**6, 10**6))


def test_a_disk_with_room_is_not_full(tmp_path):
    assert writing.full_disk(tmp_path / "not" / "yet" / "there") == ""
    writing.refuse_for_full_disk([FAILED], tmp_path)  # another disk was full, as /dev/shm


def test_a_full_disk_is_named_and_refuses_only_fits_that_failed_on_it(full, tmp_path):
    assert writing.full_disk(tmp_path) == (
        f"The disk of {tmp_path} is full (1 MB are left): make room, then run again."
    )
    writing.refuse_for_full_disk(["ValueError: no", ""], tmp_path)
    with pytest.raises(StudyError, match="is full"):
        writing.refuse_for_full_disk(["ValueError: no", FAILED], tmp_path)


def test_a_disk_that_is_full_before_the_first_job_is_named(full, tmp_path, monkeypatch):
    def reserve(_):  # a write to an open file, whose error names none
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    monkeypatch.setattr(locks, "reserve", reserve)
    study = SimpleNamespace(results=tmp_path, study=SimpleNamespace(results=str(tmp_path)))
    handlers = Handlers(study, SimpleNamespace(is_main_process=False), None, None)
    with pytest.raises(SystemExit, match=f"^The disk of {tmp_path} is full"):
        handlers.on_start()


def test_a_run_that_failed_on_a_full_disk_is_not_written(full, results, in_process, monkeypatch):
    monkeypatch.setattr(Records, "reasons", lambda _: [FAILED])
    with pytest.raises(StudyError, match="is full"):
        compute(results, EVALUATION, "lda")
    assert not [*(results / "runs").rglob("*.parquet")]
