"""Digest of the content of a data set, independent of the file that it was read from."""

from __future__ import annotations

import hashlib
import json
from typing import Any

import numpy as np

from linclass.base.tables import Table


def content_digest(
    table: Table,
    y: np.ndarray,
    split: np.ndarray,
    classes: list[str],
    groups: np.ndarray | None = None,
) -> str:
    """sha256 of names, levels and classes, then of every array in canonical order."""
    about = {
        "classes": classes,
        "names": table.names,
        "levels": {name: table.levels[name] for name in sorted(table.levels)},
        "shape": [int(n) for n in table.shape],
    } | ({"texts": sorted(table.texts)} if table.texts else {})
    total = hashlib.sha256(json.dumps(about, ensure_ascii=False).encode())
    X = table.X
    values = (
        [(X.indptr, "<i4"), (X.indices, "<i4"), (X.data, "<f8")]
        if table.is_sparse
        else [(X, "<f8")]
    )
    arrays: list[tuple[Any, str]] = [(split, "<i1"), (y, "<i4"), *values]
    if groups is not None:
        arrays.append((groups, "<i4"))
    for array, kind in arrays:
        total.update(np.ascontiguousarray(array, dtype=kind).data)
    return f"sha256:{total.hexdigest()}"
