"""Save and load a data set: the arrays as .npz, a readable summary as .json."""

from __future__ import annotations

import json
import os
from typing import Any

import numpy as np

from linclass.base.tables import Table
from linclass_study.data import table_arrays
from linclass_study.data.dataset import Dataset
from linclass_study.files.reading import opened_npz, parsed_json
from linclass_study.files.writing import atomic_write

MANY = 1000  # with more features, the .json has their number instead of their names
OPTIONAL = ("groups", "source_row")  # arrays that not every data set has
KEPT = ("classes", "positive", "costs", "source", "digest", "attempts", "in_file")


def save_dataset(
    data: Dataset, npz_path: str | os.PathLike[str], json_path: str | os.PathLike[str]
) -> None:
    """Save the arrays as .npz and the summary as .json."""
    about = {
        **table_arrays.description(data.table),
        "classes": data.classes,
        "positive": data.positive,
        "costs": data.costs,
        "source": data.source,
        "digest": data.digest,
        "attempts": data.attempts,
        "bayes_error": data.bayes_error,
        "in_file": data.in_file,
    }
    text = np.frombuffer(json.dumps(about, allow_nan=False).encode(), dtype=np.uint8)
    own = {name: getattr(data, name) for name in OPTIONAL if getattr(data, name) is not None}
    matrix = table_arrays.matrix_arrays(data.table)
    arrays: dict[str, Any] = {**matrix, "y": data.y, "split": data.split, "about": text, **own}
    with atomic_write(npz_path) as partial, partial.open("wb") as file:
        np.savez(file, **arrays)
    with atomic_write(json_path) as partial:
        partial.write_bytes(_summary(data, "available", ""))


def save_unavailable(
    reason: str, npz_path: str | os.PathLike[str], json_path: str | os.PathLike[str]
) -> None:
    """Save an empty data set with the reason why it is unavailable."""
    nothing = Dataset(Table(np.empty((0, 0)), ()), np.empty(0, np.int32), np.empty(0, np.int8), [])
    save_dataset(nothing, npz_path, json_path)
    with atomic_write(json_path) as partial:
        partial.write_bytes(_summary(nothing, "unavailable", reason))


def load_dataset(npz_path: str | os.PathLike[str]) -> Dataset:
    """Load a saved data set from its .npz, which is complete without the .json."""
    with opened_npz(npz_path) as arrays:
        about = parsed_json(arrays["about"].tobytes())
        y, split = arrays["y"], arrays["split"]
        own = {name: arrays.get(name) for name in OPTIONAL}
        table = table_arrays.read_table(arrays, about)
    kept = {key: about[key] for key in KEPT}
    drawn = about["bayes_error"]
    bayes_error = None if drawn is None else tuple(drawn)
    return Dataset(table, y, split, **kept, bayes_error=bayes_error, **own)


def load_classes(npz_path: str | os.PathLike[str]) -> Dataset:
    """Classes, groups and official split of a saved data set, without its features."""
    with opened_npz(npz_path) as arrays:
        y, split, groups = arrays["y"], arrays["split"], arrays.get("groups")
    return Dataset(Table(np.empty((len(y), 0)), ()), y, split, [], groups=groups)


def _summary(data: Dataset, status: str, reason: str) -> bytes:
    n, d = map(int, data.table.shape)
    about = {
        "status": status,
        "reason": reason,
        "classes": data.classes,
        "class_counts": np.bincount(data.y, minlength=len(data.classes)).tolist(),
        "features": list(data.table.names) if d <= MANY else d,
        "n_features": d,
        "positive": data.classes[data.positive] if data.classes else None,
        "rows": n,
        "test_rows": int(data.split.sum()),
        "groups": None if data.groups is None else len(np.unique(data.groups)),
        "sparse": data.table.is_sparse and not data.in_file,
        "texts": sorted(data.table.texts),
        "costs": data.costs,
        "digest": data.digest,
        "source": data.source,
        "attempts": data.attempts,
        "bayes_error": data.bayes_error
        and dict(zip(("value", "within"), data.bayes_error, strict=True)),
    }
    return (json.dumps(about, indent=1, ensure_ascii=False, allow_nan=False) + "\n").encode()
