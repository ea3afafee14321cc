"""Features that choose columns, or code categories by declared levels."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from fnmatch import fnmatchcase
from typing import Any

import numpy as np
import scipy.sparse as sp

from linclass.base.messages import NotApplicable, first_names, require_memory
from linclass.base.parameters import is_list
from linclass.base.tables import Table, new_names
from linclass.preprocessing.features.base import documented_feature

SHOWN = 5  # columns in a message


@documented_feature
def select(table: Table, columns: Sequence[str] = ("*",)) -> Table:
    """Select: the columns whose names match a pattern, in their order; `*` stands for any characters.

        select: {columns: ["minilm.*", age]}

    With it, methods that use different columns of the same rows (words, an embedding, both) are compared on
    the same folds.

    Parameters
    ----------
    columns : sequence of str
        Names of columns, or patterns with `*`.
    """
    if not is_list(columns) or not len(columns):
        raise ValueError(f"select: columns is {columns!r}; give a list of names, perhaps with *.")
    patterns = list(map(str, columns))
    chosen = [any(fnmatchcase(name, pattern) for pattern in patterns) for name in table.names]
    for pattern in patterns:
        if not any(fnmatchcase(name, pattern) for name in table.names):
            known = first_names(table.names, SHOWN)
            raise NotApplicable(f"select: no column is called {pattern!r}; columns are {known}.")
    return table.columns(np.flatnonzero(chosen))


@documented_feature
def indicators(
    table: Table, levels: Mapping[str, Sequence[Any]], drop: str | None = "first"
) -> Table:
    """Indicators:  x_j → ([x_j = level] for each declared level of column j): one-hot with declared levels.

        indicators: {levels: {housing: [rent, own, free], rate: [1, 2, 3, 4]}, drop: none}

    Because the levels are declared, every data set and every fold has the same columns; the transform
    `one_hot` takes the levels of the training rows instead. A missing value is missing in all of its
    indicators; a value that is not declared is an error. The indicators take the place of their column.

    Parameters
    ----------
    levels : dict
        Name of a column → its levels, at least two.
    drop : {'first', 'none'} or None
        Whether the first level has no column; 'none' and None keep all levels.
    """
    if drop not in ("first", "none", None):
        raise ValueError(f"indicators: drop is {drop!r}; it must be 'first' or 'none'.")
    if not isinstance(levels, Mapping) or not levels:
        raise ValueError(f"indicators: levels is {levels!r}; give column → its levels.")
    for name, declared in levels.items():
        if not is_list(declared) or len({*map(str, declared)}) < max(len(declared), 2):
            raise ValueError(
                f"indicators: levels of {name!r} are {declared!r}; give two or more, all different."
            )
        if name not in table.names:
            raise NotApplicable(f"indicators: there is no column {name!r}; correct `levels:`.")
    skipped = 1 if drop == "first" else 0
    width = len(table.names) + sum(len(declared) for declared in levels.values())
    if not table.is_sparse:
        require_memory(8 * table.shape[0] * width * 2, f"indicators makes {width} dense columns")
    pieces: list[Any] = []
    names: list[str] = []
    for j, name in enumerate(table.names):
        if name not in levels:
            pieces.append(table.X[:, [j]])
            names.append(name)
            continue
        declared = list(levels[name])
        shown = _indicators(table, name, declared)[:, skipped:]
        pieces.append(sp.csr_array(shown) if table.is_sparse else shown)
        shown_as = [f"{name}={level}" for level in declared[skipped:]]
        names += new_names([*table.names, *names], shown_as)
    X = sp.hstack(pieces, format="csr") if table.is_sparse else np.hstack(pieces)
    kept = {name: known for name, known in table.levels.items() if name not in levels}
    return replace(table, X=X, names=tuple(names), levels=kept)


def _indicators(table: Table, name: str, declared: list[Any]) -> np.ndarray:
    """(n, declared levels), NaN where the value is missing."""
    values, known = table.column(table.names.index(name)), table.levels.get(name)
    if known:
        codes = {level: float(code) for code, level in enumerate(known)}
        numbers = np.array([codes.get(str(level), np.nan) for level in declared])
    else:
        try:
            numbers = np.array(declared, dtype=np.float64)
        except (TypeError, ValueError):
            raise NotApplicable(
                f"indicators: column {name!r} holds numbers; {declared!r} are not numbers."
            ) from None
    missing = np.isnan(values)
    unknown = ~missing & ~np.isin(values, numbers)
    if unknown.any():
        value = values[unknown.argmax()]
        shown = known[int(value)] if known else f"{value:g}"
        raise NotApplicable(f"indicators: column {name!r} holds {shown!r}; declare it, too.")
    equal = (values[:, None] == numbers).astype(np.float64)
    equal[missing] = np.nan
    return equal
