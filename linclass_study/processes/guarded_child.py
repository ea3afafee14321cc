"""The child process of a Guard: build a state and answer calls with it, until the pipe closes."""

from __future__ import annotations

import contextlib
import ctypes
import os
import re
import resource
import sys
import traceback
from importlib import import_module
from multiprocessing.connection import Connection
from typing import Any

import psutil

from linclass.base.messages import name_limit
from linclass_study.processes.job import die_with_parent
from linclass_study.project import look_beside_the_study

PR_SET_CHILD_SUBREAPER = 36
M_TRIM_THRESHOLD, M_MMAP_THRESHOLD = -1, -3  # of malloc.h
LONGEST_REASON = 2000
ADDRESS = re.compile(r" at 0x[0-9a-f]+")  # of an object, another one in each process


def main(descriptor: int) -> None:
    die_with_parent()
    look_beside_the_study()
    with contextlib.suppress(OSError, AttributeError):  # Linux only
        # keep orphaned descendants below this process, so that they can be found and ended
        ctypes.CDLL(None).prctl(PR_SET_CHILD_SUBREAPER, 1)
    pipe = Connection(descriptor)
    os.register_at_fork(after_in_child=pipe.close)  # a forked process must not answer
    me = os.getpid()
    state: Any = None
    while True:
        try:
            order, *message = pipe.recv()
        except EOFError:
            return
        if order == "build":
            state = None  # freed before the next one is built
            answer, state = build(*message)
        else:
            give_memory_back()  # peak memory is that of this call
            answer = answer_of_call(state, *message)[0]
        if os.getpid() != me:
            os._exit(1)
        pipe.send(answer)


def build(
    target: str, arguments: dict[str, Any], memory_mb: float, setting: str
) -> tuple[tuple[str, Any], Any]:
    """(answer, state). The memory limit applies to what is allocated beyond the state and its imports; messages
    call it by its setting."""
    name_limit(setting)
    give_memory_back()
    reuse_freed_memory(memory_mb / 8)
    limit_memory(None)
    module, _, name = target.partition(":")
    answer, state = answer_of_call(lambda: getattr(import_module(module), name)(**arguments))
    limit_memory(memory_mb)
    return (answer if answer[0] != "ok" else ("ok", None)), state


def answer_of_call(call: Any, *arguments: Any) -> tuple[tuple[str, Any], Any]:
    """((kind, value or reason), value) of a call; its traceback goes to the log."""
    try:
        value = call(*arguments)
    except BaseException as error:  # sys.exit included: an estimator must not end the study
        kind = error_kind(error)
        if kind == "failed":
            with contextlib.suppress(Exception):  # a fit may have closed the log
                traceback.print_exc()
        return (kind, reason(error)), None
    return ("ok", value), value


def error_kind(error: BaseException) -> str:
    """Kind of an answer; a library may have wrapped a MemoryError in another exception."""
    if type(error).__name__ == "NotApplicable":
        return "not_applicable"
    cause: BaseException | None = error
    while cause is not None:
        if isinstance(cause, MemoryError):
            return "out_of_memory"
        cause = cause.__cause__ or cause.__context__
    return "failed"


def reason(error: BaseException) -> str:
    """Type, message and notes in one line; without the type for linclass's own refusals."""
    notes = ""
    try:
        message = str(error)
        notes = " ".join(getattr(error, "__notes__", ()))
    except Exception:
        message = "an error that cannot be printed"
    text = f"{one_line(message)} {one_line(notes)}".strip()
    if type(error).__name__ in ("NotApplicable", "MemoryError"):
        return text
    return f"{type(error).__name__}: {text}" if text else type(error).__name__


def one_line(text: str) -> str:
    """A text of any library as one line that can be written."""
    text = ADDRESS.sub("", text.encode("utf-8", "replace").decode())
    return " ".join(text.split())[:LONGEST_REASON]


def limit_memory(megabytes: float | None) -> None:
    """Limit the address space to this much beyond its current size; None removes the limit."""
    limit = hard = resource.getrlimit(resource.RLIMIT_AS)[1]
    if megabytes is not None:
        limit = psutil.Process().memory_info().vms + int(megabytes * 1e6)
        limit = limit if hard == resource.RLIM_INFINITY else min(limit, hard)
    with contextlib.suppress(ValueError, OSError):  # macOS has no such limit
        resource.setrlimit(resource.RLIMIT_AS, (limit, hard))


def reuse_freed_memory(megabytes: float) -> None:
    """Keep freed arrays for the next ones, up to this much (glibc only). By default arrays of more than 32 MB are
    returned to the system, and mapping their pages again takes up to a sixth of the processor time of a fit.
    """
    with contextlib.suppress(OSError, AttributeError):
        libc = ctypes.CDLL(None)
        for option in (M_MMAP_THRESHOLD, M_TRIM_THRESHOLD):
            libc.mallopt(option, min(int(megabytes * 1e6), 2**31 - 1))


def give_memory_back() -> None:
    """Return freed memory to the system, so that it does not count for the next calls (glibc only)."""
    with contextlib.suppress(OSError, AttributeError):
        ctypes.CDLL(None).malloc_trim(0)


if __name__ == "__main__":
    main(int(sys.argv[1]))
