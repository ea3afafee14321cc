"""Locks of a results folder and of a run: a killed process loses its lock, a living or remote one keeps it."""

import errno
import fcntl
import json
import logging
import os
import shutil
import signal
import subprocess
import sys

import psutil
import pytest

from linclass_study.errors import StudyError
from linclass_study.execution import locks

HOLD = """
from pathlib import Path
from linclass_study.execution import locks
locks.reserve(Path("results"))
print("held", flush=True)
input()
"""
HOLD_RUN = """
import sys
from pathlib import Path
from linclass_study.execution.fit_jobs import run_lock

with run_lock(Path(sys.argv[1])):
    print("held", flush=True)
    sys.stdin.read()
"""


@pytest.fixture
def results(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(locks, "_held", [])
    yield tmp_path / "results"
    for file in locks._held:
        file.close()


def speaking(*command):
    pipe = subprocess.PIPE
    return subprocess.Popen(command, stdin=pipe, stdout=pipe, text=True)


def start(*before):
    """A process that holds the lock of the results, and says so."""
    process = speaking(*before, sys.executable, "-c", HOLD)
    assert process.stdout.readline() == "held\n"
    return process


def end(process, how=signal.SIGKILL):
    number = psutil.Process(process.pid)
    for one in [*number.children(recursive=True), number]:
        one.send_signal(how)
    process.communicate()


def left_by(results, **changes):
    """What a process of here that has ended without cleaning up has written, but for the changes."""
    ended = subprocess.Popen([sys.executable, "-c", ""])
    ended.wait()
    owner = locks._here() | {"pid": ended.pid, "since": "2026-01-02 03:04:05 +0000"} | changes
    (results / "logs").mkdir(parents=True)
    (results / locks.LOCK).write_text(json.dumps(owner))


@pytest.mark.parametrize("how", [signal.SIGKILL, signal.SIGTERM])
def test_only_a_living_process_keeps_the_results(results, how):
    process = start()
    with pytest.raises(StudyError, match=f"process {process.pid} on .*`kill {process.pid}`"):
        locks.reserve(results)
    with pytest.raises(StudyError, match="locked by another snakemake"):
        locks.refuse_if_in_use(results)
    end(process, how)
    locks.refuse_if_in_use(results)
    locks.reserve(results)
    assert json.loads((results / locks.LOCK).read_text())["pid"] == os.getpid()


def test_a_process_that_ends_leaves_no_owner_and_other_results_are_not_in_the_way(
    results, tmp_path
):
    start().communicate("\n")
    assert (results / locks.LOCK).read_text() == ""
    process = start()
    locks.reserve(tmp_path / "others")
    end(process)


@pytest.mark.parametrize("owner", [{}, {"boot": "0000"}, {"host": "inside a container"}])
def test_an_owner_on_this_computer_which_may_have_been_started_again_is_known_to_be_dead(
    results, owner
):
    left_by(results, **owner)
    locks.reserve(results)


@pytest.mark.parametrize("boot", ["0000", ""])
def test_an_owner_on_another_computer_is_uncertain(results, boot):
    left_by(results, host="elsewhere", boot=boot)
    words = (
        "on elsewhere, since 2026-01-02 03:04:05 .*if you know that it is dead, delete .*logs/lock"
    )
    with pytest.raises(StudyError, match=words):
        locks.reserve(results)
    (results / locks.LOCK).unlink()  # the remedy
    locks.reserve(results)


def test_an_unreadable_owner_is_not_assumed_to_be_dead(results):
    left_by(results)
    for text in ("{", "[]", "{}x", '{"pid": 1}'):
        (results / locks.LOCK).write_text(text)
        with pytest.raises(StudyError, match="an unknown host"):
            locks.reserve(results)


def test_without_locks_of_the_file_system_the_process_number_decides(results, monkeypatch):
    def unsupported(*_):
        raise OSError(errno.ENOLCK, "no locks available")

    monkeypatch.setattr(fcntl, "lockf", unsupported)
    left_by(results)
    locks.refuse_if_in_use(results)
    (results / locks.LOCK).write_text(json.dumps(locks._here() | {"pid": os.getpid()}))
    with pytest.raises(StudyError, match="locked by another"):
        locks.reserve(results)


def test_a_lock_that_is_a_link_is_not_followed(results, tmp_path):
    (results / "logs").mkdir(parents=True)
    (tmp_path / "precious").write_text("content")
    (results / locks.LOCK).symlink_to(tmp_path / "precious")
    with pytest.raises(OSError, match="symbolic links"):
        locks.reserve(results)
    assert (tmp_path / "precious").read_text() == "content"


def test_read_only_results_are_refused_in_one_line():
    logger, message = logging.Logger("snakemake"), []
    logger.addHandler(logging.Handler())
    logger.handlers[0].emit = lambda record: message.append(record.getMessage())
    locks.explain_read_only(logger, "results")
    logger.error("another error")
    logger.error(f"{locks.READ_ONLY} for rule report:\n    output: results/report.html\n    …")
    explained = (
        "The results in results cannot be written, and this study would change them: make the folder "
        "writable (`chmod -R u+w results`), or set `results:` to another one"
    )
    assert message == ["another error", explained]


@pytest.mark.parametrize("names", [["--pid"], ["--pid", "--uts"]])
def test_a_container_on_this_kernel_is_seen(results, names):
    """Process numbers mean nothing here; the file lock does."""
    inside = [shutil.which("unshare") or "unshare", *names, "--fork"]
    if subprocess.run([*inside, "true"], capture_output=True, check=False).returncode:
        pytest.skip("name spaces cannot be made here")
    rename = ["sh", "-c", 'hostname inside; exec "$@"', "sh"] if "--uts" in names else []
    process = start(*inside, *rename)
    with pytest.raises(StudyError, match="locked by another"):
        locks.reserve(results)
    end(process)
    locks.reserve(results)


def hold(run):
    """A process that claims the run, reports this, and keeps the claim until its input ends."""
    return speaking(sys.executable, "-c", HOLD_RUN, run)


@pytest.mark.slow
def test_a_second_process_waits_until_the_first_one_of_the_run_has_ended(tmp_path):
    run = tmp_path / "iris" / "lda"
    with hold(run) as first, hold(tmp_path / "iris" / "qda") as other:
        for process in (first, other):
            assert process.stdout.readline() == "held\n", "other runs are not in the way"
        with hold(run) as second:
            assert "another process computes this run" in second.stdout.readline()
            first.kill()
            assert second.stdout.readline() == "held\n"
            second.communicate()
        with hold(run) as third:
            assert third.stdout.readline() == "held\n"
            third.communicate()
        other.communicate()
