"""A sequence of transforms: fitted to the training rows of one fold, or shared by several folds.

Folds can be fitted together only on one matrix. A transform may state that every fold would fit it alike (`same_for`),
as `impute` does if nothing is missing; the last one may be fitted for all folds at once (`for_folds`), as
`standardize` is from sums. Other transforms are fitted fold by fold.

First, columns of sparse rows without training rows are dropped (occurring_columns.py). Folds that differ in these
columns are not fitted together, unless the classifier does not depend on them (`ignores_empty_columns`).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from linclass.base.parts import find, import_class
from linclass.base.tables import Table
from linclass_study.pipeline.foreign_transform import ForeignTransform
from linclass_study.pipeline.method import Method
from linclass_study.pipeline.occurring_columns import fold_has_its_own, of_training_rows

Steps = Sequence[tuple[str, dict[str, Any]]]


def transform_class(name: str) -> type:
    """The class of a transform, one_hot → OneHot; a name with a dot is the import path of a class."""
    if "." in name:
        return import_class(name)
    return find("transforms", name)


def new_transform(name: str, options: Mapping[str, Any], seed: int | None = None) -> Any:
    """The transform, not yet fitted; `seed` is the random_state of a foreign one that has this parameter."""
    kind = transform_class(name)
    if getattr(kind, "takes_tables", False):
        return kind(**options)
    return ForeignTransform(Method(kind, dict(options)).estimator(seed))


def fit_transforms(
    steps: Steps, table: Table, y: np.ndarray | None, seed: int | None = None
) -> tuple[list[Any], Table]:
    """(the fitted transforms, the transformed rows) of columns that occur in the training rows."""
    if (occurring := of_training_rows(table)) is None:
        return fit_steps(steps, table, y, seed)
    fitted, table = fit_steps(steps, occurring.transform(table), y, seed)
    return [occurring, *fitted], table


def fit_steps(
    steps: Steps, table: Table, y: np.ndarray | None, seed: int | None = None
) -> tuple[list[Any], Table]:
    """(the fitted transforms, the transformed rows); each is fitted to the result of the previous ones."""
    fitted: list[Any] = []
    for name, options in steps:
        transform = new_transform(name, options, seed)
        table = transform.fit_transform(table, y)
        fitted.append(transform)
    return fitted, table


@dataclass(frozen=True)
class TransformedRows:
    """All rows after the transforms that folds share, and the last transform of each fold."""

    table: Table
    common: list[Any]
    last: list[Any] | None

    def transforms(self, fold: int) -> list[Any]:
        return self.common if self.last is None else [*self.common, self.last[fold]]

    def held_out(self, fold: int, rows: np.ndarray) -> Table:
        table = self.table.rows(rows)
        return table if self.last is None else self.last[fold].transform(table)

    def of_folds(self, some: slice) -> TransformedRows:
        return self if self.last is None else replace(self, last=self.last[some])

    @property
    def scaling(self) -> list[tuple[np.ndarray, np.ndarray]] | None:
        """(shift, scale) of each fold; sparse rows are not shifted."""
        if self.last is None:
            return None
        sparse = self.table.is_sparse
        return [(0 * t.mean_ if sparse else t.mean_, t.scale_) for t in self.last]


def shared_transforms(
    steps: Steps, table: Table, folds: Sequence[np.ndarray], ignores_empty_columns: bool = False
) -> TransformedRows | None:
    """The rows and transforms that the folds, given by their held-out rows, share; None if they share no matrix."""
    if not ignores_empty_columns and fold_has_its_own(table, folds):
        return None
    common: list[Any] = []
    if (occurring := of_training_rows(table)) is not None:
        table = occurring.transform(table)
        common.append(occurring)
    for i, (name, options) in enumerate(steps):
        transform = new_transform(name, options)
        if i == len(steps) - 1 and hasattr(transform, "for_folds"):
            last = transform.for_folds(table, folds)
            return None if last is None else TransformedRows(table, common, last)
        if not (hasattr(transform, "same_for") and transform.same_for(table, folds)):
            return None
        table = transform.transform(table)
        common.append(transform)
    return TransformedRows(table, common, None)


def rows_of_folds(table: Table, transforms: Sequence[Sequence[Any]]) -> TransformedRows | None:
    """The rows and transforms that folds share, by their fitted transforms; None if they share no matrix."""
    steps = [list(step) for step in zip(*transforms, strict=True)]
    common = [step[0] for step in steps if all(one is step[0] for one in step)]
    own = steps[len(common) :]
    if len(own) > 1 or (own and not hasattr(own[0][0], "for_folds")):
        return None
    for transform in common:
        table = transform.transform(table)
    return TransformedRows(table, common, own[0] if own else None)
