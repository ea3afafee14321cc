"""A job's log file takes all it says: prints, warnings, tracebacks, and what its children say."""

from __future__ import annotations

import os
from pathlib import Path


def to(path: str) -> None:
    Path(path).parent.mkdir(parents=True, exist_ok=True)
    log = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o644)
    os.dup2(log, 1)
    os.dup2(log, 2)
    os.close(log)
