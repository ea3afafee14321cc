"""What a run writes: its fits, predictions, traces and boundary, with their fixed columns."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl

from linclass_study import tables

IDENTITY = ("dataset", "method", "protocol", "repeat", "fold")


class Records:
    """Collects (row of fits, what the fit gave) pairs, fold by fold."""

    def __init__(self, axes: tuple[np.ndarray, np.ndarray]):
        self.axes = axes
        self.fits: list[dict[str, Any]] = []
        self.predictions: list[pl.DataFrame] = []
        self.traces: list[pl.DataFrame] = []
        self.labels: list[np.ndarray] = []

    def add(
        self, fit: dict[str, Any], test: np.ndarray, given: Mapping[str, Any] | None = None
    ) -> None:
        if given is not None:
            predictions = _predictions(fit, test, given)
            if given["trace"]:
                self.traces.append(_trace(fit, given["trace"]))
            self.predictions.append(predictions)
        self.fits.append({column: fit.get(column) for column in tables.schema("fits")})
        if fit["protocol"] == "cv" and not fit["repeat"] and len(self.axes[0]):
            grid = given["grid"] if given is not None else np.full(self.cells, -1)
            self.labels.append(
                np.asarray(grid, np.int8).reshape(len(self.axes[1]), len(self.axes[0]))
            )

    @property
    def cells(self) -> int:
        return len(self.axes[0]) * len(self.axes[1])

    def write(self, paths: Any) -> None:
        """paths.predictions, .fits, .traces and .boundary"""
        tables.write(tables.frame("fits", self.fits), "fits", paths.fits)
        for name, parts in (("predictions", self.predictions), ("traces", self.traces)):
            tables.write(pl.concat([tables.frame(name), *parts]), name, getattr(paths, name))
        _save(paths.boundary, self.axes, self.labels)


def _predictions(
    fit: Mapping[str, Any], test: np.ndarray, given: Mapping[str, Any]
) -> pl.DataFrame:
    log_proba = given["log_proba"]
    columns = {name: [fit[name]] * len(test) for name in IDENTITY} | {
        "row": test,
        "y_true": given["y_true"],
        "y_pred": given["y_pred"],
        "score": _lists(given["score"]),
        "log_proba": [None] * len(test) if log_proba is None else _lists(log_proba),
    }
    return pl.DataFrame(columns).cast(tables.schema("predictions"))


def _lists(matrix: np.ndarray) -> pl.Series:
    return pl.Series(np.ascontiguousarray(matrix, dtype=float)).cast(pl.List(pl.Float64))


def _trace(fit: Mapping[str, Any], steps: Iterable[Mapping[str, Any]]) -> pl.DataFrame:
    same = {name: fit[name] for name in IDENTITY}
    return tables.frame("traces", [same | {"step": i} | dict(s) for i, s in enumerate(steps)])


def _save(path: str, axes: tuple[np.ndarray, np.ndarray], labels: list[np.ndarray]) -> None:
    partial = Path(path).with_name(f"{Path(path).name}.{os.getpid()}.partial.npz")
    stack = np.stack(labels) if labels else np.empty((0, 0, 0), np.int8)
    np.savez_compressed(partial, x=axes[0], y=axes[1], labels=stack)
    os.replace(partial, path)
