"""Only one snakemake writes to a results folder: it locks results/logs/lock from its first job to its end.

This is a POSIX lock, which the kernel releases however the process ends, so a killed study continues without
`--unlock`. Snakemake's own lock files outlive a killed process; they are switched off (snakemake_internals.py).

The file names its owner. If that was on another computer and has not emptied the file, it may be alive, as not every
network file system shares locks: only the user knows. Processes on the same kernel, in containers too, see the lock.
"""

from __future__ import annotations

import atexit
import fcntl
import json
import logging
import os
import platform
from datetime import datetime
from pathlib import Path
from typing import TextIO

import psutil

from linclass_study.errors import StudyError
from linclass_study.execution.snakemake_internals import READ_ONLY

LOCK = Path("logs") / "lock"

_held: list[TextIO] = []  # open until this process ends: closing any copy would unlock it


def reserve(results: Path) -> None:
    """Lock the results for this process, or refuse; called before the first job."""
    if _held:
        return
    file = _locked(results)
    since = datetime.now().astimezone().strftime("%Y-%m-%d %H:%M:%S %z")
    json.dump(_here() | {"pid": os.getpid(), "since": since}, file)
    file.flush()
    _held.append(file)
    atexit.register(_release, os.getpid())


def is_reserved() -> bool:
    """Whether this process has locked its results."""
    return bool(_held)


def refuse_if_in_use(results: Path) -> None:
    """Refuse if a snakemake may be writing to these results."""
    if (results / LOCK).exists():
        _locked(results).close()


def explain_read_only(logger: logging.Logger, results: str) -> None:
    """Replace Snakemake's message about results that are read-only by one line with the remedy."""

    def explained(record: logging.LogRecord) -> bool:
        if READ_ONLY in str(record.msg):
            record.msg = (
                f"The results in {results} cannot be written, and this study would change them: make the folder "
                f"writable (`chmod -R u+w {results}`), or set `results:` to another one"
            )
        return True

    logger.addFilter(explained)


def _locked(results: Path) -> TextIO:
    """The locked, empty file; refused if another process has it, or may have it."""
    path = results / LOCK
    path.parent.mkdir(parents=True, exist_ok=True)
    flags = os.O_RDWR | os.O_CREAT | os.O_NOFOLLOW | os.O_NONBLOCK
    file = os.fdopen(os.open(path, flags, 0o666), "r+", encoding="utf-8", errors="replace")
    free: bool | None = True
    try:
        fcntl.lockf(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except (BlockingIOError, PermissionError):
        free = False
    except OSError:  # a file system without locks
        free = None
    text = file.read()
    try:
        owner = json.loads(text) if text else {}
        is_here = not text or any(owner[k] and owner[k] == v for k, v in _here().items())
    except (ValueError, KeyError, TypeError):
        owner, is_here = {"host": "an unknown host"}, False
    if free is None:
        free = not psutil.pid_exists(owner.get("pid", -1))
    if not (free and is_here):
        file.close()
        raise StudyError(_refusal(owner, path, is_here))
    file.seek(0)
    file.truncate()
    return file


def _refusal(owner: dict[str, object], path: Path, is_here: bool) -> str:
    pid, host = owner.get("pid", "unknown"), owner.get("host", "this host")
    what_to_do = f"there; if you know that it is dead, delete {path} and run again"
    if is_here:
        what_to_do = f"or end it (`kill {pid}`; if that does not help, `kill -9 {pid}`)"
    since = owner.get("since", "an unknown time")
    return (
        f"These results are locked by another snakemake: process {pid} on {host}, since {since}; "
        f"wait until it ends{',' * is_here} {what_to_do}"
    )


def _here() -> dict[str, str]:
    """This computer: a container may have another host name, but the same kernel (boot)."""
    try:
        boot = Path("/proc/sys/kernel/random/boot_id").read_text(encoding="utf-8").strip()
    except OSError:
        boot = ""
    return {"host": platform.node(), "boot": boot}


def _release(pid: int) -> None:
    if os.getpid() == pid:  # and not a process that it forked
        for file in _held:
            file.truncate(0)
