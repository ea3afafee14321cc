"""Indicators:  x_j → ([x_j = level] for each declared level of column j): one-hot with declared levels.

    indicators: {levels: {housing: [rent, own, free], rate: [1, 2, 3, 4]}, drop: none}

Because the levels are declared, every data set and every fold has the same columns; the transform
`one_hot` takes the levels of the training rows instead. A missing value is missing in all of its
indicators; a value that is not declared is an error.
"""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
import scipy.sparse as sp

from linclass.base.messages import NotApplicable, require_memory
from linclass.base.parameters import is_list
from linclass.base.tables import Table, new_names


def apply(table: Table, levels: Mapping[str, Sequence[Any]], drop: str | None = "first") -> Table:
    """Replace columns by indicators of their declared levels.

    Parameters
    ----------
    table : Table
        Rows and the names of their columns.
    levels : dict
        Name of a column → its levels, at least two.
    drop : {'first', 'none'} or None, default='first'
        Whether the first level has no column; 'none' and None keep all levels.

    Returns
    -------
    Table
        The indicators take the place of their column.
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
        column = table.X[:, [j]]
        if name not in levels:
            pieces.append(column)
            names.append(name)
            continue
        declared = list(levels[name])
        values = column.toarray().ravel() if table.is_sparse else column.ravel()
        shown = _indicators(values, _numbers(table, name, declared), name, table.levels.get(name))
        pieces.append(sp.csr_array(shown[:, skipped:]) if table.is_sparse else shown[:, skipped:])
        shown_as = [f"{name}={level}" for level in declared[skipped:]]
        names += new_names([*table.names, *names], shown_as)
    X = sp.hstack(pieces, format="csr") if table.is_sparse else np.hstack(pieces)
    kept = {name: known for name, known in table.levels.items() if name not in levels}
    return replace(table, X=X, names=tuple(names), levels=kept)


def _numbers(table: Table, name: str, declared: list[Any]) -> np.ndarray:
    """The number of each declared level in the column; NaN for a level that no row has."""
    if name in table.levels:
        codes = {level: float(code) for code, level in enumerate(table.levels[name])}
        return np.array([codes.get(str(level), np.nan) for level in declared])
    try:
        return np.array(declared, dtype=np.float64)
    except (TypeError, ValueError):
        raise NotApplicable(
            f"indicators: column {name!r} holds numbers; {declared!r} are not numbers."
        ) from None


def _indicators(values: np.ndarray, numbers: np.ndarray, name: str, known: Any) -> np.ndarray:
    missing = np.isnan(values)
    unknown = ~missing & ~np.isin(values, numbers)
    if unknown.any():
        value = values[unknown.argmax()]
        shown = known[int(value)] if known else f"{value:g}"
        raise NotApplicable(f"indicators: column {name!r} holds {shown!r}; declare it, too.")
    equal = (values[:, None] == numbers).astype(np.float64)
    equal[missing] = np.nan
    return equal
