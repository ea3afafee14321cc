"""Parquet whose rows stay in the file and are read block by block when a run needs them.

Only the classes of the rows are read here, so the file may be larger than memory. Columns are numeric; rows keep the
order of the file. linclass_study/execution/worker.py says which methods support blocks.
"""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import polars as pl

from linclass.base.messages import NotApplicable, counted_have
from linclass_study.data import blocks, labels
from linclass_study.data.content import InFile
from linclass_study.data.entry_keys import unnamed_index
from linclass_study.data.formats.parquet import header_columns as header_columns  # the same file
from linclass_study.data.formats.parquet import plain
from linclass_study.data.labels import codes_and_classes
from linclass_study.errors import Unavailable

UNSUPPORTED = ("categorical", "texts", "test")  # keys that need rows in memory


def read(path: Path, options: Mapping[str, Any]) -> InFile:
    if unsupported := next((key for key in UNSUPPORTED if options.get(key)), None):
        raise Unavailable(f"`{unsupported}:` is not supported for parquet_blocks; leave it out")
    target, drop = str(options["target"]), list(map(str, options.get("drop", [])))
    drop += unnamed_index(header_columns(path, {}), options)
    group = [str(options["group"])] if "group" in options else []
    try:
        names = blocks.numbers_of(path, target, [*drop, *group])
        columns = (pl.read_parquet(path, columns=[name])[name] for name in (target, *group))
        texts, *groups = (labels.label_values(plain(column)) for column in columns)
    except (ValueError, NotApplicable, pl.exceptions.PolarsError, OSError) as error:
        raise Unavailable(str(error).splitlines()[0]) from None
    if missing := texts.null_count():
        them = "it" if missing == 1 else "them"
        raise Unavailable(f"{counted_have(missing, 'row')} no class; leave {them} out of the file")
    kinds = texts.unique().sort()
    texts_of_kinds = labels.normalized_labels(kinds.to_list())
    y, classes = codes_and_classes(texts_of_kinds, options.get("classes"))
    if (y < 0).any():
        raise Unavailable("`classes:` must name every class, since rows stay in their file")
    code = pl.Series(y)[kinds.search_sorted(texts)].to_numpy()
    members = None
    if groups:
        members = labels.group_codes(labels.normalized_labels(groups[0].to_list()), group[0])
    digest = _digest(path, names, code, members)
    return InFile(path.resolve(), names, code, classes, digest, members)


def _digest(path: Path, names: list[str], y: Any, groups: Any) -> str:
    """Digest of the numbers in the file's order, the classes and the groups, if any."""
    total = hashlib.sha256(repr(names).encode())
    total.update(y.astype("<i4").tobytes())
    if groups is not None:
        total.update(groups.astype("<i4").tobytes())
    for table in blocks.tables(path, names):
        total.update(table.X.astype("<f8").data)
    return f"sha256:{total.hexdigest()}"
