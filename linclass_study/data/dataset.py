"""A data set, and its two files."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from scipy import sparse

from linclass.base.tables import Table
from linclass_study.files.reading import json_of, opened_npz
from linclass_study.files.writing import Path_, json_array, write_json, write_npz

# A data set: rows in canonical order with their classes, the same from every source.


@dataclass
class Dataset:
    """Rows and class codes with their meaning; all empty for an unavailable data set."""

    table: Table
    y: np.ndarray  # (n,) int32, indices into classes
    split: np.ndarray  # (n,) int8, 0 train, 1 test; all 0 without an official split
    classes: list[str]
    positive: int = 0
    costs: list[list[float]] | None = None
    source: str = ""
    digest: str = ""
    attempts: list[dict[str, str]] = field(default_factory=list)
    bayes_error: tuple[float, float] | None = None  # of generated rows, with its standard error
    groups: np.ndarray | None = None  # (n,) int32, group of each row
    source_row: np.ndarray | None = None  # (n,) int64, row of the source or test set, from 0
    in_file: str = ""  # Parquet file that holds the rows; the table then has a shape, but no values


# A table as the arrays and the JSON of an .npz file, and back.

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
    if f"{prefix}X" in arrays:
        X = arrays[f"{prefix}X"]
    else:
        parts = tuple(arrays[f"{prefix}{part}"] for part in CSR)
        X = sparse.csr_array(parts, shape=tuple(about["shape"]))
    levels = {name: tuple(values) for name, values in about["levels"].items()}
    return Table(X, tuple(about["names"]), levels, frozenset(about["texts"]), about["words"])


# Save and load a data set: the arrays as .npz, a readable summary as .json.

MAX_LISTED_FEATURES = 1000  # with more features, the .json has their number instead of their names
OPTIONAL = ("groups", "source_row")  # arrays that not every data set has
KEPT = (
    "classes", "positive", "costs", "source", "digest", "attempts", "bayes_error", "in_file"
)  # fmt: skip


def save_dataset(data: Dataset, npz_path: Path_, json_path: Path_, why: str = "") -> None:
    """Save the arrays as .npz and the summary as .json; `why` states why the data set is unavailable."""
    table, (n, d) = data.table, map(int, data.table.shape)
    about = {key: getattr(data, key) for key in KEPT}
    arrays: dict[str, Any] = {**matrix_arrays(table), "y": data.y, "split": data.split}
    arrays |= {name: array for name in OPTIONAL if (array := getattr(data, name)) is not None}
    arrays["about"] = json_array(description(table) | about, allow_nan=False)
    write_npz(npz_path, arrays)
    bayes_error = data.bayes_error
    summary = {
        "status": "unavailable" if why else "available",
        "reason": why,
        "classes": data.classes,
        "class_counts": np.bincount(data.y, minlength=len(data.classes)).tolist(),
        "features": list(table.names) if d <= MAX_LISTED_FEATURES else d,
        "n_features": d,
        "positive": data.classes[data.positive] if data.classes else None,
        "rows": n,
        "test_rows": int(data.split.sum()),
        "groups": None if data.groups is None else len(np.unique(data.groups)),
        "sparse": table.is_sparse and not data.in_file,
        "texts": sorted(table.texts),
        **{key: about[key] for key in ("costs", "digest", "source", "attempts")},
        "bayes_error": bayes_error and dict(zip(("value", "within"), bayes_error, strict=True)),
    }
    write_json(json_path, summary)


def save_unavailable(why: str, npz_path: Path_, json_path: Path_) -> None:
    """Save an empty data set with the reason why it is unavailable."""
    nothing = Dataset(Table(np.empty((0, 0)), ()), np.empty(0, np.int32), np.empty(0, np.int8), [])
    save_dataset(nothing, npz_path, json_path, why)


def load_dataset(npz_path: Path_) -> Dataset:
    """Load a saved data set from its .npz, which is complete without the .json."""
    with opened_npz(npz_path) as arrays:
        about = json_of(arrays["about"])
        fields = {key: about[key] for key in KEPT} | {name: arrays.get(name) for name in OPTIONAL}
        if fields["bayes_error"] is not None:
            fields["bayes_error"] = tuple(fields["bayes_error"])
        return Dataset(read_table(arrays, about), arrays["y"], arrays["split"], **fields)


def load_classes(npz_path: Path_) -> Dataset:
    """Classes, groups and official split of a saved data set, without its features."""
    with opened_npz(npz_path) as arrays:
        y, split, groups = arrays["y"], arrays["split"], arrays.get("groups")
    return Dataset(Table(np.empty((len(y), 0)), ()), y, split, [], groups=groups)
