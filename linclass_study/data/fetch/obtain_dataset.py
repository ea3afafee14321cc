"""A data set in this process, for scripts and tests; a study fetches it in a guarded child (fetch_dataset.py)."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from linclass_study.data.dataset import Dataset
from linclass_study.data.download_limits import DownloadLimits
from linclass_study.data.fetch.reader_commands import Command, Result
from linclass_study.data.fetch.source_reader import SourceReader
from linclass_study.data.fetch.try_sources import first_usable
from linclass_study.data.search_folders import SearchFolders
from linclass_study.data.unavailable import first_line


def obtain_dataset(
    entry: Mapping[str, Any],
    mirrors: list[Path],
    downloads: Path,
    root: Path,
    limits: DownloadLimits = DownloadLimits(),  # noqa: B008 – it is frozen
) -> Dataset:
    """The data set from the first usable source; its `attempts` hold the failures before it.

    A test set has sources of its own; the digest covers both sets.
    """
    folders = SearchFolders(mirrors, Path(downloads), Path(root), limits)
    reader = SourceReader(entry, folders)

    def execute(command: Command) -> Result:
        try:
            return reader(command)
        except MemoryError as error:  # in a guarded child the guard reports it
            return Result(f"it needs more memory than is available ({first_line(error)})")

    return reader.finished(*first_usable(entry, folders, execute))
