"""Named columns → table, class codes and split.

Text is encoded by its sorted levels. The levels come from all rows, test rows included: they are names and not
statistics, so no label and no value of a test row reaches a fit.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
import polars as pl

from linclass.table import Table
from linclass_study.data import labels
from linclass_study.data.assembly.target import class_codes, column_named, listed
from linclass_study.data.content import Columns, Content
from linclass_study.data.unavailable import Unavailable
from linclass_study.refusal import nearest

BLOCK = 8192  # rows


def columns_to_table(
    train: Columns, test: Content | None, entry: Mapping[str, Any]
) -> tuple[Table, np.ndarray, np.ndarray, list[str], np.ndarray | None]:
    parts = [train.frame]
    target = entry.get("target", train.target)
    if target is None:
        raise Unavailable(f"`target:` is missing; columns are {listed(train.frame.columns)}")
    target = column_named(target, train.frame.columns, "target")
    if test is not None:
        parts.append(_like(train.frame, test))
    drop = {column_named(name, train.frame.columns, "drop") for name in entry.get("drop", [])}
    group = {
        column_named(entry[key], train.frame.columns, key) for key in ("group",) if key in entry
    }
    beside = drop | group | {target}
    names = sorted((n for n in train.frame.columns if n not in beside), key=labels.natural)
    as_text, texts = (
        {column_named(name, train.frame.columns, key) for name in entry.get(key, [])}
        for key in ("categorical", "texts")
    )
    as_text |= texts
    if test is not None:
        numeric = [name for name in names if name not in as_text]
        parts[1] = parts[1].with_columns(_as_trained(train.frame[n], parts[1][n]) for n in numeric)
    as_text |= {name for part in parts for name in names if part[name].dtype == pl.String}

    def written(name: str) -> pl.Series:
        return labels.column([part[name] for part in parts])

    y, classes = class_codes(written(target), entry)
    keep = y >= 0
    split = np.zeros(train.n_rows, np.int8) if train.split is None else train.split
    if test is not None:
        split = np.concatenate([split, np.ones(test.n_rows, np.int8)])
    columns, levels, whole = [], {}, len(parts) == 1 and keep.all()
    for name in names:
        if name in as_text:
            values = written(name).filter(keep)
            if name in texts:  # a missing text has no words
                values = values.fill_null("")
                levels[name] = tuple(sorted(values.unique()))
            else:
                levels[name] = tuple(labels.in_order(values.drop_nulls().unique()))
            codes = values.cast(pl.Enum(levels[name])).to_physical()
            columns.append(codes.cast(pl.Float64).to_numpy())
        else:
            numbers = [_numbers(part[name]) for part in parts]
            columns.append(numbers[0] if whole else np.concatenate(numbers)[keep])
    X = _rows(columns, int(keep.sum()))
    table = Table(X, tuple(names), levels, frozenset(texts & {*names}))
    groups = None
    for name in group:
        groups = labels.group_codes(written(name).filter(keep).to_list(), name)
    return table, y, split, classes, groups


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
        raise Unavailable("the test set has other columns than the training set")
    for these, those, part in ((frame, test.frame, "test"), (test.frame, frame, "training")):
        for name in these.columns:
            if name not in those.columns:
                raise Unavailable(
                    f"the {part} set has no column '{name}'; {nearest(name, those.columns)}"
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
            f"{strays[0] + 1}, where the training set has no text; mend it, or list the column "
            "under `categorical:`"
        )
    return numbers


def _numbers(column: pl.Series) -> np.ndarray:
    if column.dtype != pl.Float64:
        raise Unavailable(
            f"column '{column.name}' holds {column.dtype}; drop it, or make it numbers or text"
        )
    values = column.to_numpy()
    if np.isinf(values).any():
        raise Unavailable(
            f"column '{column.name}' holds an infinite number; leave such cells empty"
        )
    return values
