"""Fits of earlier runs, so that only fits that changed are repeated.

store/{dataset}/{recipe}/{digest}/    the files of a run when another variant of the study took its place

`recipe` is the digest of what all fits of a run depend on (run_files.py), and the last digest is that of the keys of
its fits and their limits: no name of a method is part of it. Present runs are in runs/. The store has a size bound,
`limits.store_mb`; beyond it the least recently used runs are removed, at the end of a study.
"""

from __future__ import annotations

import os
import shutil
import time
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import astuple, dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl

from linclass_study.entries import Entry
from linclass_study.errors import StudyError
from linclass_study.execution import run_files
from linclass_study.execution.slurm import kills
from linclass_study.files import logs
from linclass_study.files.logs import print_kept_log
from linclass_study.files.reading import opened_npz, read_parquet
from linclass_study.files.tables import FIT, table_schema
from linclass_study.statuses import FITTED

OF_FIT = FIT[2:]  # protocol, repeat, fold


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
        """The run in a folder; None without a complete run that records its fits."""
        try:
            written = (folder / run_files.LAST).stat().st_mtime_ns
        except OSError:
            return None
        record = run_files.recorded_run(folder)
        return cls(folder, record, written) if record and record["made"] else None

    @cached_property
    def made(self) -> list[run_files.Made]:
        return run_files.fits_made(self.record)

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
        fit = tuple(self.rows[place][column] for column in OF_FIT)
        tables = {name: of_fits[fit] for name, of_fits in self._tables.items() if fit in of_fits}
        predicted = tables.pop("predictions", None)
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
            "kept": {name: table.to_dict() for name, table in tables.items()},
        }

    def _require_unchanged(self) -> None:
        if (self.folder / run_files.LAST).stat().st_mtime_ns != self.written:
            raise OSError(f"{self.folder} was written again")

    @cached_property
    def _tables(self) -> dict[str, dict[tuple[Any, ...], pl.DataFrame]]:
        """Table → (protocol, repeat, fold) → its rows, without the columns that identify the fit."""
        tables = {}
        for name in ("predictions", *run_files.TABLES):
            path = self.folder / f"{name}.parquet"
            if path.exists():
                table = read_parquet(path).select(list(table_schema(name)))
                rows = table.drop("dataset", "method")
                tables[name] = rows.partition_by(OF_FIT, as_dict=True, include_key=False)
        self._require_unchanged()
        return tables

    @cached_property
    def _on_plane(self) -> dict[int, tuple[np.ndarray, np.ndarray | None]]:
        """Place of a fit → predicted classes on the plane, and margins."""
        path = self.folder / run_files.BOUNDARY
        if not path.exists():
            return {}
        with opened_npz(path) as arrays:
            labels, margins = arrays["labels"], arrays.get("margins")
        self._require_unchanged()
        drawn = [place for place, made in enumerate(self.made) if made.on_plane]
        on_plane: dict[int, tuple[np.ndarray, np.ndarray | None]] = {}
        for k, (place, classes) in enumerate(zip(drawn, labels, strict=True)):
            margins_of_fit = None if margins is None or np.isnan(margins[k]).all() else margins[k]
            on_plane[place] = classes, margins_of_fit
        return on_plane


def outcome_holds(row: Mapping[str, Any], then: run_files.Limits, now: run_files.Limits) -> bool:
    """Whether an outcome under the limits `then` is valid under the limits `now`.

    An outcome that a limit ended is valid unless that limit was raised. Any other is valid unless the fit took more
    time or memory than the new limits allow.
    """
    columns = ("fit_seconds", "predict_seconds", "peak_rss_mb")
    fit, predict, memory = (row.get(name) or 0.0 for name in columns)
    if now.seconds < then.seconds and fit + predict > now.seconds:
        return False
    if now.memory_mb < then.memory_mb and memory > now.memory_mb:
        return False
    if row["status"] == "timeout":  # a fit that has no time ended before it began
        return now.seconds <= then.seconds if fit else now.start_seconds <= then.start_seconds
    return row["status"] != "out_of_memory" or now.memory_mb <= then.memory_mb


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
        own_folder = self.results / "runs" / self.dataset / method

        def folders() -> Iterator[Path]:
            yield own_folder
            yield from sorted(_folder_of_recipe(self.results, self.dataset, recipe).glob("*/"))
            yield from (folder for folder in self._present.get(recipe, ()) if folder != own_folder)

        for folder in folders():
            run = FittedRun.read(folder)
            if run is not None and run.record["recipe"] == recipe:
                yield run

    @cached_property
    def _present(self) -> dict[str, list[Path]]:
        """Recipe → folders of runs."""
        folders: dict[str, list[Path]] = {}
        for folder in sorted((self.results / "runs" / self.dataset).glob("*/")):
            if run := FittedRun.read(folder):
                folders.setdefault(run.record["recipe"], []).append(folder)
        return folders


def replace(results: Path, dataset: str, method: str) -> None:
    """Before a run is written: store the present one, so that a full disk or a kill loses no fits."""
    run = FittedRun.read(results / "runs" / dataset / method)
    if run is None or not run.place:
        return
    place = _folder_of_recipe(results, dataset, run.record["recipe"])
    target = place / run_files.digest_of(sorted(map(astuple, run.made)))[:16]
    shutil.rmtree(target, ignore_errors=True)
    target.mkdir(parents=True)
    # the first marks a run as complete
    for name in (run_files.LAST, *run_files.OTHERS, logs.FAILED_LOG):
        if (run.folder / name).exists():
            os.replace(run.folder / name, target / name)


