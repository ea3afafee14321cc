"""Content of the sources → a data set in canonical order; everything that its entry promises is checked."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from scipy import sparse

from linclass.base.tables import Table
from linclass_study.data import labels
from linclass_study.data.assembly.assemble import assemble
from linclass_study.data.assembly.canonical_order import canonical_order, normalized
from linclass_study.data.assembly.content_digest import content_digest
from linclass_study.data.assembly.target import refuse_a_number
from linclass_study.data.content import Content, InFile
from linclass_study.data.cost_matrix import cost_matrix
from linclass_study.data.dataset import Dataset
from linclass_study.data.unavailable import Unavailable


def build_dataset(train: Content, test: Content | None, entry: Mapping[str, Any]) -> Dataset:
    """Build the data set; raise Unavailable if the content contradicts the entry."""
    if isinstance(train, InFile):
        return _in_file(train, entry)
    table, y, split, classes, groups, source_row = assemble(train, test, entry)
    table = normalized(table)
    order = canonical_order(table, y, split, groups)
    table, y, split = table.rows(order), y[order], split[order]
    groups = None if groups is None else groups[order]
    digest = content_digest(table, y, split, classes, groups)
    pinned = entry.get("digest", digest)
    if digest != pinned:
        raise other_content(digest, pinned)
    for code, name in enumerate(classes):
        if not (split[y == code] == 0).any():
            raise Unavailable(f"class '{name}' has no training row (leave it out with `classes:`)")
    positive = _positive(entry, classes)
    costs, bayes_error = cost_matrix(entry, classes), _bayes_error(train, test, entry)
    return Dataset(
        table,
        y,
        split,
        classes,
        positive,
        costs,
        digest=digest,
        bayes_error=bayes_error,
        groups=groups,
        source_row=source_row[order],
    )


def other_content(digest: str, pinned: str) -> Unavailable:
    return Unavailable(
        f"its content has the digest {digest}, not {pinned} (if this content is meant, give that under `digest:`)"
    )


def _in_file(rows: InFile, entry: Mapping[str, Any]) -> Dataset:
    """A data set whose rows stay in their file: the table is an empty matrix of the same shape."""
    if len(rows.classes) < 2:
        raise Unavailable("the target has fewer than two classes; a classifier needs at least two")
    counts = np.bincount(rows.y, minlength=len(rows.classes))
    refuse_a_number(str(entry["target"]), rows.classes, counts, entry)
    pinned = entry.get("digest", rows.digest)
    if rows.digest != pinned:
        raise other_content(rows.digest, pinned)
    table = Table(sparse.csr_array((rows.n_rows, len(rows.names))), tuple(rows.names))
    return Dataset(
        table,
        rows.y,
        np.zeros(rows.n_rows, np.int8),
        rows.classes,
        _positive(entry, rows.classes),
        cost_matrix(entry, rows.classes),
        digest=rows.digest,
        in_file=str(rows.path),
        groups=rows.groups,
    )


def _positive(entry: Mapping[str, Any], classes: list[str]) -> int:
    if "positive" not in entry:
        return len(classes) - 1
    return classes.index(labels.lookup(entry["positive"], classes, "positive"))


def _bayes_error(
    train: Content, test: Content | None, entry: Mapping[str, Any]
) -> tuple[float, float] | None:
    """The known Bayes error, if the entry changes neither classes nor features of the generated rows."""
    known = [getattr(part, "bayes_error", None) for part in (train, test) if part is not None]
    if (
        {"classes", "drop", "group", "target", "binary"} & {*entry}
        or train.matrices
        or len({*known}) > 1
    ):
        return None
    return known[0]
