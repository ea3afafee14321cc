"""A sequence of transforms: fitted to the training rows of one fold, or shared by several folds.

Folds can be fitted together only on one matrix. A transform may state that every fold would fit it alike (`same_for`),
as `impute` does if nothing is missing; the last one may be fitted for all folds at once (`for_folds`), as
`standardize` is from sums. Other transforms are fitted fold by fold.

First, columns of sparse rows without training rows are dropped. Folds that differ in these
columns are not fitted together, unless the classifier does not depend on them (`ignores_empty_columns`).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

import numpy as np
from scipy import sparse

from linclass.base import parts
from linclass.base.arrays import Matrix
from linclass.base.parameters import checks_of
from linclass.base.parts import find, import_class
from linclass.base.tables import Table
from linclass_study.entries import named_steps
from linclass_study.pipeline.foreign_steps import ForeignTransform, apply_own_feature, find_feature
from linclass_study.pipeline.method import Method, parameters

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
    if (occurring := columns_of_training_rows(table)) is None:
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
    if not ignores_empty_columns and (table.is_sparse or table.words):
        counts = _rows_of_columns(table.X)
        counts_held_out = (_rows_of_columns(table.X[rows]) for rows in folds)
        if any(((of_fold == counts) & (counts > 0)).any() for of_fold in counts_held_out):
            return None  # only the held-out rows of some fold have some column
    common: list[Any] = []
    if (occurring := columns_of_training_rows(table)) is not None:
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
    of_each_fold = steps[len(common) :]
    if len(of_each_fold) > 1 or (of_each_fold and not hasattr(of_each_fold[0][0], "for_folds")):
        return None
    for transform in common:
        table = transform.transform(table)
    return TransformedRows(table, common, of_each_fold[0] if of_each_fold else None)


# Columns of sparse rows without a nonzero value in the training rows are dropped from that fit.
#
# The columns of sparse rows, such as the words of all texts, depend on the held-out rows, and their number affects
# fits: naive Bayes smooths over all columns, and a kernel's γ and a shrunk covariance depend on it. So a column without
# training rows is dropped. The columns of dense rows do not depend on the rows unless they are words.


class OccurringColumns:
    """A transform that is fitted to training rows."""

    def __init__(self, kept: np.ndarray):
        self.kept_ = kept

    def transform(self, table: Table) -> Table:
        return table.columns(self.kept_)


def columns_of_training_rows(table: Table) -> OccurringColumns | None:
    """Columns with training rows; None if every column has, or if the columns do not depend on the rows."""
    if not (table.is_sparse or table.words):
        return None
    occurs = _rows_of_columns(table.X) > 0
    occurs[[table.names.index(name) for name in table.levels]] = True
    return None if occurs.all() or not occurs.any() else OccurringColumns(np.flatnonzero(occurs))


def _rows_of_columns(X: Matrix) -> np.ndarray:
    """Number of rows in which each column is not 0."""
    if sparse.issparse(X):
        return np.bincount(X.indices, minlength=X.shape[1])
    return np.count_nonzero(X, axis=0)


# Steps as users write them, [impute, {one_hot: {drop: none}}], with an error of one line for what does not exist.


def checked_steps(package: str, entries: Any) -> Iterator[tuple[str, dict[str, Any]]]:
    """(name, options) of each entry; ValueError for names and options that do not exist."""
    for entry in [entries] if isinstance(entries, str | Mapping) else entries:
        if not isinstance(entry, str) and not (isinstance(entry, Mapping) and len(entry) == 1):
            what = f"{package} has {entry!r}; give a name, or {{name: {{option: value}}}}."
            raise ValueError(what)
        ((name, options),) = named_steps([entry])
        is_import_path = "." in name
        if package == "transforms":
            step: Any = transform_class(name)
            params = [*parameters(step).values()]
        else:
            step = find_feature(name) if is_import_path else feature_map(name)
            params = [*parameters(step).values()][1:]  # the first is the table
        if not is_import_path or (params and all(p.kind is not p.VAR_KEYWORD for p in params)):
            names = [p.name for p in params]
            if unknown := sorted({*options} - {*names}):
                has = ", ".join(names) or "none"
                raise ValueError(f"{name} has no option {unknown[0]!r}; it has {has}.")
            needed = (p for p in params if p.default is p.empty and p.kind is not p.VAR_POSITIONAL)
            if missing := [p.name for p in needed if p.name not in options]:
                what = f"{name} needs {missing[0]}; give {{{name}: {{{missing[0]}: …}}}}."
                raise ValueError(what)
        if not is_import_path:
            init = step.__init__ if package == "transforms" else step
            for option, plain, check in checks_of(init):
                if option in options and type(options[option]) not in plain:
                    check(f"{name}: {option}", options[option])
        yield name, options


def feature_map(name: str) -> Callable[..., Table]:
    """The function of a feature; a name with a dot is the import path of a function."""
    if "." in name:
        return partial(apply_own_feature, name)
    return parts.find("features", name)
