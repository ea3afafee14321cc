"""Rows as users have them, an array, a sparse matrix or a data frame of pandas or Polars, as a `Table`.

A column of text, and one of pandas' categories, is categorical: X holds the index of its level. Levels are in the order
of the categories, else sorted. None, NA and NaN are missing values.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from numbers import Real
from typing import Any

import numpy as np
from scipy import sparse

from linclass.base.arrays import MatrixLike
from linclass.base.messages import NotApplicable
from linclass.base.tables import Table
from linclass.base.validation import feature_names, is_missing, matrix

Levels = Mapping[str, Sequence[str]]


def table_of_rows(
    X: MatrixLike, owner: str, texts: Collection[str] = (), known: Levels | None = None
) -> Table:
    """The table of these rows.

    `texts` names the columns of texts. `known` has the levels of the training rows' categorical columns: they keep
    their indices, new levels follow them, and all other columns are numbers.
    """
    is_frame = hasattr(X, "columns") and not sparse.issparse(X)
    rows: Any = X if is_frame or sparse.issparse(X) else np.asarray(X)
    has_columns = is_frame or (rows.dtype.kind in "OUST" and rows.ndim == 2)
    d = len(rows.columns) if is_frame else rows.shape[-1] if rows.ndim else 0
    given = feature_names(X)
    names = tuple(f"x{j}" for j in range(d)) if given is None else tuple(map(str, given))
    _refuse_names(names, texts)
    if not has_columns:
        return Table(matrix(X, owner=owner, gaps=True), names)
    levels: dict[str, tuple[str, ...]] = {}
    numbers = np.empty((len(rows), d))
    for j, (name, column) in enumerate(zip(names, _columns(rows, is_frame), strict=True)):
        categorical = True if name in texts else None if known is None else name in known
        numbers[:, j], own = _coded(column, name, categorical, (known or {}).get(name, ()))
        if own is not None:
            levels[name] = own
    return Table(matrix(numbers, owner=owner, gaps=True), names, levels, frozenset(texts))


def _refuse_names(names: Sequence[str], texts: Collection[str]) -> None:
    if len({*names}) < len(names):
        twice = next(name for name in names if names.count(name) > 1)
        raise ValueError(f"two columns are called {twice!r}; rename one of them.")
    if missing := sorted({*texts} - {*names}):
        raise ValueError(f"texts names {missing[0]!r}, which is not a column; correct the name.")


def _columns(rows: Any, is_frame: bool) -> Iterator[Any]:
    yield from (rows[key] for key in rows.columns) if is_frame else rows.T


def _coded(
    column: Any, name: str, categorical: bool | None, known: Sequence[str]
) -> tuple[np.ndarray, tuple[str, ...] | None]:
    """(numbers, None), or (indices of levels, the levels); `categorical` is None if the entries decide."""
    values = np.asarray(column)
    categories = getattr(getattr(column, "cat", None), "categories", None)
    if callable(categories) or categories is None:  # Polars' are texts
        categories = ()
    if values.dtype.kind in "biuf" and not categorical and not len(categories):
        return values.astype(np.float64), None
    if values.dtype.kind not in "biufOUST":
        raise NotApplicable(f"column {name!r} holds {values.dtype}; convert it to numbers or text.")
    entries = [None if is_missing(entry) else entry for entry in values.tolist()]
    present = {entry for entry in entries if entry is not None}
    if not len(categories) and not categorical and all(isinstance(v, Real) for v in present):
        return np.array([np.nan if v is None else float(v) for v in entries]), None
    if categorical is False:
        raise NotApplicable(f"column {name!r} holds text; in the training rows it held numbers.")
    if categorical is None and not len(categories) and not all(isinstance(v, str) for v in present):
        kinds = " and ".join(sorted({type(v).__name__ for v in present}))
        raise NotApplicable(f"column {name!r} mixes {kinds}; convert it to numbers or text.")
    shown = [*map(str, categories)] or sorted(map(str, present))
    levels = (*known, *(level for level in shown if level not in {*known}))
    index = {level: float(number) for number, level in enumerate(levels)}
    return np.array([np.nan if v is None else index[str(v)] for v in entries]), levels
