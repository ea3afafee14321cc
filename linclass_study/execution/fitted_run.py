"""The outcomes of a run's fits, read from its files, so that fits on which nothing has changed are not made again."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl

from linclass_study.execution import run_files
from linclass_study.execution.fit_details import GRID
from linclass_study.execution.run_files import Limits, Made, fits_made, recorded_run
from linclass_study.files.reading import opened_npz, read_parquet
from linclass_study.files.tables import FIT, table_schema

OF_FIT = FIT[2:]  # protocol, repeat, fold
SECONDS, MEMORY, START = range(3)  # places in Made.limits


@dataclass(frozen=True)
class FittedRun:
    """A folder with the files of a run, its recorded_run, and when that was written.

    Another job may replace the files of a run of another method: reading them raises an OSError then.
    """

    folder: Path
    record: Mapping[str, Any]
    written: int

    @classmethod
    def read(cls, folder: Path) -> FittedRun | None:
        """None if the folder has no complete run that records its fits."""
        try:
            written = (folder / run_files.LAST).stat().st_mtime_ns
        except OSError:
            return None
        record = recorded_run(folder)
        return cls(folder, record, written) if record and record.get("made") else None

    @cached_property
    def made(self) -> list[Made]:
        return fits_made(self.record)

    @cached_property
    def place(self) -> dict[str, int]:
        """Key of a fit → its place in `rows`."""
        return {made.key: k for k, made in enumerate(self.made) if made.key}

    @cached_property
    def rows(self) -> list[dict[str, Any]]:
        rows = read_parquet(self.folder / run_files.LAST).to_dicts()
        self._require_unchanged()
        return rows

    def outcome(self, place: int) -> dict[str, Any] | None:
        """What the worker returned for a fit, but for columns of `rows`; None without predictions."""
        name = tuple(self.rows[place][column] for column in OF_FIT)
        predicted = self._table("predictions").get(name)
        if predicted is None:
            return None
        grid, margins = self._on_plane.get(place, (None, None))
        return {
            "y_true": predicted["y_true"].to_numpy(),
            "y_pred": predicted["y_pred"].to_numpy(),
            "score": _matrix(predicted["score"]),
            "log_proba": _matrix(predicted["log_proba"]),
            "grid": grid,
            "margins": margins,
            "kept": {
                table: dict(zip(own.columns, own.get_columns(), strict=True))
                for table in run_files.TABLES
                if (own := self._table(table).get(name)) is not None
            },
        }

    def _require_unchanged(self) -> None:
        if (self.folder / run_files.LAST).stat().st_mtime_ns != self.written:
            raise OSError(f"{self.folder} was written again")

    def _table(self, name: str) -> dict[tuple[Any, ...], pl.DataFrame]:
        """(protocol, repeat, fold) → its rows, without the columns that identify the fit."""
        return self._tables.get(name, {})

    @cached_property
    def _tables(self) -> dict[str, dict[tuple[Any, ...], pl.DataFrame]]:
        found = {}
        for name in ("predictions", *run_files.TABLES):
            path = self.folder / f"{name}.parquet"
            if path.exists():
                table = read_parquet(path).select(list(table_schema(name)))
                parts = table.drop("dataset", "method").partition_by(
                    OF_FIT, as_dict=True, include_key=False, maintain_order=True
                )
                found[name] = parts
        self._require_unchanged()
        return found

    @cached_property
    def _on_plane(self) -> dict[int, tuple[np.ndarray, np.ndarray | None]]:
        """Place of a fit → predicted classes on the plane, and margins."""
        path = self.folder / run_files.BOUNDARY
        if not path.exists():
            return {}
        with opened_npz(path) as arrays:
            labels, margins = arrays["labels"], arrays.get("margins")
        self._require_unchanged()
        drawn = [
            k
            for k, made in enumerate(self.made)
            if any(extra.startswith(GRID) for extra in made.extras)
        ]
        found = {}
        for place, own, k in zip(drawn, labels, range(len(drawn)), strict=True):
            known = margins is not None and not np.isnan(margins[k]).all()
            found[place] = own, (margins[k] if known else None)
        return found


def outcome_holds(row: Mapping[str, Any], then: Limits, now: Limits) -> bool:
    """Whether an outcome under the limits `then` is that under the limits `now`.

    One that a limit ended holds unless that limit was raised. Any other holds unless a limit was lowered to less than
    what was recorded: seconds of the fit and its predictions, memory of its process.
    """
    used = {
        name: row.get(name) or 0.0 for name in ("fit_seconds", "predict_seconds", "peak_rss_mb")
    }
    seconds = used["fit_seconds"] + used["predict_seconds"]
    if now[SECONDS] < then[SECONDS] and seconds > now[SECONDS]:
        return False
    if now[MEMORY] < then[MEMORY] and used["peak_rss_mb"] > now[MEMORY]:
        return False
    if row["status"] == "timeout":
        ended = SECONDS if used["fit_seconds"] else START
        return now[ended] <= then[ended]
    return row["status"] != "out_of_memory" or now[MEMORY] <= then[MEMORY]


def _matrix(lists: pl.Series) -> np.ndarray | None:
    """(rows, K) from lists of K numbers; None from nulls."""
    if lists.null_count():
        return None
    return lists.explode().to_numpy().reshape(len(lists), -1)
