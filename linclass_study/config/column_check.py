"""Check the columns and classes that an entry names against its local file, before any work."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path
from typing import Any

import polars as pl

from linclass_study.data.build_dataset import build_dataset
from linclass_study.data.content import Columns
from linclass_study.data.content_to_table import Measurements, class_codes, column_named
from linclass_study.data.dataset import Dataset
from linclass_study.data.entry_keys import as_list, dialect_of, format_of
from linclass_study.data.labels import cost_matrix, label_column, lookup
from linclass_study.data.search_folders import SearchFolders
from linclass_study.data.unavailable import Unavailable

KEYS = ("target", "group", "drop", "categorical", "texts")
OF_CLASSES = ("classes", "positive", "costs")
LARGEST = 2e7  # bytes of a file that is read for the names of its classes
LARGE = 5e6  # bytes of a file that is read although the entry names no class


@dataclass(frozen=True)
class LocalFile:
    """A single source that is a file and is there, in a format that begins with its columns."""

    path: Path
    name: str  # as the entry has it
    kind: str
    dialect: dict[str, Any]

    @classmethod
    def of(cls, entry: Mapping[str, Any], folders: SearchFolders) -> LocalFile | None:
        """None if there is no such file, or others to try: without this one the next source would be."""
        (source, *others) = as_list(entry["source"])
        path = None if others or "file" not in source else folders.local(source["file"])
        kind = None if path is None else format_of(entry, source, source["file"])
        if path is None or kind is None:
            return None
        found = cls(path, source["file"], kind, dialect_of(entry, source, source["file"]))
        return found if hasattr(found.reader, "header_columns") else None

    @property
    def reader(self) -> Any:
        return import_module(f"linclass_study.data.formats.{self.kind}")

    def content(self, entry: Mapping[str, Any], largest: float = LARGE) -> Columns | None:
        """Its columns; None if rows stay in the file, or it has more bytes, or cannot be read, which the fetch will
        tell.
        """
        if self.kind == "parquet_blocks" or self.path.stat().st_size > largest:
            return None
        try:
            found: Columns = self.reader.read(self.path, {**entry, "csv": self.dialect})
        except Exception:
            return None
        return found

    def frame(self, entry: Mapping[str, Any], largest: float = LARGE) -> pl.DataFrame | None:
        found = self.content(entry, largest)
        return None if found is None else found.frame


def column_problems(
    entry: Mapping[str, Any], folders: SearchFolders
) -> Iterator[tuple[list[Any], str]]:
    """(path of keys, sentence) for a file whose columns cannot be read, or for each column that it does not have."""
    file = LocalFile.of(entry, folders)
    if file is None:
        return
    try:
        columns = file.reader.header_columns(file.path, file.dialect)
    except Unavailable as error:
        yield ["source"], f"'{file.name}': {error}"
        return
    misnamed = [*_misnamed(entry, columns)]
    yield from misnamed
    if not misnamed and "target" in entry and "test" not in entry:
        yield from _class_problems(entry, file)


def _misnamed(entry: Mapping[str, Any], columns: list[str]) -> Iterator[tuple[list[Any], str]]:
    for key in KEYS:
        given = entry.get(key)
        for i, name in enumerate(as_list(given)):
            try:
                column_named(name, columns, key)
            except Unavailable as error:
                yield [key, i] if isinstance(given, list) else [key], str(error).partition(": ")[2]


def columns_of_text(
    entry: Mapping[str, Any], folders: SearchFolders
) -> tuple[list[str], list[str]]:
    """(columns of texts, columns of categories) that the entry names, or a small local file has."""
    texts = [*map(str, as_list(entry.get("texts")))]
    categories = [*map(str, as_list(entry.get("categorical")))]
    file = LocalFile.of(entry, folders)
    frame = None if file is None else file.frame(entry)
    if frame is not None:
        none = {str(entry.get(key)) for key in ("target", "group")}
        none |= {*map(str, entry.get("drop", [])), *texts, *categories}
        categories += [name for name in frame.select(pl.col(pl.String)).columns if name not in none]
    return texts, categories


def small_dataset(entry: Mapping[str, Any], folders: SearchFolders) -> Dataset | None:
    """The training rows of a small local file, as the study will have them; None if there are none, or they contradict
    the entry, which the fetch will tell.
    """
    file = LocalFile.of(entry, folders)
    content = None if file is None else file.content(entry)
    if content is None:
        return None
    own = {key: value for key, value in entry.items() if key not in ("digest", "test")}
    try:
        return build_dataset(content, None, own)
    except Exception:
        return None


def _class_problems(entry: Mapping[str, Any], file: LocalFile) -> Iterator[tuple[list[Any], str]]:
    """(path of keys, sentence) for a target of measurements, or for the first class that the file does not have,
    if the file is small.
    """
    frame = file.frame(entry, LARGEST if {*OF_CLASSES} & {*entry} else LARGE)
    if frame is None:
        return
    try:
        classes = class_codes(label_column([frame[str(entry["target"])]]), entry)[1]
        if "positive" in entry:
            lookup(entry["positive"], classes, "positive")
        cost_matrix(entry, classes)
    except Unavailable as error:
        key, _, sentence = str(error).partition(": ")
        if key in OF_CLASSES:
            yield [key], sentence
        elif isinstance(error, Measurements):  # else the data set will be unavailable
            yield ["target"], str(error)
