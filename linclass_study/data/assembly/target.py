"""Look up the columns and classes that an entry names."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
import polars as pl

from linclass.base.messages import first_names
from linclass_study.data.labels import codes_and_classes, plain_number, sorted_labels
from linclass_study.data.unavailable import Unavailable
from linclass_study.errors import suggest_name

MEASURED = 20  # distinct numbers; fewer may be classes
LISTED = 30  # names in a message; the others are counted


class Measurements(Unavailable):
    """The target measures something: another column is meant, or classes have to be made."""


def class_codes(texts: pl.Series, entry: Mapping[str, Any]) -> tuple[np.ndarray, list[str]]:
    if "classes" not in entry:
        _refuse_gaps_in_numbers(texts)
    y, classes = codes_and_classes(texts, entry.get("classes"))
    counts = np.bincount(y[y >= 0], minlength=len(classes))
    refuse_a_number(texts.name, classes, counts, entry)
    present = [name for name, count in zip(classes, counts, strict=True) if count]
    if len(present) < 2:
        only = f"one class, '{present[0]}'" if present else "no class"
        raise Unavailable(f"the target has {only}; a classifier needs at least two")
    return y, classes


def refuse_a_number(
    name: str, classes: list[str], counts: np.ndarray, entry: Mapping[str, Any]
) -> None:
    """Raise Unavailable if the target measures something, unless the entry lists its classes."""
    if "classes" not in entry and is_a_number(classes, counts):
        shown = f"'{name}'" if name else "the target"
        raise Measurements(
            f"{shown} has {len(classes):,} distinct numbers in {counts.sum():,} rows: a number, not a class; "
            "name the column of the class as `target:`, list the `classes:` to keep, or make classes of ranges"
        )


def _refuse_gaps_in_numbers(texts: pl.Series) -> None:
    """Raise Unavailable if some cells of the target are empty and the others measure something: to list the numbers as
    classes would be no remedy.
    """
    empty = texts.null_count()
    if not empty:
        return
    counts = texts.drop_nulls().alias("label").value_counts(name="rows")
    labels = sorted_labels(counts["label"])
    numbers = [plain_number(label) for label in labels]
    fractions = [str(x) for x in numbers if x is not None and x % 1] if None not in numbers else []
    if fractions or is_a_number(labels, counts["rows"].to_numpy()):
        cells = f"{empty:,} of its {len(texts):,} cells {'is' if empty == 1 else 'are'} empty"
        what = "fractions" if fractions else "numbers"
        raise Measurements(
            f"'{texts.name}' holds {what}, such as {first_names(fractions or labels, 2)}, and {cells}: measurements, "
            "not classes; make a column of classes from them, such as low and high by a threshold, and name it under "
            "`target:` (numbers that are classes after all: list them under `classes:`; rows without one are left out)"
        )


def is_a_number(classes: list[str], counts: np.ndarray) -> bool:
    """Whether the labels measure something: many numbers, with fractions or one of a single row."""
    if len(classes) < MEASURED:
        return False
    try:
        numbers = np.array(classes, float)
    except ValueError:
        return False
    whole = (numbers == np.floor(numbers)).all()
    return bool(not whole or (counts == 1).any())


def column_named(name: Any, columns: list[str], key: str) -> str:
    if str(name) not in columns:
        close = suggest_name(name, columns)
        known = f", {close} Columns are " if close.startswith("did") else "; columns are "
        numbers = sum(plain_number(column) is not None for column in columns)
        hint = (
            " (if these are values of a row: `csv: {header: false}`)"
            if numbers > len(columns) / 2
            else ""
        )
        raise Unavailable(f"{key}: there is no column '{name}'{known}{listed(columns)}{hint}")
    return str(name)


def listed(names: list[str]) -> str:
    return first_names(names, LISTED)
