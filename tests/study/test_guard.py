"""A call in a guarded child ends as a value, whatever it does, and the next call works."""

import ctypes
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import pytest

from linclass.base.messages import NotApplicable, require_memory
from linclass_study.processes.guard import Guard, GuardedResult


class Obedient:
    """Obeys each call and counts its calls, so that a test can detect a new child process."""

    def __init__(self, start=0):
        self.calls = start

    def __call__(self, order, *arguments):
        self.calls += 1
        return getattr(self, order)(*arguments)

    def count(self):
        return self.calls

    def refuse(self):
        raise NotApplicable("not with these data")

    def require(self, megabytes):
        require_memory(int(megabytes * 1e6), "this needs a table")

    def fail(self):
        raise ValueError("two\nlines")

    def fail_without_log(self):
        os.close(sys.stderr.fileno())
        self.fail()

    def hang(self):
        time.sleep(1000)

    def hang_with_children(self, file):
        child = subprocess.Popen([sys.executable, "-c", "import time; time.sleep(1000)"])
        Path(file).write_text(str(child.pid))
        time.sleep(1000)

    def eat(self):
        return sum(block.nbytes for block in [np.empty(20_000_000) for _ in range(200)])

    def use(self, megabytes):
        return np.ones(int(megabytes * 1e6 / 8)).nbytes

    def exit(self, code):
        os._exit(code)

    def leave(self):
        sys.exit("I am done")

    def kill(self):
        os.kill(os.getpid(), signal.SIGKILL)

    def abort(self):
        os.abort()

    def fail_with_object(self):
        raise TypeError(f"no {self!r}")

    def crash(self):
        ctypes.string_at(0)


class Slow:
    def __init__(self):
        time.sleep(60)


class Unbuildable:
    def __init__(self):
        raise FileNotFoundError("no such data")


@pytest.fixture
def guard():
    with Guard("test_guard:Obedient", {"start": 100}, seconds=2, memory_mb=500) as guard:
        yield guard


ENDINGS = [
    (("refuse",), "not_applicable", "not with these data"),
    (("require", 600), "not_applicable", "0.6 GB; limits.fit_memory_mb = 500 leaves"),
    (("fail",), "failed", "ValueError: two lines"),
    (("fail_without_log",), "failed", "ValueError: two lines"),
    (("fail_with_object",), "failed", "TypeError: no <test_guard.Obedient object>"),  # no address
    (("hang",), "timeout", "stopped after 2 s"),
    (("eat",), "out_of_memory", "limits.fit_memory_mb = 500"),
    (("exit", 3), "failed", "exit code 3"),
    (("exit", 0), "failed", "ended the Python process itself, with exit code 0"),
    (("leave",), "failed", "SystemExit: I am done"),
    (("kill",), "failed", "SIGKILL"),
    (("crash",), "failed", "SIGSEGV"),
    (("abort",), "failed", "SIGABRT, as some libraries do when an allocation fails"),
]


def test_every_kind_of_failure_is_returned_as_a_value_and_the_next_call_works(guard):
    for order, kind, words in ENDINGS:
        answer = guard.call(*order)
        assert answer.kind == kind, order
        assert words in answer.value, (order, answer)
        assert "\n" not in answer.value
        assert guard.call("use", 100).value == 100e6, order


def test_a_timeout_ends_what_the_fit_itself_started(guard, tmp_path):
    file = tmp_path / "pid"
    assert guard.call("hang_with_children", str(file)).kind == "timeout"
    pid = int(file.read_text())
    for _ in range(50):
        state = Path(f"/proc/{pid}/stat")
        if not state.exists() or state.read_text().rpartition(")")[2].split()[0] == "Z":
            return
        time.sleep(0.1)
    pytest.fail("the grandchild is still running")


def test_a_state_that_cannot_be_built_is_a_failure_of_every_call():
    with Guard("test_guard:Unbuildable", {}, seconds=5, memory_mb=500) as guard:
        for _ in range(2):
            answer = guard.call("anything")
            assert (answer.kind, answer.value) == ("failed", "FileNotFoundError: no such data")


def test_a_slow_start_is_reported_as_such_and_waited_for_once():
    with Guard("test_guard:Slow", {}, seconds=50, memory_mb=500, start_seconds=0.5) as guard:
        guard.use({}, "importing slow.Slow")
        begin = time.monotonic()
        reason = "importing slow.Slow took longer than 0.5 s (limits.fit_start_seconds)"
        for _ in range(3):
            answer = guard.call("anything")
            assert (answer.kind, answer.value) == ("timeout", reason)
        assert not guard.has_begun
        assert time.monotonic() - begin < 40


def test_a_file_beside_the_study_replaces_no_module_of_python(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    Path("queue.py").write_text("raise ImportError('a waiting line')")
    Path("own.py").write_text(
        "import queue\n\nclass Own:\n    def __call__(self):\n        return queue.Queue.__name__\n"
    )
    with Guard("own:Own", {}, seconds=60, memory_mb=500) as guard:
        assert guard.call() == GuardedResult("ok", "Queue")
