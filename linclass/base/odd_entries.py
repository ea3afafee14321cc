"""Entries that are no numbers: dates and times, text, and missing values of any library."""

from __future__ import annotations

import re
from reprlib import repr as brief

import numpy as np

from linclass.base.annotations import MatrixLike
from linclass.base.counted import counted

DATES = re.compile("date|time|duration|period", re.IGNORECASE)  # types of pandas and Polars


def dates_in(X: MatrixLike, array: np.ndarray) -> str:
    """'column 'born' holds datetime64[ns]', of X or its array; empty without dates, which NumPy takes for numbers."""
    if array.dtype.kind in "mM":
        return f"X holds {array.dtype}"
    kinds = zip(getattr(X, "columns", ()), getattr(X, "dtypes", ()), strict=False)
    return next((f"column {name!r} holds {k}" for name, k in kinds if DATES.match(str(k))), "")


def text_in(X: MatrixLike, array: np.ndarray) -> str:
    """'column 'city' holds text: 'Bern'', the first text of X or its array that is no number; empty without any."""
    names = list(getattr(X, "columns", range(array.shape[1])))
    for name, column in zip(names, array.T, strict=True):
        found = next((entry for entry in column if is_text(entry)), None)
        if found is not None:
            return f"column {name!r} holds text: {brief(str(found))}"
    return ""


def is_text(entry: object) -> bool:
    """Whether it is text that no number is read from, as '1.5' is."""
    if not isinstance(entry, str | bytes):
        return False
    try:
        float(entry)
    except ValueError:
        return True
    return False


def is_missing(entry: object) -> bool:
    """Whether it is None, NaN, NaT or pandas' NA."""
    none = entry is None or type(entry).__name__ in ("NAType", "NaTType")
    return none or bool(isinstance(entry, float | np.generic) and entry != entry)


def are_floats(y: np.ndarray) -> bool:
    """Whether an array of objects holds Python's floats, none of them NaN."""
    return all(isinstance(entry, float) and entry == entry for entry in y)


def numbers(y: np.ndarray) -> np.ndarray:
    """The targets of a regression as float64, or ValueError with the first that is no number."""
    try:
        return y.astype(np.float64)
    except (TypeError, ValueError):
        odd = next((entry for entry in y.ravel().tolist() if is_text(entry)), y.ravel()[0])
        raise ValueError(
            f"y holds {odd!r}; targets of a regression are numbers. For classes use a classifier."
        ) from None


def refuse_missing_labels(y: np.ndarray) -> None:
    """Raise ValueError if there are any, with their number."""
    if y.dtype.kind in "OmM" and (missing := sum(map(is_missing, y))):
        raise ValueError(
            f"Input y contains {counted(missing, 'missing label')}. Drop the rows without a target."
        ) from None
