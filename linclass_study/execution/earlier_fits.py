"""Outcomes of earlier fits that a run takes over, because nothing on which they depend has changed."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any

from linclass_study.execution.fit_details import without
from linclass_study.execution.fitted_run import FittedRun, outcome_holds
from linclass_study.execution.kept_log import print_kept_log
from linclass_study.execution.records import Added
from linclass_study.execution.run_files import Limits, Made
from linclass_study.execution.unfinished_run import UnfinishedRun
from linclass_study.files.fit_statuses import FITTED

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
