"""Fits of earlier runs, so that fits on which nothing has changed are not made again.

store/{dataset}/{recipe}/{digest}/    the files of a run when another variant of the study took its place

`recipe` is the digest of what all fits of a run depend on (run_files.py), and the last digest is that of the keys of
its fits and their limits: no name of a method is part of it. Present runs are in runs/. The store has a size bound,
`limits.store_mb`; beyond it the least recently used runs are removed, at the end of a study.
"""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import astuple, dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl

from linclass_study.execution import run_files
from linclass_study.execution.records import Added
from linclass_study.execution.run_files import (
    GRID,
    LAST,
    OTHERS,
    Limits,
    Made,
    digest_of,
    fits_made,
    recorded_run,
)
from linclass_study.files import logs
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


FOLDER = "store"


class RunsOfDataset:
    """Runs on a data set whose fits may be used again, the present ones read once."""

    def __init__(self, results: Path, dataset: str):
        self.results, self.dataset = results, dataset

    def by_recipe(self, method: str, recipe: str) -> Iterator[FittedRun]:
        """Runs with fits by this recipe: of the method, stored ones, and of methods that have or had another name."""
        own = self.results / "runs" / self.dataset / method
        for folder in (own, *sorted(_place(self.results, self.dataset, recipe).glob("*/"))):
            yield from _runs(folder, recipe)
        for folder in self._present.get(recipe, ()):
            if folder != own:
                yield from _runs(folder, recipe)

    @cached_property
    def _present(self) -> dict[str, list[Path]]:
        """Recipe → folders of runs."""
        found: dict[str, list[Path]] = {}
        for folder in sorted((self.results / "runs" / self.dataset).glob("*/")):
            if run := FittedRun.read(folder):
                found.setdefault(run.record["recipe"], []).append(folder)
        return found


def _runs(folder: Path, recipe: str) -> Iterator[FittedRun]:
    run = FittedRun.read(folder)
    if run is not None and run.record["recipe"] == recipe:
        yield run


def replace(results: Path, dataset: str, method: str, added: Iterable[Added]) -> None:
    """Before a run with these outcomes is written: store the present one, if it has others."""
    run = FittedRun.read(results / "runs" / dataset / method)
    if run is None or _is_contained(run, added):
        return
    place = _place(results, dataset, run.record["recipe"])
    target = place / digest_of(sorted(map(astuple, run.made)))[:16]
    shutil.rmtree(target, ignore_errors=True)
    target.mkdir(parents=True)
    for name in (LAST, *OTHERS, logs.FAILED_LOG):  # the first marks a run as complete
        if (run.folder / name).exists():
            os.replace(run.folder / name, target / name)


def forget_contained(results: Path, dataset: str, recipe: str, added: Sequence[Added]) -> None:
    """Remove stored runs that a run with these outcomes contains."""
    for folder in _place(results, dataset, recipe).glob("*/"):
        run = FittedRun.read(folder)
        if run is None or _is_contained(run, added):
            remove(folder)


def _is_contained(run: FittedRun, added: Iterable[Added]) -> bool:
    """Whether others replace all outcomes of a run, with what was computed beside them.

    A timeout replaces no outcome of a higher limit.
    """
    there = {made.key: (row, made) for row, _, _, made in added}

    def is_replaced(one: Made) -> bool:
        if one.key not in there:
            return False
        row, made = there[one.key]
        return {*one.extras} <= {*made.extras} and outcome_holds(row, made.limits, one.limits)

    return all(is_replaced(one) for one in run.made if one.key)


def stored_runs(results: Path) -> list[Path]:
    """The folders of all stored runs, the one that was used last at the end."""
    folders = (results / FOLDER).glob("*/*/*/")
    return sorted(folders, key=lambda folder: (folder.stat().st_mtime_ns, folder))


def prune(results: Path, megabytes: float) -> int:
    """Remove stored runs, those first that were not used for the longest time, down to this size; return how many."""
    folders = stored_runs(results)
    sizes = [sum(file.stat().st_size for file in folder.iterdir()) for folder in folders]
    total, removed = sum(sizes), 0
    for folder, size in zip(folders, sizes, strict=True):
        if total <= megabytes * 1e6:
            break
        remove(folder)
        total, removed = total - size, removed + 1
    return removed


def remove(folder: Path) -> None:
    """Remove a stored run, and the folders above it that are empty then."""
    shutil.rmtree(folder, ignore_errors=True)
    with suppress(OSError):  # one that is not empty
        for parent in list(folder.parents)[:3]:  # the last is the store
            parent.rmdir()


def _place(results: Path, dataset: str, recipe: str) -> Path:
    return results / FOLDER / dataset / recipe
