"""Calls in a child process with enforced limits of wall time and memory.

The child (guarded_child.py) builds a state and then answers calls with it. A call that hangs, is killed or ends the
interpreter returns as a value, and the next call gets a new child. `use` makes the current child build another state
and keeps what it has imported and loaded.
"""

from __future__ import annotations

import contextlib
import os
import signal
import subprocess
import sys
import time
from dataclasses import dataclass
from multiprocessing import Pipe
from multiprocessing.connection import Connection
from typing import Any

import psutil

LOOK_EVERY = 1.0  # seconds between checks of the processes that a long fit has started
# seconds in which what has killed a child, as Slurm ends a job, kills this process, too
GRACE = 0.5
CHILD = "linclass_study.processes.guarded_child"
START_SECONDS = 120  # to import a library and load the data, before any fit


@dataclass(frozen=True)
class GuardedResult:
    """kind: 'ok' with the value, or 'failed' | 'timeout' | 'out_of_memory' | 'not_applicable' with the reason."""

    kind: str
    value: Any


class Guard:
    """Context manager; `target` is 'module:class', and the child calls `class(**arguments)` for each `call`.

    `work` names the limits in messages: limits.fit_seconds and limits.fit_memory_mb for a fit, and
    limits.fit_start_seconds for everything before the first one.
    """

    def __init__(
        self,
        target: str,
        arguments: dict[str, Any],
        seconds: float,
        memory_mb: float,
        work: str = "fit",
        start_seconds: float = START_SECONDS,
    ):
        self.start_seconds, self.beginning = start_seconds, "its start"
        self.target, self.arguments = target, arguments
        self.seconds, self.memory_mb, self.work = seconds, memory_mb, work
        self._process: subprocess.Popen[bytes] | None = None
        self._pipe: Connection | None = None
        self._built = False
        self._unbuilt: GuardedResult | None = None

    def __enter__(self) -> Guard:
        return self

    def __exit__(self, *_: object) -> None:
        self._stop()

    def use(self, arguments: dict[str, Any], beginning: str) -> None:
        """Build another state, of these arguments, before the next call; `beginning` names that step in messages."""
        self.arguments, self._built, self._unbuilt = arguments, False, None
        self.beginning = beginning

    @property
    def _memory_setting(self) -> str:
        return f"limits.{self.work}_memory_mb = {self.memory_mb:g}"

    @property
    def has_begun(self) -> bool:
        """False if the state could not be built, so that no call was made."""
        return self._unbuilt is None

    def call(self, *arguments: Any) -> GuardedResult:
        """The result of a call in the child; it returns also if the call fails, hangs or ends its process."""
        if self._unbuilt is not None:
            return self._unbuilt
        if self._process is None:
            self._start()
        if not self._built:
            order = ("build", self.target, self.arguments, self.memory_mb, self._memory_setting)
            took = f"{self.beginning} took longer than {self.start_seconds:g} s"
            late = f"{took} (limits.fit_start_seconds)" if self.work == "fit" else took
            built = self._ask(order, self.start_seconds, late)
            if built.kind != "ok":
                self._stop()
                self._unbuilt = built  # the next call would fail in the same way
                return built
            self._built = True
        late = f"stopped after {self.seconds:g} s (limits.{self.work}_seconds)"
        return self._ask(("call", *arguments), self.seconds, late)

    def _start(self) -> None:
        self._pipe, theirs = Pipe()
        self._process = subprocess.Popen(
            [sys.executable, "-P", "-m", CHILD, str(theirs.fileno())],
            pass_fds=[theirs.fileno()],
            stdin=subprocess.DEVNULL,
            start_new_session=True,
            env={**os.environ, "PYTHONHASHSEED": "0", "PYTHONUNBUFFERED": "1"},  # a complete log
        )
        theirs.close()  # otherwise the child's death would not end the wait

    def _ask(self, message: Any, seconds: float, late: str) -> GuardedResult:
        assert self._pipe is not None
        try:
            self._pipe.send(message)
            if exceeded := self._wait(seconds, late):
                self._stop()
                return exceeded
            answer = GuardedResult(*self._pipe.recv())
        except (EOFError, ConnectionError):
            return GuardedResult("failed", self._cause_of_death())
        except Exception as error:  # an answer that cannot be read
            self._stop()
            why = f"{type(error).__name__}: {error}"
            return GuardedResult("failed", f"its answer cannot be read ({why})")
        if answer.kind == "out_of_memory":
            self._stop()  # the next fit starts without the remains of this one
            return self._out_of_memory(answer.value)
        return answer

    def _wait(self, seconds: float, late: str) -> GuardedResult | None:
        """Wait for an answer and return None, or return the exceeded limit of time or memory."""
        assert self._pipe is not None
        end = time.monotonic() + seconds
        while (left := end - time.monotonic()) > 0:
            if self._pipe.poll(min(left, LOOK_EVERY)):
                return None
            used = 0
            for process in self._descendants():
                with contextlib.suppress(psutil.Error):
                    used += process.memory_info().rss
            if used > self.memory_mb * 1e6:
                what = f"the processes that it started hold {used / 1e6:.0f} MB"
                return self._out_of_memory(what)
        return GuardedResult("timeout", late)

    def _out_of_memory(self, what: str) -> GuardedResult:
        message = f"asked for more than {self._memory_setting}"
        return GuardedResult("out_of_memory", f"{message}: {what}" if what else message)

    def _descendants(self) -> list[psutil.Process]:
        """Processes that the fit has started: the limit holds for each of them and for all together."""
        assert self._process is not None
        with contextlib.suppress(psutil.Error):
            return psutil.Process(self._process.pid).children(recursive=True)
        return []

    def _cause_of_death(self) -> str:
        assert self._process is not None
        try:
            code = self._process.wait(10)
        except subprocess.TimeoutExpired:
            code = None
        self._stop()
        if code is None:
            return "closed its connection without an answer"
        if code >= 0:
            return f"ended the Python process itself, with exit code {code}"
        name = signal.Signals(-code).name
        if name in ("SIGTERM", "SIGKILL"):
            time.sleep(GRACE)  # a fit that an ending job interrupts must not become a result
        hints = {
            "SIGKILL": ", as the kernel does when the machine's memory runs out",
            "SIGABRT": f", as some libraries do when an allocation fails ({self._memory_setting})",
        }
        return f"the process was killed by {name}{hints.get(name, '')}"

    def _stop(self) -> None:
        self._built = False
        if self._pipe is not None:
            self._pipe.close()
            self._pipe = None
        if self._process is not None:
            started = self._descendants()
            with contextlib.suppress(ProcessLookupError):
                os.killpg(self._process.pid, signal.SIGKILL)
            for process in started:  # those that left the group
                with contextlib.suppress(psutil.Error):
                    process.kill()
            self._process.wait()
            self._process = None
