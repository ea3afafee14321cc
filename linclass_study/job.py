"""What every job's script does first: its log takes all it says, and it does not outlive Snakemake."""

from __future__ import annotations

import contextlib
import ctypes
import os
import signal
from pathlib import Path

PR_SET_PDEATHSIG = 1


def begin(log: str) -> None:
    """Prints, warnings, tracebacks and what children say go to the log."""
    die_with_parent()
    Path(log).parent.mkdir(parents=True, exist_ok=True)
    file = os.open(log, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o644)
    os.dup2(file, 1)
    os.dup2(file, 2)
    os.close(file)


def die_with_parent() -> None:
    """A study that is killed leaves no orphan computing beside the one that goes on (Linux only)."""
    with contextlib.suppress(OSError, AttributeError):
        ctypes.CDLL(None).prctl(PR_SET_PDEATHSIG, signal.SIGKILL)
