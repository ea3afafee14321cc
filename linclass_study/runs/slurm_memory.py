"""A fit that dies because its Slurm job has too little memory is no result: the job fails, and the next asks for more.

Slurm lets the kernel kill the largest process of a job that takes more than was asked for. That is the child that
fits, and its death would be written down as the fit's own, though on another machine the fit would succeed. The kernel
counts such deaths for each control group of processes, and the child is in the same one as this process.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from linclass_study.refusal import Refused

COUNTS = {"": "memory.events", "memory": "memory/memory.oom_control"}  # version 2 and version 1


@contextmanager
def sufficient() -> Iterator[None]:
    """Refused, if the memory of this Slurm job did not suffice for what was done meanwhile."""
    before = kills()
    yield
    if kills() > before:
        raise Refused(
            "the memory of this Slurm job did not suffice, so the kernel killed a fit; the next attempt asks for more. "
            "If this was the last: --set-resources cross_validate:mem_mb=…, or a lower limits.fit_memory_mb"
        )


def kills(proc: Path = Path("/proc/self/cgroup"), root: Path = Path("/sys/fs/cgroup")) -> int:
    """How many processes of our group were killed for its memory; 0 outside of Slurm, whose machine is the limit."""
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
