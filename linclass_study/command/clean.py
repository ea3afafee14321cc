"""`linclass clean DIR`: remove runs, so that the next snakemake fits them again."""

from __future__ import annotations

import shutil
from collections.abc import Collection, Iterator
from pathlib import Path

import polars as pl

from linclass.counted import counted, first_names
from linclass_study.refusal import Refused
from linclass_study.results.mixed_environments import UNRECORDED
from linclass_study.runs.run_files import LAST
from linclass_study.study.lock import refuse_if_in_use

SHOWN = 20  # runs that are named


def remove_runs(results: Path, runs: Collection[str], environments: Collection[str]) -> list[str]:
    """Remove the runs dataset/method, and those with a fit of one of these environments; return their names."""
    if not (results / "runs").is_dir():
        raise Refused(f"{results} has no runs: give the folder of `results:` in the study")
    refuse_if_in_use(results)
    folders = {f"{path.parent.name}/{path.name}": path for path in results.glob("runs/*/*/")}
    if unknown := sorted(set(runs) - folders.keys()):
        raise Refused(f"{results} has no run {unknown[0]}; give --run as DATASET/METHOD")
    removed = [
        name
        for name, folder in sorted(folders.items())
        if name in runs or (environments and environments_of(folder) & {*environments})
    ]
    for name in removed:
        shutil.rmtree(folders[name])
    return removed


def environments_of(run: Path) -> set[str]:
    """Ids of the environments of the fits in a run's folder."""
    try:
        table = pl.read_parquet(run / LAST)
    except (OSError, pl.exceptions.PolarsError):  # unfinished: fitted again in any case
        return set()
    if "environment" not in table.columns:
        return {UNRECORDED}
    return {*table["environment"].fill_null(UNRECORDED)}


def clean_lines(removed: list[str]) -> Iterator[str]:
    """Output of the command, line by line."""
    names = first_names([name.replace("/", " × ") for name in removed], SHOWN)
    yield f"removed: {counted(len(removed), 'run')}" + (f" ({names})" if removed else "")
    if removed:
        yield "the study's snakemake command fits them again"
