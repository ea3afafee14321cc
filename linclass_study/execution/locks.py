"""Remove the locks of killed runs, so that a study continues without `--unlock`.

A killed Snakemake leaves lock files that cannot be distinguished from those of a live run. So every main process
describes itself in a file of .snakemake/owners and holds a POSIX lock on it until it ends. Processes on the same
kernel, in containers too, see that lock; on one host the start time of the process decides as well. Other hosts are
uncertain, as not every network file system transfers locks: their locks are never removed.

Two studies may run in one folder at once, and the first to end removes Snakemake's locks of both. So a process that
starts jobs also records its results folder, and other processes refuse to write there.
"""

from __future__ import annotations

import atexit
import fcntl
import json
import logging
import os
import platform
import uuid
from collections.abc import Iterator
from dataclasses import asdict, dataclass, replace
from datetime import datetime
from pathlib import Path
from typing import TextIO

import psutil

from linclass_study.errors import StudyError
from linclass_study.execution.snakemake_internals import LOCKED, LOCKS, READ_ONLY
from linclass_study.processes.environment import machine

OWNERS = Path(".snakemake") / "owners"
# seconds, after which a process without Snakemake's locks will not take them any more
FORGOTTEN_AFTER = 600

# this process's own file, open until it ends: closing any copy would unlock it
_held: dict[Path, TextIO] = {}


@dataclass(frozen=True)
class Owner:
    """A main process. Containers may share the host name or the kernel (boot), but not both with process ids."""

    host: str
    machine: str
    boot: str
    processes: str
    pid: int
    ticks: str
    since: str
    results: str = ""  # folder that its jobs write to; empty before the first job

    @classmethod
    def of(cls, pid: int) -> Owner:
        now = datetime.now().astimezone().strftime("%Y-%m-%d %H:%M:%S %z")
        boot = _read("/proc/sys/kernel/random/boot_id")
        return cls(platform.node(), machine(), boot, _process_namespace(), pid, _began(pid), now)

    def is_here(self) -> bool:
        """Whether its process ids are valid in this process."""
        here = Owner.of(os.getpid())
        return (self.host, self.machine, self.boot, self.processes) == (
            here.host, here.machine, here.boot, here.processes,
        )  # fmt: skip

    def is_dead(self, unlocked: bool) -> bool:
        """Whether it is certainly dead. On the same kernel the file lock decides; a host of the same name without the
        lock is this computer after a restart."""
        if self.is_here():
            return _began(self.pid) != self.ticks
        here = Owner.of(os.getpid())
        same_kernel = bool(self.boot) and self.boot == here.boot
        started_again = (self.host, self.machine) == (here.host, here.machine)
        return unlocked and (same_kernel or started_again)

    def __str__(self) -> str:
        return f"process {self.pid} on {self.host}, since {self.since}"


def remove_stale_locks() -> None:
    """Remove the locks of dead processes; called before Snakemake takes its locks."""
    OWNERS.mkdir(parents=True, exist_ok=True)
    _remember()
    locks, others = [*LOCKS.glob("*.lock")], [*_others()]
    living = [owner.results for _, owner, dead in others if not dead]
    if len(living) < len(others) and all(living):
        for lock in locks:
            if not _names_any(lock, living):
                lock.unlink(missing_ok=True)
    for path, _, dead in others:
        if dead or (not locks and _age(path) > FORGOTTEN_AFTER):
            path.unlink(missing_ok=True)


def reserve(results: str) -> None:
    """Reserve the results folder for this process, or refuse; called before the first job."""
    for _, owner, dead in _others():
        if owner.results == results and not dead:
            raise StudyError(_lock_error(owner))
    for file in _held.values():
        file.seek(0)
        json.dump(asdict(replace(Owner.of(os.getpid()), results=results)), file)
        file.truncate()
        file.flush()


