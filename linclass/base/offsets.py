"""Offsets: a known part of the scores,  Z = X Wᵀ + b + offset,  which no coefficient multiplies.

Exposure, a prior log-odds, or the scores of another model. A constant offset moves the intercept by its negative.
McCullagh & Nelder (1989), §2.2
"""

from __future__ import annotations

from typing import Any

import numpy as np

from linclass.base.arrays import Array, ArrayLike, PerRow
from linclass.base.parameters import arguments
from linclass.base.validation import row_weights


def row_offsets(offset: PerRow, shape: tuple[int, ...]) -> Array:
    """Finite float64 offsets, in the shape of the scores."""
    found = np.asarray(offset, dtype=np.float64)
    if found.shape != shape:
        each = "one per row" if len(shape) == 1 else "one per row and class"
        raise ValueError(f"offset has shape {found.shape}; it must be {shape}, {each}.")
    if not np.isfinite(found).all():
        bad = found[~np.isfinite(found)][0]
        raise ValueError(f"offset holds {bad:g}; offsets must be finite. Drop those rows.")
    return found


def offsets_of(offset: PerRow, sample_weight: PerRow, y: ArrayLike, K: int) -> Array:
    """The offsets (n,), or (n, K) of more than two classes, of the rows whose weight is not zero."""
    rows = len(np.asarray(y))
    found = row_offsets(offset, (rows,) if K == 2 else (rows, K))
    return found[row_weights(sample_weight, rows) > 0]


def kept_offsets(offset: PerRow, sample_weight: PerRow, y: ArrayLike) -> Array | None:
    """The same for a base estimator, which knows their form; None if there are none."""
    if offset is None:
        return None
    found, rows = np.asarray(offset, dtype=np.float64), len(np.asarray(y))
    if found.shape[:1] != (rows,):
        raise ValueError(f"offset has shape {found.shape}; it must have {rows} rows, as y.")
    return np.asarray(found[row_weights(sample_weight, rows) > 0])


def require_columns_of_classes(offset: Array | None, y: Array, kept: Array) -> None:
    """Raise ValueError if the kept rows lack a class that has a column of the offset."""
    if offset is None or offset.ndim == 1:
        return
    if lacking := sorted(set(y.tolist()) - set(y[kept].tolist())):
        raise ValueError(
            f"offset has a column of class {lacking[0]!r}, of which one fold holds every row; give folds that leave "
            "rows of each class to the others."
        )


def given_offset(offset: PerRow) -> dict[str, Any]:
    """The offset as an argument, if there is one: a subclass may define methods without it."""
    return {} if offset is None else {"offset": offset}


def offset_inside(
    model: Any, offset: PerRow, sample_weight: PerRow, y: ArrayLike
) -> dict[str, Any]:
    """The offset as an argument of the model's objectives, if there is one: not every model takes it."""
    return {} if offset is None else given_offset(model._offsets(offset, sample_weight, y))


def require_offsets_taken(method: Any) -> None:
    """Raise ValueError unless a method has the argument."""
    if "offset" not in arguments(method):
        from sklearn.base import is_regressor

        owner = getattr(method, "__self__", method)
        such = "LinearRegression" if is_regressor(owner) else "LogisticRegression"
        raise ValueError(
            f"{type(owner).__name__} takes no offset in {method.__name__}; generalized linear models do, such as "
            f"{such}."
        )


def offset_for(method: Any, offset: PerRow) -> dict[str, Any]:
    """The argument of an estimator's method, or ValueError if it takes none; nothing if there is no offset."""
    if offset is not None:
        require_offsets_taken(method)
    return given_offset(offset)
