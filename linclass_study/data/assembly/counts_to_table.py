"""Sparse counts → table, class codes and split.

The vocabulary comes from all rows, test rows included: words are names and not statistics.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
import polars as pl
from scipy import sparse

from linclass.base.tables import Table
from linclass_study.data import labels
from linclass_study.data.assembly.assembled import Assembled
from linclass_study.data.assembly.target import class_codes, column_named
from linclass_study.data.content import Content, Counts
from linclass_study.data.labels import label_column
from linclass_study.data.sparse_rows import plain_csr
from linclass_study.data.unavailable import Unavailable


def counts_to_table(train: Counts, test: Content | None, entry: Mapping[str, Any]) -> Assembled:
    """Rows of all classes that the entry keeps, training rows before test rows."""
    X, names, texts, split = train.X, train.names, train.labels, train.split
    if test is not None:
        if not isinstance(test, Counts):
            raise Unavailable("the test set and the training set have different columns")
        names = _union(names, test.names)
        X = sparse.vstack([_spread(part, names) for part in (train, test)], format="csr")
        texts = texts + test.labels
        split = np.concatenate([split, np.ones(len(test.labels), np.int8)])
    y, classes = class_codes(label_column([pl.Series(texts, dtype=pl.String)]), entry)
    kept = plain_csr(X[np.flatnonzero(y >= 0)])
    if entry.get("binary"):
        kept.data[:] = 1
    infinite = kept.indices[np.isinf(kept.data)]
    if len(infinite):
        raise Unavailable(
            f"column '{names[infinite[0]]}' holds an infinite number, or entries whose sum is one (correct the file)"
        )
    wanted = np.ones(len(names), bool)
    if train.are_words:
        wanted[:] = np.bincount(kept.indices, minlength=len(names)) > 0
    for name in entry.get("drop", []):
        wanted[names.index(column_named(name, names, "drop"))] = False
    if not wanted.all():
        kept = plain_csr(kept[:, np.flatnonzero(wanted)])
        names = [name for name, is_wanted in zip(names, wanted, strict=True) if is_wanted]
    return Assembled(Table(kept, tuple(names)), y, split, classes)


def _union(some: list[str], others: list[str]) -> list[str]:
    """Union of names: the longer list if the shorter one is a prefix of it, else sorted."""
    short, long = sorted((some, others), key=len)
    return long if long[: len(short)] == short else sorted({*some, *others}, key=labels.natural)


def _spread(part: Counts, names: list[str]) -> Any:
    """Rows of a part, with columns renumbered to `names`."""
    place = {name: j for j, name in enumerate(names)}
    columns = np.array([place[name] for name in part.names], np.int32)
    shape = (part.X.shape[0], len(names))
    return sparse.csr_array((part.X.data, columns[part.X.indices], part.X.indptr), shape=shape)
