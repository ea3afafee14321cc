"""Entries that are neither numbers nor labels: dates and times, and missing values of any library."""

from __future__ import annotations

import re

import numpy as np

from linclass.annotations import MatrixLike

DATES = re.compile("date|time|duration|period", re.IGNORECASE)  # types of pandas and Polars


def dates_in(X: MatrixLike, array: np.ndarray) -> str:
    """'column 'born' holds datetime64[ns]', of X or its array; empty without dates, which NumPy takes for numbers."""
    if array.dtype.kind in "mM":
        return f"X holds {array.dtype}"
    kinds = zip(getattr(X, "columns", ()), getattr(X, "dtypes", ()), strict=False)
    return next((f"column {name!r} holds {k}" for name, k in kinds if DATES.match(str(k))), "")


def is_missing(entry: object) -> bool:
    """Whether it is None, NaN, or pandas' NA or NaT."""
    none = entry is None or type(entry).__name__ in ("NAType", "NaTType")
    return none or (isinstance(entry, float) and entry != entry)
