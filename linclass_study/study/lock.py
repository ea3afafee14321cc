"""A study that was killed goes on by itself: locks whose owners are all dead are removed, a live owner's are not.

Snakemake leaves its lock files behind when it is killed, and cannot tell them from a live run's. Every main
process therefore writes down its number and the moment it began, which no other process ever shares.
"""

from __future__ import annotations

import os
from pathlib import Path

import psutil

OWNERS = Path(".snakemake") / "owners"


def drop_stale() -> None:
    """Called by the main process while the Snakefile is read, which is before Snakemake takes its locks."""
    OWNERS.parent.mkdir(exist_ok=True)
    written = OWNERS.read_text().splitlines() if OWNERS.exists() else []
    living = [line for line in written if _alive(line)]
    if written and not living:
        for lock in (OWNERS.parent / "locks").glob("*.lock"):
            lock.unlink(missing_ok=True)
    partial = OWNERS.with_suffix(f".{os.getpid()}")
    partial.write_text("\n".join([*living, f"{os.getpid()} {_began(os.getpid())}"]) + "\n")
    os.replace(partial, OWNERS)


def _alive(line: str) -> bool:
    pid, _, began = line.partition(" ")
    return pid.isdigit() and _began(int(pid)) == began and int(pid) != os.getpid()


def _began(pid: int) -> str | None:
    try:
        return f"{psutil.Process(pid).create_time():.2f}"
    except psutil.Error:
        return None
