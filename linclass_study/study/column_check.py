"""Check the columns and classes that an entry names against its local file, before any work."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from importlib import import_module
from pathlib import Path
from typing import Any

from linclass_study.data.assembly.target import column_named
from linclass_study.data.cost_matrix import cost_matrix
from linclass_study.data.entry.source_keys import as_list, dialect_of, format_of
from linclass_study.data.labels import codes_and_classes, label_column, lookup
from linclass_study.data.search_folders import SearchFolders
from linclass_study.data.unavailable import Unavailable

KEYS = ("target", "group", "drop", "categorical", "texts")
OF_CLASSES = ("classes", "positive", "costs")
LARGEST = 2e7  # bytes of a file that is read for the names of its classes


def column_problems(
    entry: Mapping[str, Any], folders: SearchFolders
) -> Iterator[tuple[list[Any], str]]:
    """(path of keys, sentence) for a file whose columns cannot be read, or for each column that it does not have.

    Only of a single source that is a file and is there: without it the next source would be tried.
    """
    (source, *others) = as_list(entry["source"])
    path = None if others or "file" not in source else folders.local(source["file"])
    kind = None if path is None else format_of(entry, source, source["file"])
    if path is None or kind is None:
        return
    dialect = dialect_of(entry, source, source["file"])
    reader = import_module(f"linclass_study.data.formats.{kind}")
    if not hasattr(reader, "header_columns"):  # whose files do not begin with their columns
        return
    try:
        columns = reader.header_columns(path, dialect)
    except Unavailable as error:
        yield ["source"], f"'{source['file']}': {error}"
        return
    for key in KEYS:
        given = entry.get(key)
        for i, name in enumerate(as_list(given)):
            try:
                column_named(name, columns, key)
            except Unavailable as error:
                yield [key, i] if isinstance(given, list) else [key], str(error).partition(": ")[2]
    if str(entry.get("target")) in columns and kind != "parquet_blocks" and "test" not in entry:
        yield from _class_problems({**entry, "csv": dialect}, reader, path)


def _class_problems(
    entry: Mapping[str, Any], reader: Any, path: Path
) -> Iterator[tuple[list[Any], str]]:
    """(path of keys, sentence) for the first class that the file does not have, if the file is small."""
    if not {*OF_CLASSES} & {*entry} or path.stat().st_size > LARGEST:
        return
    try:
        labels = label_column([reader.read(path, entry).frame[str(entry["target"])]])
        classes = codes_and_classes(labels, entry.get("classes"))[1]
        if "positive" in entry:
            lookup(entry["positive"], classes, "positive")
        cost_matrix(entry, classes)
    except Unavailable as error:
        key, _, sentence = str(error).partition(": ")
        if key in OF_CLASSES:  # else the data set will be unavailable
            yield [key], sentence
