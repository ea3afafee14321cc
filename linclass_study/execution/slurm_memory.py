"""Detect fits that were killed because their Slurm job had too little memory; the job fails and is retried with more.

When a job exceeds its requested memory, the kernel kills its largest process, which is the child that fits. Without
this check the death would be recorded as a result of the fit, although the fit would succeed on another machine. The
kernel counts such kills for each control group, and the child is in the group of this process.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from linclass_study.errors import StudyError

COUNTS = {"": "memory.events", "memory": "memory/memory.oom_control"}  # cgroup version 2 and 1


@contextmanager
def enough_memory() -> Iterator[None]:
    """Context that refuses its result if the memory of this Slurm job did not suffice."""
    before = kills()
    yield
    if kills() > before:
        raise StudyError(
            "the memory of this Slurm job did not suffice, so the kernel killed a fit; the next attempt asks for more. "
            "If this was the last: --set-resources cross_validate:mem_mb=… cross_validate_shard:mem_mb=…, "
            "or a lower limits.fit_memory_mb"
        )


def kills(proc: Path = Path("/proc/self/cgroup"), root: Path = Path("/sys/fs/cgroup")) -> int:
    """Number of processes of our control group killed for lack of memory; 0 outside of Slurm."""
    if "SLURM_JOB_ID" not in os.environ:
        return 0
    counted = 0
    for line in _lines(proc):
        _, kind, group = line.split(":", 2)
        if kind in COUNTS:
            folder, file = os.path.split(COUNTS[kind])
            for count in _lines(root / folder / group.lstrip("/") / file):
                name, _, value = count.partition(" ")
                counted += int(value) if name == "oom_kill" else 0
    return counted


def _lines(path: Path) -> list[str]:
    try:
        return path.read_text().splitlines()
    except OSError:
        return []
