"""A table as the arrays and the JSON of an .npz file, and back."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from scipy import sparse

from linclass.base.tables import Table

CSR = ("data", "indices", "indptr")


def matrix_arrays(table: Table, prefix: str = "") -> dict[str, np.ndarray]:
    """Name → array: the matrix, or the three arrays of a sparse one."""
    if table.is_sparse:
        return {f"{prefix}{part}": getattr(table.X, part) for part in CSR}
    return {f"{prefix}X": table.X}


def description(table: Table) -> dict[str, Any]:
    """All but the values, for JSON."""
    return {
        "names": table.names,
        "levels": dict(table.levels),
        "texts": sorted(table.texts),
        "words": table.words,
        "shape": [int(n) for n in table.shape],
    }


def read_table(arrays: Mapping[str, Any], about: Mapping[str, Any], prefix: str = "") -> Table:
    """The table of these arrays and this description."""
    if f"{prefix}X" in arrays:
        X = arrays[f"{prefix}X"]
    else:
        parts = tuple(arrays[f"{prefix}{part}"] for part in CSR)
        X = sparse.csr_array(parts, shape=tuple(about["shape"]))
    levels = {name: tuple(values) for name, values in about["levels"].items()}
    return Table(X, tuple(about["names"]), levels, frozenset(about["texts"]), about["words"])
