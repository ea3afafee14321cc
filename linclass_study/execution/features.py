"""The input of a run: features and classes of a data set, in one .npz file, with keys of its rows.

`reason` is not empty if the features cannot be computed for this data set; then there are no rows. `grid` has the same
features for a regular grid over the plane of the data set (pipeline/plane.py), if it has one, so that runs can predict
its points.
"""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np

from linclass.base.arrays import hashes
from linclass.base.messages import NotApplicable
from linclass.base.tables import Table
from linclass_study.data import table_arrays
from linclass_study.data.dataset import Dataset
from linclass_study.data.unavailable import first_line, one_line
from linclass_study.execution.folds import Planned
from linclass_study.files.reading import opened_npz, parsed_json
from linclass_study.files.writing import atomic_write
from linclass_study.pipeline.checked_steps import feature_map
from linclass_study.pipeline.method import named_steps
from linclass_study.pipeline.plane import plane

GRID = 121  # points along each axis of two features
CUT = 81  # points along each axis of a plane through more features
MARGIN = 0.08  # of the range, on each side
OUT = 0.005  # share of the rows that may lie beyond each side of a plane through more features


Axes = tuple[np.ndarray, np.ndarray]
NOWHERE = (np.empty(0), np.empty(0)), Table(np.empty((0, 0)), ())


@dataclass(frozen=True)
class FeatureFile:
    table: Table
    y: np.ndarray
    axes: Axes
    grid: Table
    reason: str = ""
    in_file: str = ""  # Parquet file that holds the rows; the table is then empty
    groups: np.ndarray | None = None  # group of each row

    def rows(self, index: np.ndarray) -> FeatureFile:
        """The rows with these numbers; the same file if they are all rows."""
        if len(index) == len(self.y):
            return self
        groups = None if self.groups is None else self.groups[index]
        return replace(self, table=self.table.rows(index), y=self.y[index], groups=groups)

    def save(self, path: str | os.PathLike[str]) -> None:
        arrays: dict[str, Any] = {
            "y": self.y,
            "x_axis": self.axes[0],
            "y_axis": self.axes[1],
            "text": _bytes({"reason": self.reason, "in_file": self.in_file}),
            **_arrays("table", self.table),
            **_arrays("grid", self.grid),
            **({} if self.groups is None else {"groups": self.groups}),
            **self._keys(),
        }
        with atomic_write(path) as partial, partial.open("wb") as file:
            np.savez(file, **arrays)

    def _keys(self) -> dict[str, np.ndarray]:
        """What identifies the rows that a fit sees (row_digests.py); of rows that stay in their file, their numbers."""
        rows = (
            np.arange(len(self.y), dtype=np.uint64)[:, None] if self.in_file else _keys(self.table)
        )
        about = {"columns": _columns(self.table), "grid": "", "in_file": bool(self.in_file)}
        if self.grid.shape[0]:
            points = digest_of_bytes(_keys(self.grid).tobytes())
            about["grid"] = f"{points}-{len(self.axes[1])}x{len(self.axes[0])}"
        return {"row_keys": rows, "keys_about": _bytes(about)}

    @classmethod
    def load(cls, path: str | os.PathLike[str]) -> FeatureFile:
        with opened_npz(path) as arrays:
            return cls(
                table=_table("table", arrays),
                y=arrays["y"],
                axes=(arrays["x_axis"], arrays["y_axis"]),
                grid=_table("grid", arrays),
                **_read(arrays["text"]),
                groups=arrays.get("groups"),
            )

    @classmethod
    def empty(cls, reason: str) -> FeatureFile:
        axes, nothing = NOWHERE
        return cls(nothing, np.empty(0, np.int32), axes, nothing, reason)


def axes_and_reason(path: str | os.PathLike[str]) -> tuple[Axes, str]:
    """(axes of the grid, reason), without reading the table."""
    with opened_npz(path) as arrays:
        return (arrays["x_axis"], arrays["y_axis"]), _read(arrays["text"])["reason"]


def grid(table: Table, y: np.ndarray) -> tuple[Axes, Table]:
    """(axes, all points of the grid) on the plane of the rows; both empty if there is no plane."""
    found = plane(table, y)
    if isinstance(found, str):
        return NOWHERE
    U = found.coordinates(table.X)
    if table.shape[1] == 2:
        (low, high), size = (U.min(axis=0), U.max(axis=0)), GRID
    else:
        (low, high), size = np.quantile(U, [OUT, 1 - OUT], axis=0), CUT
    margin = MARGIN * np.where(high > low, high - low, 1)
    x, y = (np.linspace(low[j] - margin[j], high[j] + margin[j], size) for j in (0, 1))
    points = np.stack(np.meshgrid(x, y), axis=-1).reshape(-1, 2)  # row by row of constant y
    return (x, y), replace(table, X=found.points(points))


