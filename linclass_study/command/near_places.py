"""Folders and archives whose names are like that of a place which does not exist."""

from __future__ import annotations

from pathlib import Path

from linclass.base.suggestions import near_names

MOST = 3  # places that are named
ARCHIVES = (".zip", ".tar", ".gz", ".bz2", ".xz", ".tgz")


def near_places(path: Path) -> list[Path]:
    """What exists instead of the first step of the path that does not, with its other steps if these exist."""
    missing = path
    while not missing.parent.exists():
        missing = missing.parent
    rest = path.relative_to(missing)
    try:
        there = [
            entry.name
            for entry in missing.parent.iterdir()
            if entry.is_dir() or entry.name.endswith(ARCHIVES)
        ]
    except OSError:  # a file, or a folder that may not be read
        return []
    near = [missing.with_name(name) for name in near_names(missing.name, there)[:MOST]]
    return [place / rest if (place / rest).exists() else place for place in near]
