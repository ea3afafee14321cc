"""Check the columns that an entry names against the first lines of its local file, before any work."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from importlib import import_module
from typing import Any

from linclass_study.data.assembly.target import column_named
from linclass_study.data.entry.source_keys import as_list, format_of
from linclass_study.data.search_folders import SearchFolders
from linclass_study.data.unavailable import Unavailable

KEYS = ("target", "group", "drop", "categorical", "texts")
FORMATS = ("arff", "csv", "parquet", "parquet_blocks")  # whose files begin with their columns


def column_problems(
    entry: Mapping[str, Any], folders: SearchFolders
) -> Iterator[tuple[list[Any], str]]:
    """(path of keys, sentence) for a file whose columns cannot be read, or for each column that it does not have.

    Only of a single source that is a file and is there: without it the next source would be tried.
    """
    (source, *others) = as_list(entry["source"])
    path = None if others or "file" not in source else folders.local(source["file"])
    kind = None if path is None else format_of(entry, source, source["file"])
    if path is None or kind not in FORMATS:
        return
    dialect = {**entry.get("csv", {}), **source.get("csv", {})}
    try:
        columns = import_module(f"linclass_study.data.formats.{kind}").header_columns(path, dialect)
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
