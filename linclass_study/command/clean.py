"""`linclass clean DIR`: empty the store of earlier fits, or remove runs, so that they are fitted again."""

from __future__ import annotations

import shutil
from collections.abc import Collection, Iterator, Sequence
from pathlib import Path

from linclass.base.messages import counted, first_names
from linclass_study.analysis.fit_problems import UNRECORDED
from linclass_study.errors import StudyError
from linclass_study.execution import fit_store
from linclass_study.execution.fit_store import FittedRun
from linclass_study.execution.locks import refuse_if_in_use
from linclass_study.execution.run_files import LAST
from linclass_study.files.reading import read_parquet, require_plain

SHOWN = 20  # runs that are named


def empty_store(results: Path) -> int:
    """Remove all runs of the store; return how many."""
    _require_results(results)
    return fit_store.prune(results, 0)


def remove_runs(
    results: Path, runs: Collection[str], environments: Collection[str]
) -> tuple[list[str], int]:
    """Remove the runs dataset/method, and those with a fit of one of these environments, also from the store; return
    their names, and how many runs of the store were removed."""
    _require_results(results)
    folders = {f"{path.parent.name}/{path.name}": path for path in results.glob("runs/*/*/")}
    if unknown := sorted(set(runs) - folders.keys()):
        raise StudyError(f"{results} has no run {unknown[0]}; give --run as DATASET/METHOD")
    removed = [
        name
        for name, folder in sorted(folders.items())
        if name in runs or not environments_of(folder).isdisjoint(environments)
    ]
    keys = {key for name in runs if (run := FittedRun.read(folders[name])) for key in run.place}
    stored = [
        folder
        for folder in fit_store.stored_runs(results)
        if _shares(folder, keys) or not environments_of(folder).isdisjoint(environments)
    ]
    for name in removed:
        shutil.rmtree(folders[name])
    for folder in stored:
        fit_store.remove(folder)
    return removed, len(stored)


def environments_of(run: Path) -> set[str]:
    """Ids of the environments of the fits in a run's folder."""
    try:
        table = read_parquet(run / LAST)
    except StudyError:  # unfinished: fitted again in any case
        return set()
    return {*table["environment"].fill_null(UNRECORDED)}


def _shares(folder: Path, keys: set[str]) -> bool:
    """Whether a stored run has one of these fits."""
    run = FittedRun.read(folder) if keys else None
    return run is not None and not run.place.keys().isdisjoint(keys)


def _require_results(results: Path) -> None:
    if not (results / "runs").is_dir():
        raise StudyError(f"{results} has no runs: give the folder of `results:` in the study")
    require_plain(results, str(results))
    refuse_if_in_use(results)


def clean_lines(removed: Sequence[str], stored: int) -> Iterator[str]:
    """Output of the command, line by line."""
    names = first_names([name.replace("/", " × ") for name in removed], SHOWN)
    if removed or not stored:
        yield f"removed: {counted(len(removed), 'run')}" + (f" ({names})" if names else "")
    if stored:
        yield f"removed: {counted(stored, 'run')} of earlier variants of the study"
    if removed:
        yield "the next run of the study fits them again"
