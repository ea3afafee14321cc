"""The tables that a run writes (run_files.py lists them), and outcomes of fits as .npz files.

An .npz file of outcomes has arrays, and all else as JSON: reading it runs no code.
"""

from __future__ import annotations

import io
import json
from collections.abc import Iterable, Mapping
from dataclasses import astuple
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl

from linclass_study.execution import run_files
from linclass_study.execution.run_files import Made, fits_made
from linclass_study.files import tables as table_files
from linclass_study.files.reading import opened_npz, parsed_json
from linclass_study.files.tables import FIT, table_schema, write_table
from linclass_study.files.writing import atomic_write

NOT_FITTED = Made()
# columns of its row, its test rows, its results, how they came about: the arguments of Records.add
Added = tuple[dict[str, Any], np.ndarray, dict[str, Any] | None, Made]


class Records:
    """Collects the outcomes of fits, and makes the tables at the end."""

    def __init__(self, axes: tuple[np.ndarray, np.ndarray], on_plane: str):
        self.axes, self.on_plane = axes, on_plane
        self.fits: list[dict[str, Any]] = []
        self.parts: list[dict[str, Any]] = []
        self.tables: dict[str, list[tuple[dict[str, Any], dict[str, Any]]]] = {
            name: [] for name in run_files.TABLES
        }
        self.labels: list[np.ndarray] = []  # of the fits on the plane, and their margins
        self.margins: list[np.ndarray | None] = []
        self.added: list[Added] = []

    def add(
        self,
        fit: dict[str, Any],
        test: np.ndarray,
        given: dict[str, Any] | None = None,
        made: Made = NOT_FITTED,
    ) -> None:
        """Add a planned fit with its test rows; `given` are its results, None if it has none."""
        if given is not None:
            predictions = _predictions(fit, test, given)
            self.parts.append(predictions)
            for name, columns in given["kept"].items():
                if columns:
                    self.tables[name].append((fit, columns))
        self.added.append((fit, test, given, made))
        self.fits.append({column: fit.get(column) for column in table_schema("fits")})
        if fit["protocol"] == self.on_plane and not fit["repeat"] and len(self.axes[0]):
            shape = len(self.axes[1]), len(self.axes[0])
            grid = given["grid"] if given is not None else np.full(shape, -1)
            self.labels.append(np.asarray(grid, np.int16))
            self.margins.append(None if given is None else given["margins"])

    def table(self) -> pl.DataFrame:
        """Predictions of all folds, in one frame: a frame for each fold would cost more than most fits."""
        parts = self.parts
        if not parts:
            return table_files.frame("predictions")
        identity = pl.DataFrame([{name: part[name] for name in FIT} for part in parts])
        of_fold = np.repeat(np.arange(len(parts)), [len(part["row"]) for part in parts])
        columns = {
            name: np.concatenate([part[name] for part in parts])
            for name in ("row", "y_true", "y_pred")
        }
        known = np.array([part["log_proba"] is not None for part in parts])[of_fold]
        log_proba = [
            part["log_proba" if part["log_proba"] is not None else "score"] for part in parts
        ]
        table = identity[of_fold].with_columns(
            **{name: pl.Series(values) for name, values in columns.items()},
            score=_lists([part["score"] for part in parts]),
            log_proba=pl.when(pl.Series(known)).then(_lists(log_proba)),
        )
        return table.cast(table_schema("predictions"))

    @property
    def made(self) -> list[Made]:
        """How the outcomes came about."""
        return [made for *_, made in self.added]

    def reasons(self) -> list[str]:
        """Why fits have failed."""
        return [str(fit["reason"]) for fit in self.fits if fit["status"] == "failed"]

    def write(self, folder: Path, inputs: run_files.RunInputs) -> None:
        """Write the run's files. Empty tables are omitted, except for predictions. fits.parquet is deleted first and
        written last: it marks the run as complete."""
        (folder / run_files.LAST).unlink(missing_ok=True)
        write_table(self.table(), "predictions", folder / "predictions.parquet")
        for name, parts in self.tables.items():
            if parts:
                write_table(_joined(name, parts), name, folder / f"{name}.parquet")
        if self.labels:
            self._save_boundary(folder / run_files.BOUNDARY)
        empty = [f"{name}.parquet" for name, parts in self.tables.items() if not parts]
        for name in [*empty, *([] if self.labels else [run_files.BOUNDARY])]:
            (folder / name).unlink(missing_ok=True)
        fits = table_files.frame("fits", self.fits)
        described = run_files.described(folder, inputs, self.made)
        write_table(fits, "fits", folder / run_files.LAST, metadata=described)

    def _save_boundary(self, path: Path) -> None:
        arrays: dict[str, Any] = {
            "x": self.axes[0],
            "y": self.axes[1],
            "labels": np.stack(self.labels),
        }
        known = [margins for margins in self.margins if margins is not None]
        if known:
            none = np.full_like(known[0], np.nan)
            arrays["margins"] = np.stack([none if own is None else own for own in self.margins])
        with atomic_write(path) as partial, partial.open("wb") as file:
            np.savez_compressed(file, **arrays)


