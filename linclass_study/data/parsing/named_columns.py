"""Columns that an entry names."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any


def named_columns(entry: Mapping[str, Any], keys: Iterable[str]) -> set[str]:
    """The names under these keys, each of which holds a name, a list of names, or nothing."""
    given = (entry[key] for key in keys if key in entry)
    return {str(name) for one in given for name in (one if isinstance(one, list) else [one])}
