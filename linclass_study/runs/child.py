"""The other end of a guard: build the state, then answer calls until the pipe closes."""

from __future__ import annotations

import contextlib
import resource
import sys
import traceback
from importlib import import_module
from multiprocessing.connection import Connection
from typing import Any

from linclass_study.job import die_with_parent


def main(descriptor: int) -> None:
    die_with_parent()
    pipe = Connection(descriptor)
    target, arguments, memory_mb = pipe.recv()
    module, _, name = target.partition(":")
    answer, state = attempt(lambda: getattr(import_module(module), name)(**arguments))
    limit_memory(memory_mb)
    pipe.send(answer if answer[0] != "ok" else ("ok", None))
    while True:
        try:
            message = pipe.recv()
        except EOFError:
            return
        pipe.send(attempt(lambda call=message: state(*call))[0])


def attempt(call: Any) -> tuple[tuple[str, Any], Any]:
    """((kind, value or reason), value) of a call; its traceback goes to the log."""
    try:
        value = call()
    except MemoryError as error:
        return ("out_of_memory", str(error)), None
    except Exception as error:
        kind = "not_applicable" if type(error).__name__ == "NotApplicable" else "failed"
        if kind == "failed":
            traceback.print_exc()
        return (kind, reason(error)), None
    except (
        BaseException
    ) as error:  # sys.exit, KeyboardInterrupt: no way to end somebody else's study
        return ("failed", f"raised {reason(error)}"), None
    return ("ok", value), value


def reason(error: BaseException) -> str:
    """One line: the kind of error and what it says; our own refusals speak for themselves."""
    text = " ".join(str(error).split())
    if type(error).__name__ == "NotApplicable":
        return text
    return f"{type(error).__name__}: {text}" if text else type(error).__name__


def limit_memory(megabytes: float) -> None:
    """What may be asked for from now on, beyond what the imports and the data take already."""
    limit = mapped_bytes() + int(megabytes * 1e6)
    hard = resource.getrlimit(resource.RLIMIT_AS)[1]
    with contextlib.suppress(ValueError, OSError):  # macOS has no such limit
        resource.setrlimit(
            resource.RLIMIT_AS,
            (limit if hard == resource.RLIM_INFINITY else min(limit, hard), hard),
        )


def mapped_bytes() -> int:
    try:
        with open("/proc/self/statm") as statm:
            return int(statm.read().split()[0]) * resource.getpagesize()
    except OSError:
        return 0


if __name__ == "__main__":
    main(int(sys.argv[1]))
