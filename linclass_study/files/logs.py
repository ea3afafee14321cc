"""Logs of jobs, which are kept for runs with failed fits.

runs/{dataset}/{method}/failed.log    the output of a run, tracebacks included; absent if no fit failed

A job that runs again has a new log and does not repeat failed fits, so it prints this file.
"""

from __future__ import annotations

import contextlib
import os
import stat
from datetime import datetime
from pathlib import Path

LOG = 1  # the standard output of a job, which its children share
MAX_LOG_BYTES = 1_000_000  # bytes of a run that are kept


FAILED_LOG = "failed.log"


class KeptLog:
    """The part of the job's log that begins now."""

    def __init__(self, folder: Path) -> None:
        self.path = folder / FAILED_LOG
        self.begin: int | None = None  # bytes in the log, if it is a file
        with contextlib.suppress(OSError):
            if stat.S_ISREG((status := os.fstat(LOG)).st_mode):
                self.begin = status.st_size

    def keep(self, failed: bool) -> None:
        """Write it, if fits have failed: of a long one the beginning, with the first failure."""
        self.path.unlink(missing_ok=True)
        if failed and self.begin is not None:
            with contextlib.suppress(OSError):  # a log that cannot be read
                printed = os.pread(LOG, MAX_LOG_BYTES, self.begin)
                self.path.parent.mkdir(parents=True, exist_ok=True)
                self.path.write_bytes(printed)


def print_kept_log(folder: Path) -> None:
    """Print the kept log of a run that is up to date, if some of its fits failed."""
    path = folder / FAILED_LOG
    if path.exists():
        when = datetime.fromtimestamp(path.stat().st_mtime).strftime("%Y-%m-%d %H:%M")
        print(f"   its fits printed, on {when}:")
        print(path.read_text(encoding="utf-8", errors="replace"), flush=True)
