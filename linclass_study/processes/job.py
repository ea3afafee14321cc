"""First step of every script: redirect its output to the log, print StudyErrors in one line, end with Snakemake."""

from __future__ import annotations

import contextlib
import ctypes
import os
import signal
import sys
from pathlib import Path
from types import TracebackType

from linclass_study.errors import StudyError
from linclass_study.project import look_beside_the_study

PR_SET_PDEATHSIG = 1


def begin_job(log: str) -> None:
    """Redirect output, warnings and tracebacks of this process and its children to the log."""
    die_with_parent()
    signal.signal(signal.SIGINT, signal.SIG_DFL)  # Ctrl-C ends it without a traceback
    sys.excepthook = _one_line_if_refused
    look_beside_the_study()  # for features and metrics
    Path(log).parent.mkdir(parents=True, exist_ok=True)
    file = os.open(log, os.O_RDWR | os.O_CREAT | os.O_TRUNC, 0o644)
    os.dup2(file, 1)
    os.dup2(file, 2)
    os.close(file)


def _one_line_if_refused(
    kind: type[BaseException], error: BaseException, trace: TracebackType | None
) -> None:
    if isinstance(error, StudyError):
        print(error, file=sys.stderr)
    else:
        sys.__excepthook__(kind, error, trace)


def die_with_parent() -> None:
    """End this process when its parent dies, so that a killed study leaves no orphans (Linux only)."""
    with contextlib.suppress(OSError, AttributeError):
        ctypes.CDLL(None).prctl(PR_SET_PDEATHSIG, signal.SIGKILL)