def _predictions(
    fit: Mapping[str, Any], test: np.ndarray, given: Mapping[str, Any]
) -> dict[str, Any]:
    """One fold's part of the table: its identity, and arrays with one element for each held-out row."""
    n, log_proba = len(test), given["log_proba"]
    part: dict[str, Any] = {name: fit[name] for name in FIT} | {
        "row": test,
        "y_true": np.asarray(given["y_true"], np.int32),
        "y_pred": np.asarray(given["y_pred"], np.int32),
        "score": np.asarray(given["score"], float),
        "log_proba": None if log_proba is None else np.asarray(log_proba, float),
    }
    shapes = {part["score"].shape, part["score"].shape if log_proba is None else log_proba.shape}
    if part["y_true"].shape != (n,) or part["y_pred"].shape != (n,) or len(shapes) > 1:
        raise ValueError(f"arrays of other shapes than {n} rows have")
    if part["score"].ndim != 2 or len(part["score"]) != n:
        raise ValueError(f"scores of shape {part['score'].shape} for {n} rows")
    return part


def _lists(matrices: list[np.ndarray]) -> pl.Series:
    return pl.Series(np.concatenate(matrices)).cast(pl.List(pl.Float64))


def _joined(name: str, parts: list[tuple[dict[str, Any], dict[str, Any]]]) -> pl.DataFrame:
    """One table from the parts of all fits."""
    of_fit = np.repeat(np.arange(len(parts)), [len(next(iter(own.values()))) for _, own in parts])
    identity = pl.DataFrame([{column: fit[column] for column in FIT} for fit, _ in parts])
    schema = table_schema(name)
    columns = {
        column: pl.concat([pl.Series(own[column], dtype=schema[column]) for _, own in parts])
        for column in schema
        if column not in FIT
    }
    return identity[of_fit].with_columns(**columns)


ARRAYS = ("y_true", "y_pred", "score", "log_proba", "grid", "margins")


def outcomes_to_bytes(outcomes: Iterable[Added] | None) -> bytes:
    """None, in place of outcomes that were not needed, is kept as such."""
    arrays: dict[str, np.ndarray] = {}
    about: list[Any] = []
    for number, (fit, test, given, made) in enumerate(outcomes or ()):
        arrays[f"{number}.test"] = test
        for name in ARRAYS:
            if given is not None and given[name] is not None:
                arrays[f"{number}.{name}"] = np.asarray(given[name])
        row = {column: fit.get(column) for column in table_schema("fits")}
        about.append([row, None if given is None else given["kept"], astuple(made)])
    text = json.dumps(None if outcomes is None else about, default=_plain)
    arrays["about"] = np.frombuffer(text.encode(), dtype=np.uint8)
    file = io.BytesIO()
    np.savez(file, **arrays)  # type: ignore[arg-type]
    return file.getvalue()


def outcomes_from_bytes(path: Path, content: bytes) -> list[Added] | None:
    """The outcomes of `content`, which was read from `path`."""
    with opened_npz(path, io.BytesIO(content)) as arrays:
        about = parsed_json(arrays["about"].tobytes())
        if about is None:
            return None
        found: list[Added] = []
        for number, (row, kept, made) in enumerate(about):
            known = {name: arrays.get(f"{number}.{name}") for name in ARRAYS} | {"kept": kept}
            given = None if kept is None else known
            found.append((row, arrays[f"{number}.test"], given, *fits_made({"made": [made]})))
        return found


def _plain(value: Any) -> Any:
    """An array, a column or a number of NumPy as JSON has it."""
    return value.to_list() if isinstance(value, pl.Series) else value.tolist()
