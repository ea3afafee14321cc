"""From columns or counts, as they were read, to a table and class codes."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
import polars as pl
from scipy import sparse

from linclass.base.messages import first_names
from linclass.base.tables import Table
from linclass_study.data import labels
from linclass_study.data.content import Columns, Content, Counts, plain_csr
from linclass_study.data.labels import codes_and_classes, label_column, sorted_labels
from linclass_study.entries import Entry, as_list
from linclass_study.errors import Unavailable, suggest_name
from linclass_study.files.cells import plain_number

# Rows of a data set before they are in canonical order.


class Assembled(NamedTuple):
    """The rows of all classes that the entry keeps."""

    table: Table
    y: np.ndarray  # int32, indices into classes
    split: np.ndarray  # int8: 0 train, 1 test
    classes: list[str]
    source_row: np.ndarray  # number in the source, or in the test set
    groups: np.ndarray | None = None  # int32, group of each row
    bayes_error: tuple[float, float] | None = (
        None  # as in Columns, unless the entry changes the rows
    )


# Look up the columns and classes that an entry names.

MEASURED = 20  # distinct numbers; fewer may be classes
LISTED = 30  # names in a message; the others are counted


class Measurements(Unavailable):
    """The target measures something: another column is meant, or classes have to be made."""


def class_codes(texts: pl.Series, entry: Entry) -> tuple[np.ndarray, list[str]]:
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


def refuse_a_number(name: str, classes: list[str], counts: np.ndarray, entry: Entry) -> None:
    """Raise Unavailable if the target measures something, unless the entry lists its classes."""
    if "classes" not in entry and is_a_number(classes, counts):
        shown = f"'{name}'" if name else "the target"
        raise Measurements(
            f"{shown} has {len(classes):,} distinct numbers in {counts.sum():,} rows: a measurement, not a class; "
            "name the column of the class as `target:`, list the `classes:` to keep, or make classes from ranges"
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
            "`target:` (if the numbers are classes, list them under `classes:`; rows with empty cells are left out)"
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
        listing = f", {close} Columns are " if close.startswith("did") else "; columns are "
        numbers = sum(plain_number(column) is not None for column in columns)
        hint = " (if these are values of a row: `csv: {header: false}`)"
        hint *= numbers > len(columns) / 2
        raise Unavailable(f"{key}: there is no column '{name}'{listing}{listed(columns)}{hint}")
    return str(name)


def listed(names: list[str]) -> str:
    return first_names(names, LISTED)


# Named columns → table, class codes and split.
#
# Text is encoded by its sorted levels. The levels come from all rows, test rows included: they are names and not
# statistics, so no label and no value of a test row reaches a fit.


def columns_to_table(train: Columns, test: Content | None, entry: Entry) -> Assembled:
    """Rows of all classes that the entry keeps, training rows before test rows."""
    target = entry.get("target", train.target)
    if target is None:
        raise Unavailable(f"`target:` is missing; columns are {listed(train.frame.columns)}")
    target = column_named(target, train.frame.columns, "target")
    parts = [train.frame] if test is None else [train.frame, _with_columns_of(train.frame, test)]
    group, categories, texts, dropped = (
        {column_named(name, train.frame.columns, key) for name in as_list(entry.get(key))}
        for key in ("group", "categorical", "texts", "drop")
    )
    others = {target} | group | dropped
    names = sorted((name for name in train.frame.columns if name not in others), key=labels.natural)
    if test is not None:
        numeric = [name for name in names if name not in texts | categories]
        parts[1] = parts[1].with_columns(
            _numeric_as_trained(train.frame[n], parts[1][n]) for n in numeric
        )
    categories |= {name for part in parts for name in names if part[name].dtype == pl.String}
    y, classes = class_codes(_labels(parts, target), entry)
    is_kept = y >= 0
    X, levels = np.empty((int(is_kept.sum()), len(names))), {}
    for j, name in enumerate(names):
        if name in texts | categories:
            values = _labels(parts, name).filter(is_kept)
            if name in texts:  # a missing text has no words
                values = values.fill_null("")
                levels[name] = tuple(sorted(values.unique()))
            else:
                levels[name] = tuple(sorted_labels(values.drop_nulls().unique()))
            codes = values.cast(pl.Enum(levels[name])).to_physical()
            X[:, j] = codes.cast(pl.Float64).to_numpy()
        else:
            X[:, j] = np.concatenate([_finite(part[name]) for part in parts])[is_kept]
    split = np.zeros(parts[0].height, np.int8) if train.split is None else train.split
    if test is not None:
        split = np.concatenate([split, np.ones(parts[1].height, np.int8)])
    groups = None
    if group:
        (name,) = group
        groups = labels.group_codes(_labels(parts, name).filter(is_kept).to_list(), name)
    table = Table(X, tuple(names), levels, frozenset(texts & {*names}))
    rows = _source_rows(is_kept, [part.height for part in parts])
    return Assembled(table, y[is_kept], split[is_kept], classes, rows, groups)


def _source_rows(is_kept: np.ndarray, heights: list[int]) -> np.ndarray:
    """Numbers of the rows kept, counted in each part."""
    return np.concatenate([np.arange(height) for height in heights])[is_kept]


def _labels(parts: list[pl.DataFrame], name: str) -> pl.Series:
    """A column of all parts as normalized text."""
    return label_column([part[name] for part in parts])


def _with_columns_of(frame: pl.DataFrame, test: Content) -> pl.DataFrame:
    """The test rows, with columns in the order of the training set."""
    if not isinstance(test, Columns):
        raise Unavailable("the test set and the training set have different columns")
    for frame_here, frame_there, part in (
        (frame, test.frame, "test"),
        (test.frame, frame, "training"),
    ):
        for name in frame_here.columns:
            if name not in frame_there.columns:
                near = suggest_name(name, frame_there.columns)
                raise Unavailable(f"the {part} set has no column '{name}'; {near}")
    return test.frame.select(frame.columns)


def _numeric_as_trained(train: pl.Series, test: pl.Series) -> pl.Series:
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


def _finite(column: pl.Series) -> np.ndarray:
    if column.dtype != pl.Float64:
        raise Unavailable(
            f"column '{column.name}' holds {column.dtype}; drop it, or convert it to numbers or text"
        )
    values = column.to_numpy()
    if np.isinf(values).any():
        what = f"column '{column.name}' holds an infinite number"
        raise Unavailable(f"{what}; leave such cells empty")
    return values


# Sparse counts → table, class codes and split.
#
# The vocabulary comes from all rows, test rows included: words are names and not statistics.


def counts_to_table(train: Counts, test: Content | None, entry: Entry) -> Assembled:
    """Rows of all classes that the entry keeps, training rows before test rows."""
    X, names, texts, split = train.X, train.names, train.labels, train.split
    if test is not None:
        if not isinstance(test, Counts):
            raise Unavailable("the test set and the training set have different columns")
        short, long = sorted((names, test.names), key=len)
        is_prefix = long[: len(short)] == short
        names = long if is_prefix else sorted({*short, *long}, key=labels.natural)
        place = {name: j for j, name in enumerate(names)}

        def spread(part: Counts) -> Any:
            columns = np.array([place[name] for name in part.names], np.int32)[part.X.indices]
            shape = (len(part.labels), len(names))
            return sparse.csr_array((part.X.data, columns, part.X.indptr), shape=shape)

        X = sparse.vstack([spread(train), spread(test)], format="csr")
        texts = texts + test.labels
        split = np.concatenate([split, np.ones(len(test.labels), np.int8)])
    y, classes = class_codes(label_column([pl.Series(texts, dtype=pl.String)]), entry)
    keep = y >= 0
    kept_rows = plain_csr(X[np.flatnonzero(keep)])
    if entry.get("binary"):
        kept_rows.data[:] = 1
    infinite = kept_rows.indices[np.isinf(kept_rows.data)]
    if len(infinite):
        raise Unavailable(
            f"column '{names[infinite[0]]}' holds an infinite number, or entries whose sum is one (correct the file)"
        )
    is_wanted_column = np.ones(len(names), bool)
    if train.are_words:
        is_wanted_column[:] = np.bincount(kept_rows.indices, minlength=len(names)) > 0
    for name in entry.get("drop", []):
        is_wanted_column[names.index(column_named(name, names, "drop"))] = False
    if not is_wanted_column.all():
        kept_rows = plain_csr(kept_rows[:, np.flatnonzero(is_wanted_column)])
        names = [name for name, is_wanted in zip(names, is_wanted_column, strict=True) if is_wanted]
    rows = _source_rows(keep, [len(part.labels) for part in (train, test) if part is not None])
    return Assembled(Table(kept_rows, tuple(names)), y[keep], split[keep], classes, rows)
