"""Is the disk of a folder full? A fit that fails for it is no result, and a log on it cannot say why a job failed."""

from __future__ import annotations

import errno
import os
import shutil
from pathlib import Path

from linclass_study.errors import StudyError

FULL_MB = 50  # what is left of a disk on which a write may just have failed
ENDS = tuple(os.strerror(code) for code in (errno.ENOSPC, errno.EDQUOT))


def full_disk(folder: Path) -> str:
    """A sentence with the remedy if the disk of this folder is full; else empty."""
    there = next(part for part in (folder, *folder.absolute().parents) if part.exists())
    left = shutil.disk_usage(there).free / 1e6
    if left >= FULL_MB:
        return ""
    return f"The disk of {folder} is full ({left:.0f} MB are left): make room, then run again."


def refuse_for_full_disk(reasons: list[str], folder: Path) -> None:
    """Refuse the outcomes of a run if one of them failed since the disk of its results is full."""
    failed = any(end in reason for reason in reasons for end in ENDS)
    if failed and (full := full_disk(folder)):
        raise StudyError(full)
