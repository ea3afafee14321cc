"""What was computed from files or libraries and holds as long as they are unchanged, kept for the next process.

It is one file for each copy of the project in the user's cache folder (`XDG_CACHE_HOME`, by default ~/.cache/linclass).
Without it, or where it cannot be written, everything is computed again.
"""

from __future__ import annotations

import atexit
import json
import os
import sys
import time
from collections.abc import Callable, Sequence
from functools import cache
from pathlib import Path
from typing import Any

from linclass_study.files.digests import short_digest
from linclass_study.files.writing import atomic_write
from linclass_study.project import OURS, PACKAGES, ROOT

MAX_ENTRIES = 5000  # entries; the longest unused ones are forgotten
COPIES = 20  # of the project, likewise
RECENT = 2_000_000_000  # ns in which a file may change again without another time stamp


def computed_once(name: str, state: Sequence[Any], compute: Callable[[], Any]) -> Any:
    """The value that `compute` gave for this name (JSON); computed again when the state (JSON) is another one."""
    entries = _entries()
    entry = entries.pop(name, None)
    if entry is None or entry[0] != [*state]:
        entry = [[*state], compute()]
        _changed.append(os.getpid())
    entries[name] = entry  # now the last one
    return entry[1]


def computed_of_file(name: str, path: str | os.PathLike[str], compute: Callable[[], Any]) -> Any:
    """The value that `compute` gave for a file; computed again when its inode, size or times are others."""
    about = os.stat(path)
    if time.time_ns() - max(about.st_mtime_ns, about.st_ctime_ns) < RECENT:
        return compute()
    state = [about.st_ino, about.st_size, about.st_mtime_ns, about.st_ctime_ns]
    return computed_once(f"{name} {os.path.abspath(path)}", state, compute)


@cache
def state_of_project() -> str:
    """State of all modules and schemas of linclass; it changes if one is edited or touched."""
    schemas = (ROOT / "workflow" / "schemas").glob("*.yaml")
    files = [*(f for name in OURS for f in (PACKAGES / name).rglob("*.py")), *schemas]
    about = sorted((str(file), file.stat().st_size, file.stat().st_mtime_ns) for file in files)
    return short_digest(repr((sys.version, about)))


def cache_file() -> Path:
    folder = Path(os.environ.get("XDG_CACHE_HOME") or "~/.cache").expanduser() / "linclass"
    return folder / f"{short_digest(str(ROOT), size=8)}.json"


_changed: list[int] = []  # ids of processes that computed something


@cache
def _entries() -> dict[str, Any]:
    atexit.register(_save)
    try:
        saved = json.loads(cache_file().read_text(encoding="utf-8"))
        return {name: [state, value] for name, (state, value) in saved.items()}
    except (OSError, ValueError, TypeError, AttributeError, RuntimeError):
        return {}


def _save() -> None:
    if os.getpid() not in _changed:  # nothing is new, or it is new in the parent process
        return
    entries = _entries()
    for name in [*entries][:-MAX_ENTRIES]:
        del entries[name]
    try:
        with atomic_write(cache_file()) as partial:
            partial.write_text(json.dumps(entries), encoding="utf-8")
        files = sorted(cache_file().parent.glob("*.json"), key=lambda file: file.stat().st_mtime)
        for file in files[:-COPIES]:
            file.unlink(missing_ok=True)
    except (OSError, TypeError, ValueError):
        pass
