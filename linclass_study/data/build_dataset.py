"""Content of the sources → a data set in canonical order; everything that its entry promises is checked."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Collection
from dataclasses import replace
from itertools import pairwise
from typing import Any

import numpy as np
from scipy import sparse

from linclass.base.messages import NotApplicable, require_memory
from linclass.base.tables import Table
from linclass_study.data import content_to_table, labels
from linclass_study.data.content import Columns, Content, Counts, InFile, plain_csr
from linclass_study.data.content_to_table import Assembled
from linclass_study.data.dataset import Dataset
from linclass_study.data.labels import cost_matrix
from linclass_study.entries import Entry
from linclass_study.errors import Unavailable


def build_dataset(content: Assembled | InFile, entry: Entry) -> Dataset:
    """Build the data set; raise Unavailable if the content contradicts the entry.

    If the rows stay in their file, the table is an empty matrix of the same shape.
    """
    if isinstance(content, InFile):
        y, classes, digest, groups = content.y, content.classes, content.digest, content.groups
        if len(classes) < 2:
            few = "the target has fewer than two classes; a classifier needs at least two"
            raise Unavailable(few)
        counts = np.bincount(y, minlength=len(classes))
        content_to_table.refuse_a_number(str(entry["target"]), classes, counts, entry)
        table = Table(sparse.csr_array((len(y), len(content.names))), tuple(content.names))
        split, source_row, bayes_error = np.zeros(len(y), np.int8), None, None
    else:
        table, y, split, classes, source_row, groups, bayes_error = content
        table = normalized(table)
        order = canonical_order(table, y, split, groups)
        table, y, split, source_row = table.rows(order), y[order], split[order], source_row[order]
        groups = None if groups is None else groups[order]
        digest = content_digest(table, y, split, classes, groups)
    if digest != (pinned := entry.get("digest", digest)):
        raise Unavailable(
            f"its content has the digest {digest}, not {pinned} (if this content is meant, give that under `digest:`)"
        )
    for code, name in enumerate(classes):
        if not (split[y == code] == 0).any():
            raise Unavailable(f"class '{name}' has no training row (leave it out with `classes:`)")
    positive = len(classes) - 1
    if "positive" in entry:
        positive = classes.index(labels.lookup(entry["positive"], classes, "positive"))
    return Dataset(
        table,
        y,
        split,
        classes,
        positive,
        cost_matrix(entry, classes),
        digest=digest,
        bayes_error=bayes_error,
        groups=groups,
        source_row=source_row,
        in_file=str(content.path) if isinstance(content, InFile) else "",
    )


# Content of the sources → table, class codes and split, as the entry asks.
#
# Target, group, dropped columns and rows of dropped classes are removed from the table.


def assemble(train: Content, test: Content | None, entry: Entry) -> Assembled | InFile:
    """The rows of all classes that the entry keeps; content whose rows stay in their file is returned as it is."""
    if isinstance(train, InFile):
        return train
    if isinstance(train, Columns):
        assembled = content_to_table.columns_to_table(train, test, entry)
        training_columns = {*assembled.table.names}
    else:
        assembled = content_to_table.counts_to_table(train, test, entry)
        training_columns = {*train.names}
    if not assembled.table.names:
        raise Unavailable("no column is left beside the target (drop fewer)")
    words = isinstance(train, Counts) and train.are_words
    table = stored(assembled.table, assembled.split, entry, training_columns, words)
    # known, if the entry changes neither classes nor features of generated rows
    bayes_errors = {
        part.bayes_error for part in (train, test) if isinstance(part, Columns | Counts)
    }
    changed = {"classes", "drop", "group", "target", "binary"} & {*entry}
    bayes_error = None if changed or len(bayes_errors) > 1 else bayes_errors.pop()
    return assembled._replace(table=table, bayes_error=bayes_error)


# Whether rows are stored as an array or sparse: as `dense:` of the entry says, else by their density and size.
#
# The file format must not decide: LIBSVM files leave zeros out even where there are hardly any, CSV files write all of
# them. Sparse rows are not centred, not drawn on a plane and refused by many estimators, so rows are sparse only where
# an array would waste much memory. docs/data.md has the rule with its reasons.

MAX_FREE_BYTES = 16_000_000  # bytes of an array whose memory does not matter
LARGE = 1_000_000_000  # bytes of an array that is made only where sparse rows are not smaller
MIN_DENSITY = 0.15  # from which arrays up to LARGE are made: they take at most 4.4 times the memory
# of values that are not 0, from which an array is not larger: 8 bytes for each value, not 12
EQUAL = 2 / 3


def stored(
    table: Table, split: np.ndarray, entry: Entry, training_columns: Collection[str], words: bool
) -> Table:
    """The rows as an array or sparse. An array has the columns of the training source alone, and no words without a
    training row. Counts of `words` stay sparse and columns with categories an array, unless the entry says otherwise.

    Only the training rows and the number of test rows matter, as no fit on training rows may depend on test rows.
    """
    is_kept = np.array([name in training_columns for name in table.names])
    if words:
        is_kept &= np.bincount(table.X[split == 0].indices, minlength=len(is_kept)) > 0
    columns = np.flatnonzero(is_kept)
    if "dense" in entry:
        dense = entry["dense"]
    elif table.levels and not table.is_sparse:
        dense = True
    else:
        dense = not words and _prefers_array(table, split, len(columns))
    if not dense:
        return table if table.is_sparse else replace(table, X=plain_csr(table.X))
    if not table.is_sparse:
        return table
    n, d = len(split), len(columns)
    needed_bytes = 17 * n * d  # the array, a copy in canonical order, and which values are missing
    try:
        require_memory(needed_bytes, "")
    except NotApplicable:
        raise Unavailable(
            f"an array takes {needed_bytes / 1e9:,.1f} GB for {n:,} rows × {d:,} columns, more than "
            "limits.read_memory_mb leaves; give `dense: false`, or raise that limit"
        ) from None
    table = table if len(columns) == table.shape[1] else table.columns(columns)
    return replace(table, X=table.X.toarray(), words=words)


def _prefers_array(table: Table, split: np.ndarray, d: int) -> bool:
    """Whether rows with d columns are dense or small enough for an array."""
    train = split == 0
    cells = np.count_nonzero(train) * d
    if 8 * cells <= MAX_FREE_BYTES:
        return True
    X = table.X
    nonzero = np.diff(X.indptr) if table.is_sparse else np.count_nonzero(X, axis=1)
    enough = MIN_DENSITY if 8 * len(split) * d <= LARGE else EQUAL
    return bool(nonzero[train].sum() >= enough * cells)


# Canonical order of rows, independent of their order in the source.
#
# Rows are sorted by split, then class, then a hash of their content; equal rows of one group are interchangeable.
# Sorting by a hash and not by the values shuffles the rows in the same way everywhere, which online methods need.
#
# Codes of levels and numbers of sparse columns depend on all rows. The order of the training rows, and so their folds,
# must not depend on the rows of an official test set, so they are hashed as if there were no other rows.


def canonical_order(
    table: Table, y: np.ndarray, split: np.ndarray, groups: np.ndarray | None = None
) -> np.ndarray:
    """Permutation of the rows into canonical order."""
    words = _hashes(table)
    if split.any() and (table.is_sparse or table.levels):
        training = np.flatnonzero(split == 0)
        words[training] = _hashes(_recoded_alone(table.rows(training)))
    tie_breakers = [] if groups is None else [groups]
    return np.lexsort((*tie_breakers, words[:, 1], words[:, 0], y, split))


def normalized(table: Table) -> Table:
    """One bit pattern per value: −0 becomes 0 and every NaN the same NaN, in place where possible."""
    if table.is_sparse:
        return table
    X = np.ascontiguousarray(table.X)
    np.add(X, 0.0, out=X)
    missing = np.isnan(X)
    if missing.any():
        X[missing] = np.nan
    return replace(table, X=X)


def _hashes(table: Table) -> np.ndarray:
    """Two words for each row, from the bytes of its values."""
    rows: Any
    if table.is_sparse:
        X = table.X
        indices, data = X.indices.astype("<i4").tobytes(), X.data.astype("<f8").tobytes()
        bounds = pairwise(X.indptr.tolist())
        rows = (indices[4 * a : 4 * b] + data[8 * a : 8 * b] for a, b in bounds)
    else:
        rows = np.ascontiguousarray(table.X, dtype="<f8")
    hashes = [hashlib.blake2b(row, digest_size=16).digest() for row in rows]
    return np.frombuffer(b"".join(hashes), dtype=">u8").reshape(-1, 2).copy()


def _recoded_alone(table: Table) -> Table:
    """Rows with the codes of levels, and the numbers of sparse columns, that they have without any other rows."""
    X = table.X.copy()
    for j, name in enumerate(table.names):
        if name in table.levels:
            codes = table.column(j)
            present = ~np.isnan(codes)
            codes[present] = np.unique(codes[present], return_inverse=True)[1]
            if table.is_sparse:
                cells = X.indices == j
                X.data[cells] = codes[np.repeat(np.arange(X.shape[0]), np.diff(X.indptr))[cells]]
            else:
                X[:, j] = codes
    if table.is_sparse:
        X = plain_csr(X)
        occurs = np.bincount(X.indices, minlength=X.shape[1]) > 0
        X.indices = (np.cumsum(occurs, dtype=np.int32) - 1)[X.indices]
    return table.with_rows(X)


# Digest of the content of a data set, independent of the file that it was read from.


def content_digest(
    table: Table,
    y: np.ndarray,
    split: np.ndarray,
    classes: list[str],
    groups: np.ndarray | None = None,
) -> str:
    """sha256 of names, levels and classes, then of every array in canonical order."""
    about = {
        "classes": classes,
        "names": table.names,
        "levels": {name: table.levels[name] for name in sorted(table.levels)},
        "shape": [int(n) for n in table.shape],
    } | ({"texts": sorted(table.texts)} if table.texts else {})
    total = hashlib.sha256(json.dumps(about, ensure_ascii=False).encode())
    X = table.X
    arrays: list[tuple[Any, str]] = [(split, "<i1"), (y, "<i4"), (X, "<f8")]
    if table.is_sparse:
        arrays[2:] = [(X.indptr, "<i4"), (X.indices, "<i4"), (X.data, "<f8")]
    if groups is not None:
        arrays.append((groups, "<i4"))
    for array, kind in arrays:
        total.update(np.ascontiguousarray(array, dtype=kind).data)
    return f"sha256:{total.hexdigest()}"
