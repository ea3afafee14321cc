"""Class weights of an entry by the names of the classes, `class_weight: {ill: 5, well: 1}`, as those of codes.

Estimators get codes, not names; also those inside of another one, in `tune:` or in a transform.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from linclass_study.data import labels
from linclass_study.data.unavailable import Unavailable


def by_codes(entry: dict[str, Any], classes: Sequence[str]) -> tuple[dict[str, Any], str]:
    """(the entry with codes, "") or (the entry, which name is no class of the data set)."""
    try:
        return _coded(entry, classes, ""), ""
    except Unavailable as reason:
        return entry, str(reason)


def _coded(value: Any, classes: Sequence[str], key: str) -> Any:
    if isinstance(value, list):
        return [_coded(item, classes, key) for item in value]
    if not isinstance(value, Mapping):
        return value
    if key.rpartition("__")[2] != "class_weight":
        return {name: _coded(inside, classes, name) for name, inside in value.items()}
    return {
        classes.index(labels.lookup(name, classes, "class_weight")): weight
        for name, weight in value.items()
    }
