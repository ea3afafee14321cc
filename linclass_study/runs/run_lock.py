"""One run is computed by one process at a time, wherever the processes are.

A job on a cluster may outlive the Snakemake that asked for it, or its node's contact with Slurm, and its work is then
given out again. So whoever computes a run locks one byte of runs/{dataset}/.claims, and whoever comes second waits.
The lock is POSIX's, which file systems shared by several hosts know, and it ends with its process, however that ends.
"""

from __future__ import annotations

import fcntl
import hashlib
import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

FILE = ".claims"


@contextmanager
def run_lock(run: Path) -> Iterator[None]:
    """Held while the run of this folder, runs/{dataset}/{method}, is computed."""
    run.parent.mkdir(parents=True, exist_ok=True)
    file = os.open(run.parent / FILE, os.O_RDWR | os.O_CREAT, 0o666)
    try:
        _lock(file, run)
        yield
    finally:
        os.close(file)  # which gives the lock back


def _lock(file: int, run: Path) -> None:
    place = _place(run.name)
    try:
        fcntl.lockf(file, fcntl.LOCK_EX | fcntl.LOCK_NB, 1, place)
    except (BlockingIOError, PermissionError):
        print(f"{run}: another process computes this run; waiting until it ends", flush=True)
        fcntl.lockf(file, fcntl.LOCK_EX, 1, place)
    except OSError as error:
        print(
            f"{run}: this file system has no locks ({error.strerror}); going on without", flush=True
        )


def _place(method: str) -> int:
    """The byte that stands for a method; the file stays empty, a lock needs no content."""
    return int.from_bytes(hashlib.blake2b(method.encode(), digest_size=7).digest())
