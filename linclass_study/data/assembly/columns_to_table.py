"""Named columns → table, class codes and split.

Text is encoded by its sorted levels. The levels come from all rows, test rows included: they are names and not
statistics, so no label and no value of a test row reaches a fit.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
import polars as pl

from linclass.base.tables import Table
from linclass_study.data import labels
from linclass_study.data.assembly.assembled import Assembled
from linclass_study.data.assembly.target import class_codes, column_named, listed
from linclass_study.data.content import Columns, Content
from linclass_study.data.labels import label_column, sorted_labels
from linclass_study.data.unavailable import Unavailable
from linclass_study.errors import suggest_name

BLOCK = 8192  # rows


def columns_to_table(train: Columns, test: Content | None, entry: Mapping[str, Any]) -> Assembled:
    """Rows of all classes that the entry keeps, training rows before test rows."""
    target = _target(train, entry)
    parts = [train.frame] if test is None else [train.frame, _like(train.frame, test)]
    names = feature_columns(train.frame, target, entry)
    categories, texts = (_named(train.frame, key, entry) for key in ("categorical", "texts"))
    if test is not None:
        numeric = [name for name in names if name not in texts | categories]
        parts[1] = parts[1].with_columns(_as_trained(train.frame[n], parts[1][n]) for n in numeric)
    categories |= {name for part in parts for name in names if part[name].dtype == pl.String}
    y, classes = class_codes(_labels(parts, target), entry)
    keep = y >= 0
    columns, levels = [], {}
    for name in names:
        if name in texts | categories:
            values = _labels(parts, name).filter(keep)
            codes, levels[name] = encode_text(values, is_category=name not in texts)
        else:
            codes = _numbers(parts, name, keep)
        columns.append(codes)
    X = _rows(columns, int(keep.sum()))
    table = Table(X, tuple(names), levels, frozenset(texts & {*names}))
    return Assembled(
        table, y, _split(train, test), classes, encode_group(parts, keep, entry.get("group"))
    )


def feature_columns(frame: pl.DataFrame, target: str, entry: Mapping[str, Any]) -> list[str]:
    """Names of all columns but the target, the group and the dropped ones, x2 before x10."""
    others = {target} | _named(frame, "drop", entry)
    if "group" in entry:
        others.add(column_named(entry["group"], frame.columns, "group"))
    return sorted((name for name in frame.columns if name not in others), key=labels.natural)


def encode_text(values: pl.Series, is_category: bool) -> tuple[np.ndarray, tuple[str, ...]]:
    """Codes of the values, and the sorted levels that they refer to; a missing category is NaN."""
    if is_category:
        levels = tuple(sorted_labels(values.drop_nulls().unique()))
    else:  # a missing text has no words
        values = values.fill_null("")
        levels = tuple(sorted(values.unique()))
    return values.cast(pl.Enum(levels)).to_physical().cast(pl.Float64).to_numpy(), levels


def encode_group(parts: list[pl.DataFrame], keep: np.ndarray, group: Any) -> np.ndarray | None:
    """Integer code of the group of each row that is kept; None without `group:`."""
    if group is None:
        return None
    return labels.group_codes(_labels(parts, str(group)).filter(keep).to_list(), str(group))


def _target(train: Columns, entry: Mapping[str, Any]) -> str:
    target = entry.get("target", train.target)
    if target is None:
        raise Unavailable(f"`target:` is missing; columns are {listed(train.frame.columns)}")
    return column_named(target, train.frame.columns, "target")


def _named(frame: pl.DataFrame, key: str, entry: Mapping[str, Any]) -> set[str]:
    """Columns that the entry lists under `key`."""
    return {column_named(name, frame.columns, key) for name in entry.get(key, [])}


def _labels(parts: list[pl.DataFrame], name: str) -> pl.Series:
    """A column of all parts as normalized text."""
    return label_column([part[name] for part in parts])


def _split(train: Columns, test: Content | None) -> np.ndarray:
    split = np.zeros(train.n_rows, np.int8) if train.split is None else train.split
    return split if test is None else np.concatenate([split, np.ones(test.n_rows, np.int8)])


def _rows(columns: list[np.ndarray], n: int) -> np.ndarray:
    """Stack columns into a matrix, a block of rows at a time so that the block stays in the cache."""
    X = np.empty((n, len(columns)))
    for begin in range(0, n, BLOCK):
        block = slice(begin, begin + BLOCK)
        for j, column in enumerate(columns):
            X[block, j] = column[block]
    return X


def _like(frame: pl.DataFrame, test: Content) -> pl.DataFrame:
    """The test rows, with columns in the order of the training set."""
    if not isinstance(test, Columns):
        raise Unavailable("the test set and the training set have different columns")
    for these, those, part in ((frame, test.frame, "test"), (test.frame, frame, "training")):
        for name in these.columns:
            if name not in those.columns:
                raise Unavailable(
                    f"the {part} set has no column '{name}'; {suggest_name(name, those.columns)}"
                )
    return test.frame.select(frame.columns)


def _as_trained(train: pl.Series, test: pl.Series) -> pl.Series:
    """Numeric where the training column is numeric: text in the test set alone is an error, not a category."""
    if train.dtype != pl.Float64 or test.dtype != pl.String:
        return test
    numbers = test.cast(pl.Float64, strict=False)
    strays = (numbers.is_null() & test.is_not_null()).arg_true()
    if len(strays):
        raise Unavailable(
            f"column '{test.name}' of the test set holds the text '{test[strays[0]]}' in row "
            f"{strays[0] + 1}, where the training set has no text; correct it, or list the column "
            "under `categorical:`"
        )
    return numbers


def _numbers(parts: list[pl.DataFrame], name: str, keep: np.ndarray) -> np.ndarray:
    """The kept rows of a numeric column; without a copy if it is one part of which all rows are kept."""
    numbers = [_finite(part[name]) for part in parts]
    return numbers[0] if len(parts) == 1 and keep.all() else np.concatenate(numbers)[keep]


def _finite(column: pl.Series) -> np.ndarray:
    if column.dtype != pl.Float64:
        raise Unavailable(
            f"column '{column.name}' holds {column.dtype}; drop it, or convert it to numbers or text"
        )
    values = column.to_numpy()
    if np.isinf(values).any():
        raise Unavailable(
            f"column '{column.name}' holds an infinite number; leave such cells empty"
        )
    return values
