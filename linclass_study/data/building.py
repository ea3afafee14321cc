"""Contents of files → a data set in canonical order, with all that its entry promises checked."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from linclass_study.data import canonical, labels
from linclass_study.data.assembly import assemble
from linclass_study.data.content import Content
from linclass_study.data.dataset import Dataset
from linclass_study.data.unavailable import Unavailable


def build(train: Content, test: Content | None, entry: Mapping[str, Any]) -> Dataset:
    """The data set of its contents; Unavailable if they are not what the entry says."""
    table, y, split, classes = assemble(train, test, entry)
    table = canonical.normal(table)
    order = canonical.order(table, y, split)
    table, y, split = table.rows(order), y[order], split[order]
    digest = canonical.digest(table, y, split, classes)
    pinned = entry.get("digest", digest)
    if digest != pinned:
        raise Unavailable(f"its content has the digest {digest}, not {pinned}")
    for code, name in enumerate(classes):
        if not (split[y == code] == 0).any():
            raise Unavailable(f"class '{name}' has no training row")
    positive = len(classes) - 1
    if "positive" in entry:
        positive = classes.index(labels.lookup(entry["positive"], classes, "positive"))
    costs, bayes_error = _costs(entry, classes), _bayes_error(train, test, entry)
    return Dataset(
        table, y, split, classes, positive, costs, digest=digest, bayes_error=bayes_error
    )


def _bayes_error(
    train: Content, test: Content | None, entry: Mapping[str, Any]
) -> tuple[float, float] | None:
    """Of rows that are taken as they were drawn: other classes or features have another."""
    known = [getattr(part, "bayes_error", None) for part in (train, test) if part is not None]
    if {"classes", "drop", "target"} & {*entry} or train.matrices or len({*known}) > 1:
        return None
    return known[0]


def _costs(entry: Mapping[str, Any], classes: list[str]) -> list[list[float]] | None:
    costs = entry.get("costs")
    if costs is None:
        return None
    K = len(classes)
    if len(costs) != K or any(len(row) != K for row in costs):
        shape = f"{len(costs)} × {'/'.join(map(str, sorted({len(row) for row in costs})))}"
        raise Unavailable(
            f"costs: {shape} numbers for {K} classes; give {K} × {K}, a row per action in the "
            f"order {', '.join(classes)}"
        )
    return [[float(value) for value in row] for row in costs]
