"""A feature map by its import path: a function of the numeric columns, or of the table.

    def log_ratio(X, over=0, under=1)      X: float64, dense or CSR; returns a matrix with as many rows
    def log_ratio(table, over, under)      a first parameter called `table`: it gets a Table, and returns one

A map of single rows may run before the folds are split, one that looks at other rows would leak held-out rows into
training. So the features of a part of the rows are computed once more, alone, and must be the same.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping
from typing import Any

import numpy as np
from scipy import sparse

from linclass.base.messages import NotApplicable
from linclass.base.parts import import_object
from linclass.base.tables import Table
from linclass_study.pipeline.foreign_columns import beside_the_others

ALONE = 100  # rows that are computed once more
ROUNDING = 1e-9  # products of matrices round differently with the number of rows


def find_feature(path: str) -> Callable[..., Any]:
    """The function at an import path; ValueError with one sentence if it is no map of single rows."""
    found = import_object(path)
    if isinstance(found, type) or hasattr(found, "fit"):
        raise ValueError(
            f"'{path}' is fitted; list it under `transforms:`, which are fitted inside each fold"
        )
    if not callable(found):
        raise ValueError(f"'{path}' is not a function; give a function of the matrix X")
    return found


def apply_own_feature(path: str, table: Table, /, **options: Any) -> Table:
    """The features of every row; NotApplicable if they depend on other rows."""
    function = find_feature(path)
    made = _computed(function, path, table, options)
    some = np.arange(0, table.shape[0], max(2, table.shape[0] // ALONE))
    if not _equal(made.rows(some), _computed(function, path, table.rows(some), options)):
        raise NotApplicable(
            f"'{path}' gives a row different features when other rows change, so held-out rows would leak into "
            "training; make it a map of single rows, or a transform"
        )
    return made


def _computed(
    function: Callable[..., Any], path: str, table: Table, options: Mapping[str, Any]
) -> Table:
    if next(iter(inspect.signature(function).parameters), "") == "table":
        made = function(table, **options)
        if not isinstance(made, Table):
            raise ValueError(f"'{path}' returned {type(made).__name__}; it must return a Table")
        return made
    what = path.rpartition(".")[2]
    return beside_the_others(table, function(table.numeric().X.copy(), **options), None, what)


def _equal(among: Table, alone: Table) -> bool:
    if among.names != alone.names:
        return False
    A, B = (part.X.toarray() if sparse.issparse(part.X) else part.X for part in (among, alone))
    return A.shape == B.shape and np.allclose(A, B, rtol=ROUNDING, atol=ROUNDING, equal_nan=True)
