"""The features of a method for a data set: the input of its runs, in one .npz file with keys of the rows.

`reason` is not empty if the features cannot be computed for this data set; then there are no rows. `grid` has the same
features for a regular grid over the plane of the data set (data/plane.py), if it has one, so that runs can predict
its points.
"""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from linclass.base.arrays import hashes
from linclass.base.messages import NotApplicable
from linclass.base.tables import Table
from linclass_study.data import dataset
from linclass_study.data.dataset import Dataset
from linclass_study.data.plane import plane
from linclass_study.entries import named_steps
from linclass_study.errors import first_line, one_line
from linclass_study.files.reading import json_of, opened_npz
from linclass_study.files.writing import Path_, json_array, write_npz
from linclass_study.pipeline.transforming import feature_map

GRID = 121  # points along each axis of two features
CUT = 81  # points along each axis of a plane through more features
MAX_GRID_VALUES = 5_000_000  # values in the features of a grid
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

    def save(self, path: Path_) -> None:
        arrays: dict[str, Any] = {
            "y": self.y,
            "x_axis": self.axes[0],
            "y_axis": self.axes[1],
            "text": json_array({"reason": self.reason, "in_file": self.in_file}),
            **_arrays("table", self.table),
            **_arrays("grid", self.grid),
            **({} if self.groups is None else {"groups": self.groups}),
            **self._keys(),
        }
        write_npz(path, arrays)

    def _keys(self) -> dict[str, np.ndarray]:
        """What identifies the rows that a fit sees (RowDigests); of rows that stay in their file, their numbers."""
        numbers = np.arange(len(self.y), dtype=np.uint64)[:, None]
        rows = numbers if self.in_file else _keys(self.table)
        about = {"columns": _columns(self.table), "grid": "", "in_file": bool(self.in_file)}
        if self.grid.shape[0]:
            points = digest_of_bytes(_keys(self.grid).tobytes())
            about["grid"] = f"{points}-{len(self.axes[1])}x{len(self.axes[0])}"
        return {"row_keys": rows, "keys_about": json_array(about)}

    @classmethod
    def load(cls, path: Path_) -> FeatureFile:
        with opened_npz(path) as arrays:
            return cls(
                table=_table("table", arrays),
                y=arrays["y"],
                axes=(arrays["x_axis"], arrays["y_axis"]),
                grid=_table("grid", arrays),
                **json_of(arrays["text"]),
                groups=arrays.get("groups"),
            )

    @classmethod
    def empty(cls, reason: str) -> FeatureFile:
        axes, nothing = NOWHERE
        return cls(nothing, np.empty(0, np.int32), axes, nothing, reason)


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
    if data.in_file or width * CUT**2 > MAX_GRID_VALUES:
        return NOWHERE
    train = data.split == 0 if data.split.any() else slice(None)
    axes, points = grid(data.table.rows(train), data.y[train])
    return axes, _applied(points, steps) if len(axes[0]) else points


def _applied(table: Table, entries: Sequence[Any]) -> Table:
    for name, options in named_steps(entries):
        table = feature_map(name)(table, **options)
    return table


def axes_and_reason(path: Path_) -> tuple[Axes, str]:
    """(axes of the grid, reason), without reading the table."""
    with opened_npz(path) as arrays:
        return (arrays["x_axis"], arrays["y_axis"]), json_of(arrays["text"])["reason"]


def grid(table: Table, y: np.ndarray) -> tuple[Axes, Table]:
    """(axes, all points of the grid) on the plane of the rows; both empty if there is no plane."""
    plane_of_rows = plane(table, y)
    if isinstance(plane_of_rows, str):
        return NOWHERE
    U = plane_of_rows.coordinates(table.X)
    if table.shape[1] == 2:
        (low, high), size = (U.min(axis=0), U.max(axis=0)), GRID
    else:
        (low, high), size = np.quantile(U, [OUT, 1 - OUT], axis=0), CUT
    margin = MARGIN * np.where(high > low, high - low, 1)
    x, y = (np.linspace(low[j] - margin[j], high[j] + margin[j], size) for j in (0, 1))
    points = np.stack(np.meshgrid(x, y), axis=-1).reshape(-1, 2)  # row by row of constant y
    return (x, y), replace(table, X=plane_of_rows.points(points))


def _keys(table: Table) -> np.ndarray:
    """128 bits for each row: equal for equal rows."""
    return np.column_stack([hashes(table.X, np.random.default_rng(seed)) for seed in (0, 1)])


def _columns(table: Table) -> str:
    """Digest of names, levels and type of the columns."""
    about = dataset.description(table) | {"shape": table.shape[1], "sparse": table.is_sparse}
    return digest_of_bytes(json_array(about | {"type": str(table.X.dtype)}).tobytes())


def digest_of_bytes(*parts: bytes) -> str:
    digest = hashlib.blake2b(digest_size=16)
    for part in parts:
        digest.update(len(part).to_bytes(8, "big"))
        digest.update(part)
    return digest.hexdigest()


def _arrays(name: str, table: Table) -> dict[str, np.ndarray]:
    about = json_array(dataset.description(table))
    return {f"{name}_about": about, **dataset.matrix_arrays(table, f"{name}_")}


def _table(name: str, arrays: Any) -> Table:
    return dataset.read_table(arrays, json_of(arrays[f"{name}_about"]), f"{name}_")
