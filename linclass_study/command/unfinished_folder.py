"""A folder that is written whole or not at all, even if its process is killed."""

from __future__ import annotations

import fcntl
import glob
import os
import shutil
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from linclass_study.errors import StudyError


@contextmanager
def unfinished_folder(into: Path) -> Iterator[Path]:
    """Context with a temporary folder beside `into`, which is renamed at the end."""
    if into.exists() and (not into.is_dir() or any(into.iterdir())):
        raise StudyError(f"{into} exists already; give --into a name that is free")
    into.parent.mkdir(parents=True, exist_ok=True)
    for left in into.parent.glob(f".{glob.escape(into.name)}.*.partial"):
        _remove_if_abandoned(left)
    partial = into.with_name(f".{into.name}.{os.getpid()}.partial")
    partial.mkdir()
    lock = os.open(partial, os.O_RDONLY)
    try:
        with suppress(OSError):  # a file system without locks
            fcntl.flock(lock, fcntl.LOCK_EX)
        yield partial
        os.replace(partial, into)
    finally:
        os.close(lock)
        shutil.rmtree(partial, ignore_errors=True)


def _remove_if_abandoned(folder: Path) -> None:
    """Remove the folder of a process that was killed: a living one holds a lock on it."""
    file = os.open(folder, os.O_RDONLY)
    try:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:  # it is locked, or its file system has no locks
        return
    finally:
        os.close(file)
    shutil.rmtree(folder, ignore_errors=True)
