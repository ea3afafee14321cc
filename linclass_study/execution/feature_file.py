"""The input of a run: features and classes of a data set, in one .npz file, with keys of its rows.

`reason` is not empty if the features cannot be computed for this data set; then there are no rows. `grid` has the same
features for a regular grid over the plane of the data set (data/plane.py), if it has one, so that runs can predict
its points.
"""

from __future__ import annotations

import hashlib
import json
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from linclass.base.arrays import hashes
from linclass.base.tables import Table
from linclass_study.data import dataset
from linclass_study.data.plane import plane
from linclass_study.files.reading import opened_npz, parsed_json
from linclass_study.files.writing import Path_, atomic_write

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

    def save(self, path: Path_) -> None:
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
        """What identifies the rows that a fit sees (RowDigests); of rows that stay in their file, their numbers."""
        numbers = np.arange(len(self.y), dtype=np.uint64)[:, None]
        rows = numbers if self.in_file else _keys(self.table)
        about = {"columns": _columns(self.table), "grid": "", "in_file": bool(self.in_file)}
        if self.grid.shape[0]:
            points = digest_of_bytes(_keys(self.grid).tobytes())
            about["grid"] = f"{points}-{len(self.axes[1])}x{len(self.axes[0])}"
        return {"row_keys": rows, "keys_about": _bytes(about)}

    @classmethod
    def load(cls, path: Path_) -> FeatureFile:
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


def axes_and_reason(path: Path_) -> tuple[Axes, str]:
    """(axes of the grid, reason), without reading the table."""
    with opened_npz(path) as arrays:
        return (arrays["x_axis"], arrays["y_axis"]), _read(arrays["text"])["reason"]


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
    return digest_of_bytes(_bytes(about | {"type": str(table.X.dtype)}).tobytes())


def digest_of_bytes(*parts: bytes) -> str:
    digest = hashlib.blake2b(digest_size=16)
    for part in parts:
        digest.update(len(part).to_bytes(8, "big"))
        digest.update(part)
    return digest.hexdigest()


def _arrays(name: str, table: Table) -> dict[str, np.ndarray]:
    about = _bytes(dataset.description(table))
    return {f"{name}_about": about, **dataset.matrix_arrays(table, f"{name}_")}


def _table(name: str, arrays: Any) -> Table:
    return dataset.read_table(arrays, _read(arrays[f"{name}_about"]), f"{name}_")


def _bytes(value: Any) -> np.ndarray:
    return np.frombuffer(json.dumps(value).encode(), dtype=np.uint8)


def _read(array: np.ndarray) -> Any:
    return parsed_json(array.tobytes())
