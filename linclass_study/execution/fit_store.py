"""Runs of earlier variants of a study, so that a variant that returns finds its fits.

store/{dataset}/{recipe}/{digest}/    the files of a run when another variant took its place

`recipe` is the digest of what all fits of a run depend on (run_spec.py), and the last digest is that of the keys of its
fits and their limits: no name of a method is part of it. What lies in runs/ is not here. The store has a size bound,
`limits.store_mb`; beyond it the runs that were not used for the longest time are removed, at the end of a study.
"""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterable, Iterator, Sequence
from contextlib import suppress
from dataclasses import astuple
from functools import cached_property
from pathlib import Path

from linclass_study.execution import kept_log
from linclass_study.execution.fitted_run import FittedRun, outcome_holds
from linclass_study.execution.records import Added
from linclass_study.execution.run_files import LAST, OTHERS, Made, digest_of

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
    for name in (LAST, *OTHERS, kept_log.FILE):  # the first marks a run as complete
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
