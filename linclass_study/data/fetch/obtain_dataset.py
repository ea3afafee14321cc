"""A data set in this process, for scripts and tests; a study fetches it in a guarded child (fetch_dataset.py)."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from linclass_study.data.dataset import Dataset
from linclass_study.data.fetch.source_reader import SourceReader
from linclass_study.data.fetch.try_sources import first_usable
from linclass_study.data.patience import Patience
from linclass_study.data.places import Places
from linclass_study.data.unavailable import first_line


def obtain_dataset(
    name: str,
    entry: Mapping[str, Any],
    mirrors: list[Path],
    downloads: Path,
    root: Path,
    patience: Patience = Patience(),  # noqa: B008 – it is frozen
) -> Dataset:
    """The data set from the first usable source; its `attempts` hold the failures before it.

    A test set has sources of its own; the digest covers both sets.
    """
    places = Places(mirrors, Path(downloads), Path(root), patience)
    reader = SourceReader(entry, places)

    def ask(*order: Any) -> str:
        try:
            return reader(*order)
        except MemoryError as error:  # in a guarded child the guard reports it
            return f"it needs more memory than there is ({first_line(error)})"

    return reader.finish(*first_usable(entry, places, ask))
