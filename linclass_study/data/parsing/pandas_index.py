"""The index of a pandas data frame in Parquet: without a name of its own it numbers rows and describes none of them."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from typing import Any

from linclass_study.data.parsing.named_columns import named_columns

INDEX = re.compile(r"__index_level_\d+__")  # what pandas calls it
NAMING = ("target", "group", "drop", "categorical", "texts")  # keys of an entry


def unnamed_index(names: Iterable[str], entry: Mapping[str, Any]) -> list[str]:
    """Columns of the index that the entry does not name."""
    given = named_columns(entry, NAMING)
    return [name for name in names if INDEX.fullmatch(name) and name not in given]
