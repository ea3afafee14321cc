"""What a fetch depends on: the local files that the entry names, and the modules that read them."""

from __future__ import annotations

import hashlib
import json
import os
import stat
from contextlib import suppress
from pathlib import Path
from typing import Any

from linclass_study.data.entry_keys import FILES, format_of, source_kind
from linclass_study.data.fetch_dataset import PRODUCED, READER
from linclass_study.data.local_copies import SearchFolders
from linclass_study.entries import Entry, as_list
from linclass_study.files.disk_cache import computed_of_file
from linclass_study.files.reading import read_json, read_mapping
from linclass_study.files.unpack import files_below

# modules that are started by name
CHILD = ["linclass_study.processes.guarded_child", READER.partition(":")[0]]


def local_files(entry: Entry, root: Path) -> list[str]:
    """Existing files that the entry names, relative to the working directory or to the project."""
    folders = SearchFolders(root=root)
    sources = [
        part for source in _sources(entry) for part in (source, *as_list(source.get("vocabulary")))
    ]
    paths = [folders.local(source["file"]) for source in sources if "file" in source]
    return [os.path.relpath(path) for path in paths if path is not None]


def content_of_local_files(entry: Entry, root: Path) -> str:
    """Short hash of their content, a parameter of the rule.

    Modification times do not suffice: a copy may keep an old time, and a folder's time ignores changes within files.
    """
    total = hashlib.blake2b(digest_size=8)
    for path in map(Path, local_files(entry, root)):
        for name, file in files_below(path) if path.is_dir() else [("", path)]:
            total.update(json.dumps([name, _content(file)]).encode())
    return total.hexdigest()


def _content(file: Path) -> str:
    def digest() -> str:
        with file.open("rb") as opened:
            return hashlib.file_digest(opened, "blake2b").hexdigest()

    try:
        if not stat.S_ISREG(file.stat().st_mode):
            return "no file"  # reading a pipe, for example, would block forever
        return str(computed_of_file("content", file, digest))
    except OSError as error:  # the job reports that the file cannot be read
        return str(error.strerror)


def modules_of_entry(entry: Entry) -> list[str]:
    """Modules that read the entry: the reader, its kinds of sources, formats and generators."""
    sources = _sources(entry)
    names = [(source, source.get("file") or source.get("url", "")) for source in sources]
    formats = {name for one in names if (name := format_of(entry, *one)) is not None}
    readers = [f"linclass_study.data.formats.{name}" for name in sorted(formats)]
    readers += [PRODUCED] * any(source_kind(source) not in FILES for source in sources)
    is_generated = any("generate" in source or source.get("label_noise") for source in sources)
    return CHILD + readers + ["linclass.datasets.generators"] * is_generated


def _sources(entry: Entry) -> list[dict[str, Any]]:
    return [*as_list(entry.get("source")), *as_list(entry.get("test"))]


# The number of a fetch, a parameter of the rule `fetch`: when it grows, Snakemake fetches again.


BROKEN = (OSError, ValueError, KeyError, TypeError)  # of a file that is missing or of another form


def current_attempt(results: str, name: str) -> int:
    """The current number, 1 before any is stored."""
    with suppress(*BROKEN):
        return int(read_json(_state(results, name))["attempt"])
    return 1


def increment(results: str, name: str) -> None:
    """Called when an unavailable data set has become available."""
    state = _state(results, name)
    state.parent.mkdir(parents=True, exist_ok=True)
    state.write_text(json.dumps({"attempt": current_attempt(results, name) + 1}))


def was_unavailable(results: str, name: str) -> bool:
    """Whether the last fetch of a data set ended without data."""
    with suppress(*BROKEN):
        about = read_mapping(Path(results) / "data" / f"{name}.json")
        return bool(about["status"] == "unavailable")
    return False


def became_available(results: str, name: str) -> bool:
    """Whether an unavailable data set has become available since its last fetch."""
    with suppress(OSError):
        fetched = (Path(results) / "data" / f"{name}.json").stat().st_mtime_ns
        return was_unavailable(results, name) and _state(results, name).stat().st_mtime_ns > fetched
    return False


def may_be_retried(results: str, name: str) -> bool:
    return was_unavailable(results, name) and not became_available(results, name)


def _state(results: str, name: str) -> Path:
    return Path(results) / "state" / f"{name}.json"
