"""Labels of classes and categories: normalize, sort, look up and merge them.

A label is text. If all labels of a column are numbers, they are normalized, so that 1.0, +1 and 1 are the same label
in any file, and sorted as numbers: 2 before 10. Where zeros in front distinguish labels, as in 007 and 7,
they are codes, and stay as they are.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from itertools import product
from typing import Any

import numpy as np
import polars as pl

from linclass.base.messages import counted_have
from linclass_study.entries import Entry, as_list, class_name
from linclass_study.errors import Unavailable, suggest_name
from linclass_study.files.cells import plain_number

TRUTH = {"true": "1", "false": "0"}  # as truth values of Parquet are written
DATES = (pl.Date, pl.Datetime, pl.Time)
MAX_EXACT_INTEGER = 2.0**53  # below, every whole number is a floating-point number of its own


def normalized_labels(values: Sequence[str | float | None]) -> list[str | None]:
    """Labels of a column as normalized text; None where missing."""
    text: dict[str | float | None, str | None] = {None: None}
    numbers = {value: plain_number(value) for value in set(values) if value is not None}
    texts = pl.Series([value for value in numbers if isinstance(value, str)], dtype=pl.String)
    all_numbers = None not in numbers.values() and not are_codes(texts)
    for value, number in numbers.items():
        if number is not None and (all_numbers or not isinstance(value, str)):
            if abs(number) >= MAX_EXACT_INTEGER:
                raise Unavailable(
                    f"the label {value} is a number beyond 2^53, where neighbours would become one label; "
                    "put a letter before such labels"
                )
            text[value] = str(int(number)) if number == int(number) else repr(number)
        else:
            text[value] = str(value)
    return [text[value] for value in values]


def are_codes(texts: pl.Series) -> bool:
    """Whether zeros in front distinguish texts that are numbers, as 007 and 7."""
    kinds = texts.drop_nulls().unique()
    padded = kinds.str.contains(r"^[-+]?0\d")
    return bool((padded & kinds.cast(pl.Float64, strict=False).is_duplicated()).any())


def label_column(parts: Sequence[pl.Series]) -> pl.Series:
    """Concatenate parts of a column, with all labels normalized together."""
    parts = [label_values(part) for part in parts]
    kinds = [part.drop_nulls().unique() for part in parts]
    texts = iter(normalized_labels([value for kind in kinds for value in kind.to_list()]))
    columns = []
    for part, kind in zip(parts, kinds, strict=True):
        normalized = pl.Series([next(texts) for _ in kind], dtype=pl.String)
        columns.append(part.replace_strict(kind, normalized, default=None, return_dtype=pl.String))
    return pl.concat(columns)


def label_values(column: pl.Series) -> pl.Series:
    """A column of labels: numbers or text, and dates as text."""
    if column.dtype in DATES:
        return column.cast(pl.String)
    if column.dtype.is_numeric() or column.dtype in (pl.String, pl.Null):
        return column
    raise Unavailable(
        f"column '{column.name}' holds {column.dtype}, which cannot be a label; convert it to numbers or text"
    )


def sorted_labels(labels: Iterable[str]) -> list[str]:
    """Distinct labels, sorted as numbers if all are numbers, else as text."""
    distinct = sorted(set(labels))
    numbers = [plain_number(label) for label in distinct]
    if any(number is None for number in numbers):
        return distinct
    return sorted(distinct, key=float)


def natural(name: str) -> tuple[Any, ...]:
    """Sort key that puts x2 before x10."""
    parts = re.split(r"(\d+)", name)
    return tuple((part, 0) if i % 2 == 0 else ("", int(part)) for i, part in enumerate(parts)), name


def lookup(wanted: Any, labels: Iterable[str], key: str) -> str:
    """The label that a configured value refers to: the same text, else the same number."""
    labels, text = list(labels), str(wanted)
    if text in labels:
        return text
    number, hint = plain_number(wanted), ""
    same = [label for label in labels if number is not None and plain_number(label) == number]
    if text.lower() in TRUTH:  # a truth value, or a text: JSON's keys are
        text = text.lower()
        same = [label for label in labels if label.lower() == text]
        same = same or [label for label in labels if label == TRUTH[text]]
        hint = " (YAML reads a bare yes, no, on or off as true or false; put it in quotes)"
    if not same:
        raise Unavailable(f"{key}: '{text}' is not a class; {suggest_name(text, labels)}{hint}")
    return same[0]


def codes_and_classes(
    labels: Sequence[str | None] | pl.Series, classes: Any
) -> tuple[np.ndarray, list[str]]:
    """Codes of the labels (−1: excluded) and the class names in the order of the codes.

    `classes` is None (every label is a class), a list of labels in the wanted order, or a mapping from class names to
    the labels that they merge.
    """
    labels = pl.Series(labels, dtype=pl.String)
    present = sorted_labels(labels.drop_nulls().unique())
    if classes is None:
        if missing := labels.null_count():
            raise Unavailable(
                f"{counted_have(missing, 'row')} no class; list the `classes:` to keep, and they are left out"
            )
        groups = {label: [label] for label in present}
    elif isinstance(classes, Mapping):
        groups = {
            class_name(name): [lookup(v, present, "classes") for v in as_list(values)]
            for name, values in classes.items()
        }
    else:
        groups = {(label := lookup(v, present, "classes")): [label] for v in classes}
    code_of = {label: code for code, group in enumerate(groups.values()) for label in group}
    codes = labels.replace_strict(code_of, default=-1, return_dtype=pl.Int32)
    return codes.fill_null(-1).to_numpy(), list(groups)


def group_codes(labels: Sequence[str | None], name: str) -> np.ndarray:
    """Integer code of each row's group, in the order of the group labels; every row must have a group."""
    if missing := sum(label is None for label in labels):
        raise Unavailable(
            f"group: {counted_have(missing, 'row')} no '{name}'; give each its group, or leave `group:` out"
        )
    return codes_and_classes(labels, None)[0]


# The risk matrix of an entry: a row for each action, which is a predicted class, and a column for each true class.
#
# costs: {ill: {well: 5}, well: {ill: 1}}     true class → predicted class → cost; a right prediction costs 0
# costs: [[0, 5], [1, 0]]                     the matrix itself, in the order of the classes' codes


def cost_matrix(entry: Entry, classes: Sequence[str]) -> list[list[float]] | None:
    """The matrix in the order of the classes; None if the entry has no `costs:`."""
    costs, K = entry.get("costs"), len(classes)
    if costs is None:
        return None
    if not isinstance(costs, Mapping):
        if len(costs) != K or any(len(row) != K for row in costs):
            shape = f"{len(costs)} × {'/'.join(map(str, sorted({len(row) for row in costs})))}"
            raise Unavailable(
                f"costs: {shape} numbers for {K} classes; give {K} × {K}, a row per predicted class and a column per "
                f"true class in the order {', '.join(classes)}"
            )
        return [[float(value) for value in row] for row in costs]
    cost_of = {(true, true): 0.0 for true in classes}
    for name, row in costs.items():
        true = lookup(name, classes, "costs")
        for action, cost in row.items():
            cost_of[true, lookup(action, classes, "costs")] = float(cost)
    for true, action in product(classes, classes):
        if (true, action) not in cost_of:
            what = f"no cost of predicting '{action}' where '{true}' is true"
            raise Unavailable(f"costs: {what}; add {true}: {{{action}: …}}")
    return [[cost_of[true, action] for true in classes] for action in classes]