def refuse_if_in_use(results: Path) -> None:
    """Refuse if a snakemake that was started in this folder may be writing to these results."""
    for _, owner, dead in _others():
        if owner.results and Path(owner.results).resolve() == results.resolve() and not dead:
            raise StudyError(_lock_error(owner))


def explain_lock_errors(logger: logging.Logger, results: str) -> None:
    """Replace Snakemake's messages about results that are locked or read-only by one line with the remedy."""

    def explained(record: logging.LogRecord) -> bool:
        if READ_ONLY in str(record.msg):
            record.msg = (
                f"The results in {results} cannot be written, and this study would change them: make the folder "
                f"writable (`chmod -R u+w {results}`), or set `results:` to another one"
            )
        if LOCKED in str(record.msg):
            living = [owner for _, owner, dead in _others() if not dead]
            if owner := min(
                living, key=lambda o: (o.results != results, not o.is_here()), default=None
            ):
                record.msg = _lock_error(owner)
        return True

    logger.addFilter(explained)


def _lock_error(owner: Owner) -> str:
    remedy = (
        f"wait until it ends, or end it (`kill {owner.pid}`; if that does not help, `kill -9 {owner.pid}`)"
        if owner.is_here()
        else "wait until it ends there; if you know that it is dead, run `snakemake --unlock`, remove "
        f"{OWNERS} and run again"
    )
    return f"These results are locked by another snakemake: {owner}; {remedy}"


def _names_any(lock: Path, results: list[str]) -> bool:
    """Whether a lock file contains files of one of these folders."""
    folders = tuple(f"{folder}/" for folder in results)
    with lock.open(encoding="utf-8") as lines:
        return any(line.startswith(folders) for line in lines)


def _remember() -> None:
    if _held:
        return
    path = OWNERS / f"{uuid.uuid4().hex}.json"
    file = path.with_suffix(".partial").open("w", encoding="utf-8")
    json.dump(asdict(Owner.of(os.getpid())), file)
    file.flush()
    _is_unlocked(file)
    os.replace(file.name, path)
    _held[path] = file
    atexit.register(_forget, os.getpid())


def _forget(pid: int) -> None:
    if os.getpid() == pid:  # and not a process that it forked
        for path in _held:
            path.unlink(missing_ok=True)


def _others() -> Iterator[tuple[Path, Owner, bool]]:
    """(file, owner, whether it is certainly dead) of every other main process."""
    for path in {*OWNERS.glob("*.json")} - {*_held}:
        try:
            with path.open("r+", encoding="utf-8") as file:
                owner, unlocked = Owner(**json.load(file)), _is_unlocked(file)
        except FileNotFoundError:  # it has just ended
            continue
        except (ValueError, TypeError, PermissionError):  # unreadable for us
            owner, unlocked = Owner("an unknown host", "", "", "", 0, "", "an unknown time"), False
        yield path, owner, owner.is_dead(unlocked)


def _is_unlocked(file: TextIO) -> bool:
    """Lock the file and return whether that worked; False on a file system without locks."""
    try:
        fcntl.lockf(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        return False
    return True


def _age(path: Path) -> float:
    """Age in seconds by the clock of the file system, which also stamped our own file."""
    return max(own.stat().st_mtime for own in _held) - path.stat().st_mtime


def _began(pid: int) -> str:
    """Start time of a process in kernel ticks, which identifies it among processes with the same id."""
    fields = _read(f"/proc/{pid}/stat").rpartition(")")[2].split()
    if fields:
        return "" if fields[0] in "ZX" else fields[19]  # a zombie is dead
    try:
        return f"{psutil.Process(pid).create_time():.2f}"
    except psutil.Error:
        return ""


def _process_namespace() -> str:
    try:
        return os.readlink("/proc/self/ns/pid")
    except OSError:
        return ""


def _read(path: str) -> str:
    try:
        return Path(path).read_text(encoding="utf-8").strip()
    except OSError:
        return ""
