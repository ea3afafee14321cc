"""Locks of dead processes are removed; those of live ones, and of other hosts, are not."""

import json
import logging
import os
import shutil
import signal
import subprocess
import sys
import time
from dataclasses import asdict, replace

import pytest

from linclass_study.errors import StudyError
from linclass_study.execution import locks

HOLD = "from linclass_study.execution import locks; locks.remove_stale_locks(); print('held', flush=True); input()"


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """A folder locked by a Snakemake without a description of its owner."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(locks, "_held", {})
    (tmp_path / ".snakemake" / "locks").mkdir(parents=True)
    take_locks(tmp_path)
    yield tmp_path
    for file in locks._held.values():
        file.close()


def take_locks(folder):
    (folder / ".snakemake" / "locks" / "0.output.lock").write_text("results/scores.csv\n")


def locked(folder):
    return any((folder / ".snakemake" / "locks").iterdir())


def describe(**changes):
    """A main process of here and now that has ended, but for the changes."""
    ended = subprocess.Popen([sys.executable, "-c", ""])
    owner = replace(locks.Owner.of(ended.pid), **changes)
    ended.wait()
    locks.OWNERS.mkdir(exist_ok=True)
    (locks.OWNERS / "other.json").write_text(json.dumps(asdict(owner)))
    return owner


def start(*before, code=HOLD):
    """A main process in this folder, in its own words alive."""
    process = subprocess.Popen(
        [*before, sys.executable, "-c", code],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )
    assert process.stdout.readline() == "held\n"
    return process


def end(process, how):
    number = locks.psutil.Process(process.pid)
    for one in [*number.children(recursive=True), number]:
        one.send_signal(how)
    process.communicate()


def test_only_dead_processes_lose_their_locks(folder):
    process = start()
    take_locks(folder)
    locks.remove_stale_locks()
    assert locked(folder)
    end(process, signal.SIGKILL)
    locks.remove_stale_locks()
    assert not locked(folder)


def test_a_process_that_ends_is_removed_from_the_lock(folder):
    start().communicate("\n")
    assert [*locks.OWNERS.iterdir()] == []


def test_locks_of_unknown_owners_are_kept(folder):
    locks.remove_stale_locks()
    assert locked(folder)


@pytest.mark.parametrize(
    ("owner", "stays"),
    [
        ({"ticks": "1"}, False),  # another process of the same number
        ({"boot": "0000"}, False),  # the computer was started again
        ({"host": "elsewhere", "boot": "0000"}, True),
        ({"machine": "twin", "boot": "0000"}, True),
    ],
)
def test_locks_of_another_process_on_this_host_are_removed_and_those_of_another_host_stay(
    folder, owner, stays
):
    describe(**({} if "machine" in owner or "host" in owner else {"pid": os.getpid()}), **owner)
    locks.remove_stale_locks()
    assert locked(folder) == stays


def test_an_unreadable_process_is_not_assumed_to_be_dead(folder):
    describe()
    (locks.OWNERS / "strange.json").write_text("{}")
    locks.remove_stale_locks()
    assert locked(folder)


def test_another_hosts_process_without_locks_is_removed_after_a_while(folder):
    describe(host="elsewhere", boot="0000")
    (folder / ".snakemake" / "locks" / "0.output.lock").unlink()
    locks.remove_stale_locks()
    assert (locks.OWNERS / "other.json").exists()
    long_ago = time.time() - locks.FORGOTTEN_AFTER - 60
    os.utime(locks.OWNERS / "other.json", (long_ago, long_ago))
    locks.remove_stale_locks()
    assert not (locks.OWNERS / "other.json").exists()


THERE, HERE = (
    "wait until it ends there; if you know that it is dead, run",
    f"wait until it ends, or end it (`kill {os.getpid()}`; if that does not help, `kill -9",
)


@pytest.mark.parametrize(
    ("changes", "remedy"),
    [
        ({"host": "elsewhere", "boot": "0000", "results": "r"}, THERE),
        ({"pid": os.getpid(), "ticks": locks.Owner.of(os.getpid()).ticks}, HERE),
    ],
    ids=["there", "here"],  # the same in every process of pytest-xdist
)
def test_a_refusal_says_in_one_line_who_since_when_and_what_to_do(folder, changes, remedy):
    owner = describe(since="2026-01-02 03:04:05 +0000", **changes)
    logger = logging.Logger("snakemake")
    message = []
    logger.addHandler(logging.Handler())
    logger.handlers[0].emit = lambda record: message.append(record.getMessage())
    locks.explain_lock_errors(logger, "results")
    logger.error(f"{locks.LOCKED}. Please make sure\nthat no other Snakemake process …")
    logger.error("another error")
    logger.error(f"{locks.READ_ONLY} for rule report:\n    output: results/report.html\n    …")
    assert message.pop() == (
        "The results in results cannot be written, and this study would change them: make the folder "
        "writable (`chmod -R u+w results`), or set `results:` to another one"
    )
    assert "\n" not in message[0]
    assert f"process {owner.pid} on {owner.host}, since 2026-01-02 03:04:05 +0000" in message[0]
    assert remedy in message[0]
    assert message[1] == "another error"


SPACES = {
    "processes": ["--pid", "--fork"],
    "processes and a host name": ["--pid", "--fork", "--uts"],
}


@pytest.mark.parametrize("names", SPACES)
def test_a_container_on_this_kernel(folder, names):
    """Process numbers mean nothing here; the file lock does."""
    inside = [shutil.which("unshare") or "unshare", *SPACES[names]]
    if subprocess.run([*inside, "true"], capture_output=True, check=False).returncode:
        pytest.skip("name spaces cannot be made here")
    process = start(
        *inside, *(["sh", "-c", 'hostname inside; exec "$@"', "sh"] if "--uts" in inside else [])
    )
    take_locks(folder)
    locks.remove_stale_locks()
    assert locked(folder)
    end(process, signal.SIGKILL)
    locks.remove_stale_locks()
    assert not locked(folder)


def test_studies_side_by_side_are_distinguished_by_their_results(folder):
    """One was killed, the other lives, on another host for all that is known."""
    describe(results="results")
    living = asdict(locks.Owner.of(os.getpid())) | {
        "host": "elsewhere",
        "boot": "0",
        "results": "others",
    }
    (locks.OWNERS / "living.json").write_text(json.dumps(living))
    theirs = folder / ".snakemake" / "locks" / "1.output.lock"
    theirs.write_text("others/scores.csv\n")
    locks.remove_stale_locks()
    assert [*theirs.parent.iterdir()] == [theirs]
    locks.reserve("results")
    with pytest.raises(
        StudyError, match=f"process {os.getpid()} on elsewhere, since .*wait until it ends there"
    ):
        locks.reserve("others")


def test_whoever_makes_the_results_keeps_them_without_snakemakes_locks(folder):
    code = HOLD.replace("print(", "locks.reserve('results'); print(")
    process = start(code=code)
    locks.remove_stale_locks()
    with pytest.raises(StudyError, match="wait until it ends, or end it"):
        locks.reserve("results")
    end(process, signal.SIGKILL)
    locks.reserve("results")
