"""Outcomes of earlier fits that a run takes over, because nothing on which they depend has changed.

runs/{dataset}/{method}/unfinished.npz    outcomes of an interrupted run; deleted when the run's tables are written

A batch of outcomes is appended after ten seconds of work, so light runs never have this file, and a kill costs ten
seconds and the fit at which it comes. The file is a sequence of .npz files (records.py), each after its length in 8
bytes. Incomplete or invalid batches are ignored.
"""

from __future__ import annotations

import os
import time
from collections.abc import Iterable, Iterator, Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any

from linclass_study.errors import StudyError
from linclass_study.execution.fit_store import FittedRun, outcome_holds
from linclass_study.execution.records import Added, outcomes_from_bytes, outcomes_to_bytes
from linclass_study.execution.run_files import Limits, Made, without
from linclass_study.execution.slurm import kills
from linclass_study.files.logs import print_kept_log
from linclass_study.statuses import FITTED

UNFINISHED = "unfinished.npz"
LENGTH = 8  # bytes of the length of a batch
EVERY = 10.0  # seconds of work between two batches


class UnfinishedRun:
    """Outcomes by the keys of fits, which identify them. Only the process that holds the run's lock (compute.py) uses
    it."""

    def __init__(self, path: Path):
        self.path = path
        self.kept: dict[str, Added] = {}
        self._new: dict[str, Added] = {}
        self._whole = 0  # bytes of the file up to the last complete batch
        self._since, self._kills = time.monotonic(), kills()
        self._read()

    def get(self, key: str) -> Added | None:
        """An outcome that was kept before; None if there is none."""
        return self.kept.get(key)

    def keep(self, outcomes: Mapping[str, Added]) -> None:
        """Keep outcomes, unless the memory of this Slurm job did not suffice (slurm.py)."""
        self._new |= outcomes
        if time.monotonic() - self._since >= EVERY and kills() == self._kills:
            self._append()

    def forget(self) -> None:
        """Delete the file, as the run is complete."""
        self.path.unlink(missing_ok=True)

    def _read(self) -> None:
        if not self.path.exists():
            return
        with self.path.open("rb") as file, suppress(StudyError, IndexError, TypeError):
            size = os.fstat(file.fileno()).st_size
            while 0 < (length := int.from_bytes(file.read(LENGTH))) <= size:
                batch = outcomes_from_bytes(self.path, file.read(length)) or []
                self.kept |= {added[-1].key: added for added in batch}
                self._whole = file.tell()

    def _append(self) -> None:
        self.path.parent.mkdir(parents=True, exist_ok=True)
        with os.fdopen(os.open(self.path, os.O_RDWR | os.O_CREAT, 0o666), "r+b") as file:
            file.truncate(self._whole)
            file.seek(self._whole)
            batch = outcomes_to_bytes(self._new.values())
            file.write(len(batch).to_bytes(LENGTH) + batch)
            self._whole = file.tell()
        self._new, self._since = {}, time.monotonic()


# columns of its row, what the worker returned (None without predictions), how it came about
Outcome = tuple[dict[str, Any], dict[str, Any] | None, Made]


class EarlierFits:
    """Of runs with the recipe of an entry, read when they are needed, and of the run itself before it was interrupted.
    They must hold under the limits of the study."""

    def __init__(
        self,
        runs: Iterable[FittedRun] = (),
        entry: Mapping[str, Any] | None = None,
        limits: Limits = (0.0, 0.0, 0.0),
        unfinished: UnfinishedRun | None = None,
    ):
        self.entry, self.limits, self.unfinished = entry or {}, limits, unfinished
        self._waiting, self._read = iter(runs), list[FittedRun]()
        self._used = set[Path]()

    def find(self, key: str, extras: tuple[str, ...]) -> Outcome | None:
        """The outcome of a fit with what is computed beside it."""
        if self.unfinished and (added := self.unfinished.get(key)) is not None:
            row, _, given, made = added
            if made.extras == extras and outcome_holds(row, made.limits, self.limits):
                return row, given, made
        for run in self._runs() if key else ():
            # replaced or removed meanwhile, or not of our form
            with suppress(OSError, ValueError, LookupError, TypeError):
                place = run.place.get(key)
                if place is not None and (found := self._outcome(run, place, extras)):
                    return found
        return None

    def keep(self, new: Mapping[str, Added]) -> None:
        """Keep outcomes for the case that the run is interrupted."""
        if self.unfinished:
            self.unfinished.keep(new)

    def covering(self, folder: Path, made: list[Made]) -> FittedRun | None:
        """The run in this folder, if it has exactly these fits, so that its files are the ones asked for."""
        run = next(self._runs(), None)
        wanted = [(one.key, one.extras) for one in made if one.key]
        if run is None or run.folder != folder or len(wanted) < len(made):
            return None
        if [(one.key, one.extras) for one in run.made] != wanted:
            return None
        rows = zip(run.rows, run.made, strict=True)
        return (
            run if all(outcome_holds(row, own.limits, self.limits) for row, own in rows) else None
        )

    def _runs(self) -> Iterator[FittedRun]:
        yield from self._read
        for run in self._waiting:
            self._read.append(run)
            yield run

    def _outcome(self, run: FittedRun, place: int, extras: tuple[str, ...]) -> Outcome | None:
        row, made = run.rows[place], run.made[place]
        if not outcome_holds(row, made.limits, self.limits):
            return None
        given = run.outcome(place)
        if given is None and row["status"] in FITTED:
            return None
        if given is not None:
            kept = without(given["kept"], made.extras, extras, self.entry)
            if kept is None:
                return None
            given["kept"] = kept
        if run.folder not in self._used:
            self._used.add(run.folder)
            os.utime(
                run.folder
            )  # of stored runs, those go first that were not used for the longest time
            print_kept_log(run.folder)
        return row, given, Made(made.key, made.limits, extras)
