"""Slurm: cancel jobs of a killed Snakemake, and detect fits that were killed for lack of memory.

When Snakemake is killed, its running jobs continue and its pending ones still start, while the next Snakemake submits
the same runs again. All jobs of one Snakemake have one name in Slurm. This module stores that name in a file of the
study. Only the process that holds the lock of the results (locks.py) reads it, so it finds abandoned jobs alone.

When a job exceeds its requested memory, the kernel kills its largest process, which is the child that fits. The job
must then fail and be retried with more memory: the death of the child is not a result of the fit. The kernel counts
such kills for each control group, and the child is in the group of this process.
"""

from __future__ import annotations

import os
import subprocess
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

from linclass_study.errors import StudyError
from linclass_study.files.digests import short_digest

NAMES = Path(".snakemake") / "slurm_names"
CANCEL_SECONDS = 120  # seconds until a cancelled job must be gone; Slurm kills it after 30
ANSWER = 60  # seconds for a command of Slurm
# its processes are being ended; if its node is lost, until the node is back
ENDING_STATE = "COMPLETING"


def remember(name: str, results: Path) -> None:
    """Store the name of all jobs of this main process."""
    file = _file_of_names(results)
    file.parent.mkdir(parents=True, exist_ok=True)
    with file.open("a", encoding="utf-8") as names:
        print(name, file=names)


def forget(results: Path) -> None:
    """Delete the stored names, when all jobs have ended."""
    _file_of_names(results).unlink(missing_ok=True)


def _file_of_names(results: Path) -> Path:
    return NAMES / short_digest(str(results.absolute()), size=8)


def cancel_abandoned(results: Path, say: Callable[[str], object]) -> None:
    """Cancel the jobs of dead main processes of this study, and wait until they are gone."""
    if not _file_of_names(results).exists():
        return
    names = _file_of_names(results).read_text(encoding="utf-8").split()
    if jobs := living(names):
        message = f"An earlier run of this study left {len(jobs)} jobs to Slurm"
        say(f"{message}; they are cancelled: {' '.join(jobs)}")
        _run("scancel", *jobs)
    end = time.monotonic() + CANCEL_SECONDS
    while running := living(names) if jobs else {}:
        if time.monotonic() > end:
            if {*running.values()} == {ENDING_STATE}:
                break  # if they still compute, execution/fit_jobs.py makes the next ones wait
            raise StudyError(
                f"Slurm jobs of an earlier run of this study were cancelled but do not end: {' '.join(running)}; "
                "inspect them with `scontrol show job`, and run again when they are gone"
            )
        time.sleep(1)
    forget(results)


def living(names: list[str]) -> dict[str, str]:
    """Job id → state of the jobs with these names that are pending, running or completing."""
    listing = _run("squeue", "--noheader", f"--name={','.join(names)}", "--format=%i %T")
    return dict(line.split(maxsplit=1) for line in listing.splitlines() if line.strip())


def _run(*command: str) -> str:
    try:
        done = subprocess.run(command, capture_output=True, text=True, timeout=ANSWER, check=False)
    except FileNotFoundError:
        raise StudyError(
            f"an earlier run of this study left jobs to Slurm, and {command[0]} is not installed here to cancel them; "
            f"run on the cluster, or delete {NAMES} when they have ended"
        ) from None
    except subprocess.TimeoutExpired:
        what = f"{command[0]} does not answer within {ANSWER} s"
        raise StudyError(f"{what}; is Slurm up? (sinfo)") from None
    if done.returncode:
        raise StudyError(f"{command[0]}: {done.stderr.strip()}; is Slurm up? (sinfo)")
    return done.stdout


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
