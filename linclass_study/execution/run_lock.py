"""A lock for each run, so that one process at a time computes it, even on different hosts.

A job on a cluster may outlive its Snakemake or its node's connection to Slurm; its work is then submitted again. So a
process locks one byte of runs/{dataset}/.claims while it computes a run, and a second one waits. POSIX locks work on
file systems shared by several hosts, and are released when their process ends in any way.
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
    """Hold the lock of the run in this folder, runs/{dataset}/{method}."""
    run.parent.mkdir(parents=True, exist_ok=True)
    file = os.open(run.parent / FILE, os.O_RDWR | os.O_CREAT, 0o666)
    try:
        _lock(file, run)
        yield
    finally:
        os.close(file)  # releases the lock


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
    """Position of the byte that represents a method; the file itself stays empty."""
    return int.from_bytes(hashlib.blake2b(method.encode(), digest_size=7).digest())
