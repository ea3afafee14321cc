"""The other end of a guard: build a state, answer calls with it, build the next one, until the pipe closes."""

from __future__ import annotations

import contextlib
import ctypes
import os
import resource
import sys
import traceback
from importlib import import_module
from multiprocessing.connection import Connection
from typing import Any

from linclass_study.job import die_with_parent

PR_SET_CHILD_SUBREAPER = 36
LONGEST_REASON = 2000


def main(descriptor: int) -> None:
    die_with_parent()
    adopt_orphans()
    pipe = Connection(descriptor)
    os.register_at_fork(after_in_child=pipe.close)  # what a fit forks must not answer for it
    me = os.getpid()
    state: Any = None
    while True:
        try:
            order, *message = pipe.recv()
        except EOFError:
            return
        if order == "build":
            state = None  # gone before the next one is built
            answer, state = build(*message)
        else:
            answer = attempt(state, *message)[0]
        if os.getpid() != me:
            os._exit(1)
        pipe.send(answer)


def build(target: str, arguments: dict[str, Any], memory_mb: float) -> tuple[tuple[str, Any], Any]:
    """(answer, state). Memory is limited anew, beyond what the state and its imports take."""
    give_memory_back()
    limit_memory(None)
    module, _, name = target.partition(":")
    answer, state = attempt(lambda: getattr(import_module(module), name)(**arguments))
    limit_memory(memory_mb)
    return (answer if answer[0] != "ok" else ("ok", None)), state


def attempt(call: Any, *arguments: Any) -> tuple[tuple[str, Any], Any]:
    """((kind, value or reason), value) of a call; its traceback goes to the log."""
    try:
        value = call(*arguments)
    except BaseException as error:  # also sys.exit: nobody ends somebody else's study
        kind = kind_of(error)
        if kind == "failed":
            traceback.print_exc()
        return (kind, reason(error)), None
    return ("ok", value), value


def kind_of(error: BaseException) -> str:
    """A MemoryError may come wrapped in what a library made of it."""
    if type(error).__name__ == "NotApplicable":
        return "not_applicable"
    seen: BaseException | None = error
    while seen is not None:
        if isinstance(seen, MemoryError):
            return "out_of_memory"
        seen = seen.__cause__ or seen.__context__
    return "failed"


def reason(error: BaseException) -> str:
    """One line: the kind of error and what it says; our own refusals speak for themselves."""
    try:
        said = str(error)
    except Exception:
        said = "an error that cannot be printed"
    text = " ".join(said.encode("utf-8", "replace").decode().split())[:LONGEST_REASON]
    if type(error).__name__ in ("NotApplicable", "MemoryError"):
        return text
    return f"{type(error).__name__}: {text}" if text else type(error).__name__


def limit_memory(megabytes: float | None) -> None:
    """What may be asked for from now on, beyond what the imports and the data take already; None: no limit."""
    hard = resource.getrlimit(resource.RLIMIT_AS)[1]
    limit = hard if megabytes is None else mapped_bytes() + int(megabytes * 1e6)
    with contextlib.suppress(ValueError, OSError):  # macOS has no such limit
        resource.setrlimit(
            resource.RLIMIT_AS,
            (limit if hard == resource.RLIM_INFINITY else min(limit, hard), hard),
        )


def give_memory_back() -> None:
    """What earlier calls have freed is no part of what the next ones take (glibc only)."""
    with contextlib.suppress(OSError, AttributeError):
        ctypes.CDLL(None).malloc_trim(0)


def adopt_orphans() -> None:
    """What a fit starts stays below this process in the tree, so that it can be found and ended (Linux only)."""
    with contextlib.suppress(OSError, AttributeError):
        ctypes.CDLL(None).prctl(PR_SET_CHILD_SUBREAPER, 1)


def mapped_bytes() -> int:
    try:
        with open("/proc/self/statm") as statm:
            return int(statm.read().split()[0]) * resource.getpagesize()
    except OSError:
        return 0


if __name__ == "__main__":
    main(int(sys.argv[1]))
