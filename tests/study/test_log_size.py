"""The output of fits is in the log; of a long output the beginning and the end are kept."""

import os
import sys
import time
from contextlib import contextmanager
from pathlib import Path

import pytest

from linclass_study.files import logs
from linclass_study.processes import guard as guards
from linclass_study.processes.guard import Guard


@contextmanager
def as_log(file):
    """Context in which this is the standard output of the process and its children (job.begin_job)."""
    before = os.dup(1)
    os.dup2(file, 1)
    try:
        yield
    finally:
        os.dup2(before, 1)
        os.close(before)


@pytest.fixture
def log(tmp_path):
    file = os.open(tmp_path / "log", os.O_RDWR | os.O_CREAT)
    yield file
    os.close(file)


class Prints:
    """A state whose calls print lines, with a number each, the last when nobody removes lines any more."""

    def __call__(self, lines):
        for number in range(lines):
            if number == lines - 1:
                sys.stdout.flush()
                time.sleep(0.1)
            print(f"line {number} of {lines}")
        return lines


def test_the_beginning_and_the_end_of_a_long_output_are_kept(log, monkeypatch, capfd, tmp_path):
    monkeypatch.setattr(logs, "MAX_LOG_BYTES", 100_000)
    monkeypatch.setattr(guards, "LOOK_EVERY", 0.0003)  # many times while it prints
    monkeypatch.setenv("PYTHONPATH", str(Path(__file__).parent))
    prints = f"{Path(__file__).stem}:Prints"
    with capfd.disabled(), as_log(log), Guard(prints, {}, 60, 1000) as guard:
        assert [guard.call(lines).kind for lines in (5, 300_000, 7)] == ["ok"] * 3
    text = (tmp_path / "log").read_text()
    assert len(text) < 150_000
    assert "\0" not in text
    lines = text.splitlines()
    assert lines[:6] == [*(f"line {i} of 5" for i in range(5)), "line 0 of 300000"]
    assert "line 299999 of 300000" in lines
    assert "MB of output are left out …" in text
    assert lines[-7:] == [f"line {i} of 7" for i in range(7)]


def test_short_output_and_output_that_is_not_a_file_are_unchanged(log, tmp_path, capfd):
    with capfd.disabled(), as_log(log):
        size = logs.LogSize()
        os.write(1, b"short\n")
        size.limit()
    assert (tmp_path / "log").read_text() == "short\n"
    read, write = os.pipe()
    with capfd.disabled(), as_log(write):
        size = logs.LogSize()
        os.write(1, b"pipe")
        size.limit()
    assert os.read(read, 1000) == b"pipe"
    os.close(read)
    os.close(write)
