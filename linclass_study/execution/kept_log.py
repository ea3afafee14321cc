"""What a run with failed fits printed, kept beside its rows: a job that runs again has a new log, and repeats no fit.

runs/{dataset}/{method}/failed.log    the output of its fits, tracebacks included; absent if no fit failed
"""

from __future__ import annotations

import contextlib
import os
from datetime import datetime
from pathlib import Path

from linclass_study.files.log_size import LARGEST, LOG, bytes_in_log

FILE = "failed.log"


class KeptLog:
    """The part of the job's log that begins now."""

    def __init__(self, folder: Path) -> None:
        self.path, self.begin = folder / FILE, bytes_in_log()

    def keep(self, failed: bool) -> None:
        """Write it, if fits have failed: of a long one the beginning, with the first failure."""
        self.path.unlink(missing_ok=True)
        if failed and self.begin is not None:
            with contextlib.suppress(OSError):  # a log that cannot be read
                printed = os.pread(LOG, LARGEST, self.begin)
                self.path.parent.mkdir(parents=True, exist_ok=True)
                self.path.write_bytes(printed)


def print_kept_log(folder: Path) -> None:
    """Print what the fits of a run that is up to date have printed, if some of them failed."""
    path = folder / FILE
    if path.exists():
        when = datetime.fromtimestamp(path.stat().st_mtime).strftime("%Y-%m-%d %H:%M")
        print(f"   its fits printed, on {when}:")
        print(path.read_text(encoding="utf-8", errors="replace"), flush=True)
