"""Values that were computed from files are taken from the cache while the files are the same."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from linclass_study.files import disk_cache

LONG_AGO = 1_000_000_000


@pytest.fixture(autouse=True)
def _own_cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    monkeypatch.setattr(disk_cache, "RECENT", 0)
    disk_cache._entries.cache_clear()
    yield
    disk_cache._entries.cache_clear()


def test_a_file_is_read_once_until_it_changes(tmp_path):
    file, reads = tmp_path / "file", []

    def digest() -> str:
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


def test_a_broken_or_unwritable_cache_is_no_error(tmp_path, monkeypatch):
    path = disk_cache.cache_file()
    path.parent.mkdir(parents=True)
    for content in ("", "[]", '{"a": 1}', "{"):
        path.write_text(content)
        disk_cache._entries.cache_clear()
        assert disk_cache.computed_once("a", [1], lambda: 2) == 2
    monkeypatch.setenv("XDG_CACHE_HOME", os.devnull)
    disk_cache._save()


def test_the_cache_forgets_what_was_not_used_for_longest(monkeypatch):
    monkeypatch.setattr(disk_cache, "MOST", 3)
    for name in ("a", "b", "c", "a", "d"):
        disk_cache.computed_once(name, [], lambda: 0)
    disk_cache._save()
    disk_cache._entries.cache_clear()
    assert [*disk_cache._entries()] == ["c", "a", "d"]


@pytest.mark.full
def test_a_library_is_imported_once_to_check_the_entries_that_name_its_classes(tmp_path):
    """Its class is imported again when the entry is another one, here a wrong one."""
    entry = {"classifier": "sklearn.linear_model.RidgeClassifier", "params": {"alpha": 2}}
    code = (
        "import sys\nfrom linclass_study.config import entry_checks\n"
        "problems = entry_checks.problems_of_method(eval(sys.argv[1]))\n"
        "print(len(problems), 'sklearn' in sys.modules)"
    )

    def said(entry: object) -> str:
        command = [sys.executable, "-c", code, repr(entry)]
        return subprocess.run(command, capture_output=True, text=True, check=True).stdout.strip()

    assert [said(entry), said(entry)] == ["0 True", "0 False"]
    assert said(entry | {"params": {"alfa": 2}}) == "1 True"
