"""The available sources of an entry, in order: files are found or downloaded, but not read.

Files are opened only to compare their checksums, and no numerical library is loaded. Untrusted files are read by
source_reader.py, which may run in a guarded child.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path
from typing import Any

from linclass_study.data.entry.source_keys import FILES, PARTS, as_list, source_kind
from linclass_study.data.fetch.failures import Failures, add_failure, describe
from linclass_study.data.search_folders import SearchFolders
from linclass_study.data.unavailable import Unavailable, errors_as_unavailable


@dataclass(frozen=True)
class AvailableSource:
    """What is needed to read one source: its file, or only its keys where the kind of source produces rows itself."""

    label: str  # its name in messages
    source: Mapping[str, Any]
    path: Path | None
    matrices: Mapping[str, Path]
    is_last: bool  # no other source is left, so downloads are retried


def available_sources(
    entry: Mapping[str, Any], key: str, folders: SearchFolders, failures: Failures
) -> Iterator[AvailableSource]:
    """Yield each available source under `key`; append the reasons for the others to `failures`."""
    sources = as_list(entry.get(key))
    for i, source in enumerate(sources):
        options = {**source, "seed": entry.get("seed", 0), "part": PARTS[key]}
        is_last = i == len(sources) - 1
        for label, get in _offers(source, folders, is_last):
            try:
                with errors_as_unavailable("it is unavailable"):
                    path = get() if source_kind(source) in FILES else None
                    matrices = {
                        name: companion_file(where, f"matrix '{name}'", folders, is_last)
                        for name, where in source.get("matrices", {}).items()
                    }
            except Unavailable as reason:
                add_failure(failures, label, reason)
            else:
                yield AvailableSource(label, options, path, matrices, is_last)


def companion_file(sources: Any, what: str, folders: SearchFolders, is_last: bool) -> Path:
    """A file that accompanies a source; `is_last` says that no other source is left."""
    failures: Failures = []
    for i, source in enumerate(as_list(sources)):
        is_last_of_all = is_last and i == len(as_list(sources)) - 1
        for name, get in _offers(source, folders, is_last_of_all):
            try:
                with errors_as_unavailable("it is unavailable"):
                    return get()
            except Unavailable as reason:
                add_failure(failures, name, reason)
    raise Unavailable(f"its {what} is unavailable: {describe(failures)}")


def _offers(
    source: Mapping[str, Any], folders: SearchFolders, is_last: bool
) -> Iterator[tuple[str, Any]]:
    return import_module(f"linclass_study.data.sources.{source_kind(source)}").offers(
        source, folders, is_last
    )
