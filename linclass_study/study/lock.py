"""A study that was killed goes on by itself: locks are removed when whoever took them is known to be dead.

Snakemake leaves its lock files behind when it is killed, and cannot tell them from a live run's. So every main process
describes itself in a file of .snakemake/owners, and holds a POSIX lock on it until it ends, however it ends.
Processes that share a kernel, in containers too, see the lock; on one host the moment a process began tells as well.
Of another host nothing is sure: not every network file system carries locks there. Its locks are never removed.

Two studies may run side by side in one folder, and the first to end removes Snakemake's locks of both. So a process
that starts jobs also writes down which results it makes, and nobody else starts on these.
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

from linclass_study.machine import machine
from linclass_study.refusal import Refused

OWNERS = Path(".snakemake") / "owners"
LOCKS = Path(".snakemake") / "locks"
FORGOTTEN_AFTER = (
    600  # seconds; whoever has not taken Snakemake's locks by then will not do it any more
)
REFUSAL = "Error: Directory cannot be locked"  # Snakemake's

_held: dict[
    Path, TextIO
] = {}  # this process's own file, open until it ends: closing any copy would unlock it


@dataclass(frozen=True)
class Owner:
    """A main process. Containers may share a host's name, or a kernel (boot), but not the numbers of processes too."""

    host: str
    machine: str
    boot: str
    processes: str
    pid: int
    ticks: str
    since: str
    results: str = ""  # that its jobs make; empty before there are jobs

    @classmethod
    def of(cls, pid: int) -> Owner:
        now = datetime.now().astimezone().strftime("%Y-%m-%d %H:%M:%S %z")
        boot = _read("/proc/sys/kernel/random/boot_id")
        return cls(platform.node(), machine(), boot, _process_namespace(), pid, _began(pid), now)

    def is_here(self) -> bool:
        """Whether process numbers mean the same to it and to us."""
        here = Owner.of(os.getpid())
        return (self.host, self.machine, self.boot, self.processes) == (
            here.host, here.machine, here.boot, here.processes,
        )  # fmt: skip

    def is_dead(self, unlocked: bool) -> bool:
        """Surely so. Where a kernel is shared the file lock tells; a computer that was started again has the same
        name, and is not another one that has it too as long as its lock is gone."""
        if self.is_here():
            return _began(self.pid) != self.ticks
        here = Owner.of(os.getpid())
        same_kernel = bool(self.boot) and self.boot == here.boot
        started_again = (self.host, self.machine) == (here.host, here.machine)
        return unlocked and (same_kernel or started_again)

    def __str__(self) -> str:
        return f"process {self.pid} on {self.host}, since {self.since}"


def drop_stale() -> None:
    """Called by the main process while the Snakefile is read, which is before Snakemake takes its locks."""
    if OWNERS.is_file():  # as versions of before kept their owners
        OWNERS.unlink()
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


def take(results: str) -> None:
    """Called before the first job: these results are made by this process, or it is refused."""
    for _, owner, dead in _others():
        if owner.results == results and not dead:
            raise Refused(_refusal(owner))
    for file in _held.values():
        file.seek(0)
        json.dump(asdict(replace(Owner.of(os.getpid()), results=results)), file)
        file.truncate()
        file.flush()


def explain_refusals(logger: logging.Logger, results: str) -> None:
    """Where Snakemake refuses to work on locked results, say who holds them, and what to do."""

    def explained(record: logging.LogRecord) -> bool:
        if REFUSAL in str(record.msg):
            living = [owner for _, owner, dead in _others() if not dead]
            if owner := min(
                living, key=lambda o: (o.results != results, not o.is_here()), default=None
            ):
                record.msg = _refusal(owner)
        return True

    logger.addFilter(explained)


def _refusal(owner: Owner) -> str:
    remedy = (
        "wait until it ends, or end it"
        if owner.is_here()
        else "wait until it ends there; if you know that it is dead, run `snakemake --unlock`, remove "
        f"{OWNERS} and run again"
    )
    return f"These results are locked by another snakemake: {owner}; {remedy}"


def _names_any(lock: Path, results: list[str]) -> bool:
    """Whether a lock is for files in one of these folders."""
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
    """(its file, itself, whether it is surely dead) of each main process but this one."""
    for path in {*OWNERS.glob("*.json")} - {*_held}:
        try:
            with path.open("r+", encoding="utf-8") as file:
                owner, unlocked = Owner(**json.load(file)), _is_unlocked(file)
        except FileNotFoundError:  # it ended in this moment
            continue
        except (ValueError, TypeError, PermissionError):  # not ours to read
            owner, unlocked = Owner("an unknown host", "", "", "", 0, "", "an unknown time"), False
        yield path, owner, owner.is_dead(unlocked)


def _is_unlocked(file: TextIO) -> bool:
    """Whether nobody else holds it; then we do. A file system without locks tells nothing."""
    try:
        fcntl.lockf(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        return False
    return True


def _age(path: Path) -> float:
    """By the clock of the file system, which wrote our own file, too."""
    return max(own.stat().st_mtime for own in _held) - path.stat().st_mtime


def _began(pid: int) -> str:
    """The moment a process began, which no other of its number shares; in the kernel's ticks, that no clock moves."""
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