def forget_contained(
    results: Path, dataset: str, recipe: str, added: Sequence[run_files.Added]
) -> None:
    """Remove stored runs that a run with these outcomes contains."""
    for folder in _folder_of_recipe(results, dataset, recipe).glob("*/"):
        run = FittedRun.read(folder)
        if run is None or _is_contained(run, added):
            remove(folder)


def _is_contained(run: FittedRun, added: Iterable[run_files.Added]) -> bool:
    """Whether other outcomes replace all of a run, with their additional results.

    A timeout does not replace an outcome under a higher limit.
    """
    replacing = {made.key: (row, made) for row, _, _, made in added}

    def is_replaced(one: run_files.Made) -> bool:
        if one.key not in replacing:
            return False
        row, made = replacing[one.key]
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


def _folder_of_recipe(results: Path, dataset: str, recipe: str) -> Path:
    return results / FOLDER / dataset / recipe


# Outcomes of earlier fits that a run reuses, because their dependencies have not changed.
#
# runs/{dataset}/{method}/unfinished.npz    outcomes of an interrupted run; deleted when the run's tables are written
#
# A batch of outcomes is appended after ten seconds of work, so light runs never have this file, and a kill costs ten
# seconds and the fit at which it comes. The file is a sequence of .npz files (run_files.py), each after its length in 8
# bytes. Incomplete or invalid batches are ignored.

UNFINISHED = "unfinished.npz"
LENGTH = 8  # bytes of the length of a batch
EVERY = 10.0  # seconds of work between two batches


class UnfinishedRun:
    """Outcomes by the keys of fits, which identify them. Only the process that holds the run's lock (fit_jobs.py) uses
    it."""

    def __init__(self, path: Path):
        self.path = path
        self.kept: dict[str, run_files.Added] = {}
        self._new: dict[str, run_files.Added] = {}
        self._whole = 0  # bytes of the file up to the last complete batch
        self._since, self._kills = time.monotonic(), kills()
        if path.exists():
            with path.open("rb") as file, suppress(StudyError, IndexError, TypeError):
                size = os.fstat(file.fileno()).st_size
                while 0 < (length := int.from_bytes(file.read(LENGTH))) <= size:
                    batch = run_files.outcomes_from_bytes(path, file.read(length)) or []
                    self.kept |= {added[-1].key: added for added in batch}
                    self._whole = file.tell()

    def keep(self, outcomes: Mapping[str, run_files.Added]) -> None:
        """Keep outcomes, unless the memory of this Slurm job did not suffice (slurm.py)."""
        self._new |= outcomes
        if time.monotonic() - self._since < EVERY or kills() != self._kills:
            return
        self.path.parent.mkdir(parents=True, exist_ok=True)
        with os.fdopen(os.open(self.path, os.O_RDWR | os.O_CREAT, 0o666), "r+b") as file:
            file.truncate(self._whole)
            file.seek(self._whole)
            batch = run_files.outcomes_to_bytes(self._new.values())
            file.write(len(batch).to_bytes(LENGTH) + batch)
            self._whole = file.tell()
        self._new, self._since = {}, time.monotonic()

    def forget(self) -> None:
        """Delete the file, as the run is complete."""
        self.path.unlink(missing_ok=True)


# columns of its row, what the worker returned (None without predictions), how it came about
Outcome = tuple[dict[str, Any], dict[str, Any] | None, run_files.Made]


class EarlierFits:
    """Fits that hold under the limits of the study: of runs with the recipe of an entry, read when needed, and of the
    run itself before an interruption."""

    def __init__(
        self,
        runs: Iterable[FittedRun] = (),
        entry: Entry | None = None,
        limits: run_files.Limits = run_files.UNKNOWN,
        unfinished: UnfinishedRun | None = None,
    ):
        self.entry, self.limits, self.unfinished = entry or {}, limits, unfinished
        self._waiting, self._read = iter(runs), list[FittedRun]()
        self._used = set[Path]()

    def find(self, key: str, extras: tuple[str, ...]) -> Outcome | None:
        """The outcome of a fit with these additional results."""
        if self.unfinished and (added := self.unfinished.kept.get(key)) is not None:
            row, _, returned, made = added
            if made.extras == extras and outcome_holds(row, made.limits, self.limits):
                return row, returned, made
        for run in self._runs() if key else ():
            # replaced or removed meanwhile, or not of our form
            with suppress(OSError, ValueError, LookupError, TypeError):
                place = run.place.get(key)
                if place is not None and (outcome := self._outcome(run, place, extras)):
                    return outcome
        return None

    def keep(self, new: Mapping[str, run_files.Added]) -> None:
        """Keep outcomes for the case that the run is interrupted."""
        if self.unfinished:
            self.unfinished.keep(new)

    def _runs(self) -> Iterator[FittedRun]:
        yield from self._read
        for run in self._waiting:
            self._read.append(run)
            yield run

    def _outcome(self, run: FittedRun, place: int, extras: tuple[str, ...]) -> Outcome | None:
        row, made = run.rows[place], run.made[place]
        if not outcome_holds(row, made.limits, self.limits):
            return None
        returned = run.outcome(place)
        if returned is None and row["status"] in FITTED:
            return None
        if returned is not None:
            tables = run_files.without(returned["kept"], made.extras, extras, self.entry)
            if tables is None:
                return None
            returned["kept"] = tables
        if run.folder not in self._used:
            self._used.add(run.folder)
            os.utime(run.folder)  # the store forgets those first that were not used for longest
            print_kept_log(run.folder)
        return row, returned, run_files.Made(made.key, made.limits, extras)