def _keys(table: Table) -> np.ndarray:
    """128 bits for each row: equal for equal rows."""
    return np.column_stack([hashes(table.X, np.random.default_rng(seed)) for seed in (0, 1)])


def _columns(table: Table) -> str:
    """Digest of names, levels and type of the columns."""
    about = table_arrays.description(table) | {"shape": table.shape[1], "sparse": table.is_sparse}
    return digest_of_bytes(_bytes(about | {"type": str(table.X.dtype)}).tobytes())


def digest_of_bytes(*parts: bytes) -> str:
    found = hashlib.blake2b(digest_size=16)
    for part in parts:
        found.update(len(part).to_bytes(8, "big"))
        found.update(part)
    return found.hexdigest()


def _arrays(name: str, table: Table) -> dict[str, np.ndarray]:
    about = _bytes(table_arrays.description(table))
    return {f"{name}_about": about, **table_arrays.matrix_arrays(table, f"{name}_")}


def _table(name: str, arrays: Any) -> Table:
    return table_arrays.read_table(arrays, _read(arrays[f"{name}_about"]), f"{name}_")


def _bytes(value: Any) -> np.ndarray:
    return np.frombuffer(json.dumps(value).encode(), dtype=np.uint8)


def _read(array: np.ndarray) -> Any:
    return parsed_json(array.tobytes())


LARGEST = 5_000_000  # values in the features of a grid


def compute_features(data: Dataset, steps: Sequence[Any]) -> FeatureFile:
    """Features of every row, or the reason why they cannot be computed for this data set."""
    if data.in_file and steps:
        return FeatureFile.empty(
            "its rows stay in their file (parquet_blocks), without `features:`"
        )
    try:
        table = _applied(data.table, steps)
        axes, points = _grid(data, table.shape[1], steps)
    except NotApplicable as error:
        return FeatureFile.empty(one_line(error))
    except Exception as error:  # a user's feature map may fail; the study continues
        return FeatureFile.empty(f"its features cannot be computed ({first_line(error)})")
    return FeatureFile(table, data.y, axes, points, in_file=data.in_file, groups=data.groups)


def _grid(data: Dataset, width: int, steps: Sequence[Any]) -> tuple[Axes, Table]:
    """Grid on the plane of the training rows; empty if its features would be too many."""
    if data.in_file or width * CUT**2 > LARGEST:
        return NOWHERE
    train = data.split == 0
    axes, points = grid(data.table.rows(train), data.y[train])
    return axes, _applied(points, steps) if len(axes[0]) else points


def _applied(table: Table, entries: Sequence[Any]) -> Table:
    for name, options in named_steps(entries):
        table = feature_map(name)(table, **options)
    return table


class RowDigests:
    """Of the fits on one file of features.

    shared    what the fits depend on beside rows, such as costs
    content   digest of the data set, which stands for rows that stay in their file
    """

    def __init__(self, features: Path, shared: Any, content: str):
        with opened_npz(features) as arrays:
            about = parsed_json(arrays["keys_about"].tobytes())
            columns = [arrays["row_keys"], arrays["y"]]
            columns += [arrays["groups"]] if "groups" in arrays else []
        self.grid = str(about["grid"])
        self.rows = np.column_stack([np.asarray(column).astype(np.uint64) for column in columns])
        kind = about["columns"], self.rows.shape[1], content if about["in_file"] else ""
        self._shared = json.dumps([shared, kind], default=str).encode()
        self._known: dict[tuple[str, int, int], str] = {}

    def of_fit(self, planned: Planned) -> str:
        """Digest of the rows of a planned fit."""
        name = planned.protocol, planned.repeat, planned.fold
        if name not in self._known:
            used = planned.used
            if planned.is_leave_one_out:
                parts = [self.rows[used], planned.fold_of_row[used].astype(np.int64)]
            else:
                parts = [self.rows[planned.train], self.rows[planned.test]]
            self._known[name] = digest_of_bytes(self._shared, *(part.tobytes() for part in parts))
        return self._known[name]
