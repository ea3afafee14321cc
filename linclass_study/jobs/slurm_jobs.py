"""Slurm jobs of a Snakemake that was killed are ended before their work is given out again.

Slurm knows nothing of the death: running jobs go on and waiting ones still start, while the next Snakemake submits the
same runs once more. All jobs of one Snakemake have one name in Slurm. It is written down here with the results folder
that they write to, in a file that stays locked while that Snakemake lives; so the next run of the same study finds the
jobs that nobody waits for, and none of another study.
"""

from __future__ import annotations

import fcntl
import subprocess
import time
from collections.abc import Callable
from pathlib import Path
from typing import TextIO

from linclass_study.refusal import Refused

NAMES = Path(".snakemake") / "slurm_names"
PATIENCE = 120  # seconds until a cancelled job must be gone; Slurm kills what does not end by itself after 30
ANSWER = 60  # seconds for a command of Slurm
LOST = "COMPLETING"  # its processes are being ended; if its node is lost it stays so until the node is back

_held: list[TextIO] = []  # the locked file of this process, open until it ends


def remember(name: str, results: str) -> None:
    """`name` is that of all jobs of this main process."""
    NAMES.mkdir(parents=True, exist_ok=True)
    file = (NAMES / name).open("w", encoding="utf-8")
    file.write(_folder(results))
    file.flush()
    _lock(file)
    _held.append(file)


def forget() -> None:
    """All jobs have ended: nothing is left to look for."""
    for file in _held:
        Path(file.name).unlink(missing_ok=True)


def end_left_behind(results: str, say: Callable[[str], object]) -> None:
    """Cancel the jobs of dead main processes of this study, and wait until they are gone."""
    dead = [file for file in NAMES.glob("*") if _is_dead(file, _folder(results))]
    if not dead:
        return
    names = [file.name for file in dead]
    if jobs := living(names):
        say(
            f"An earlier run of this study left {len(jobs)} jobs to Slurm; they are cancelled: {' '.join(jobs)}"
        )
        _ask("scancel", *jobs)
        _wait_until_gone(names)
    for file in dead:
        file.unlink(missing_ok=True)


def living(names: list[str]) -> dict[str, str]:
    """Number → state of the jobs with these names that wait, run or are being ended."""
    said = _ask("squeue", "--noheader", f"--name={','.join(names)}", "--format=%i %T")
    return dict(line.split(maxsplit=1) for line in said.splitlines() if line.strip())


def _is_dead(name: Path, folder: str) -> bool:
    with name.open("r+", encoding="utf-8") as file:
        return file.read() == folder and _lock(file)


def _lock(file: TextIO) -> bool:
    """Whether no other process holds it; on a file system without locks none does."""
    try:
        fcntl.lockf(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except (BlockingIOError, PermissionError):
        return False
    except OSError:
        return True
    return True


def _wait_until_gone(names: list[str]) -> None:
    end = time.monotonic() + PATIENCE
    while left := living(names):
        if time.monotonic() > end:
            if set(left.values()) == {LOST}:
                return  # should they still compute, runs/run_lock.py makes the next ones wait
            raise Refused(
                f"Slurm jobs of an earlier run of this study do not end, though cancelled: {' '.join(left)}; "
                "ask for them with `scontrol show job`, and run again when they are gone"
            )
        time.sleep(1)


def _ask(*command: str) -> str:
    try:
        done = subprocess.run(command, capture_output=True, text=True, timeout=ANSWER, check=False)
    except FileNotFoundError:
        raise Refused(
            f"an earlier run of this study left jobs to Slurm, and there is no {command[0]} here to end them; "
            f"run on the cluster, or delete {NAMES} when they have ended"
        ) from None
    except subprocess.TimeoutExpired:
        raise Refused(
            f"{command[0]} does not answer within {ANSWER} s; is Slurm up? (sinfo)"
        ) from None
    if done.returncode:
        raise Refused(f"{command[0]}: {done.stderr.strip()}; is Slurm up? (sinfo)")
    return done.stdout


def _folder(results: str) -> str:
    return str(Path(results).absolute())
