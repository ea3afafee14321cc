"""`linclass merge A B … --into C`: merge results of different machines or authors into one folder with a report.

A run or fit that several results contain is taken from the first one. If its predictions differ elsewhere, the results
contradict each other, and nothing is written. Times measured on other machines are kept in times.parquet.
"""

from __future__ import annotations

import shutil
from collections.abc import Collection, Iterator, Sequence
from pathlib import Path
from typing import Any

import polars as pl

from linclass_study.analysis.times import UNKNOWN
from linclass_study.command.agreement import ROUNDING
from linclass_study.command.conflicts import Conflict, conflicts, made, runs_of, studying
from linclass_study.command.merged_study import MergedStudy, combined
from linclass_study.command.results_folder import ResultsFolder, Run
from linclass_study.command.unfinished_folder import unfinished_folder
from linclass_study.errors import StudyError
from linclass_study.execution import run_files
from linclass_study.execution.run_files import BOUNDARY
from linclass_study.files import tables as table_files
from linclass_study.files.tables import FIT, table_schema, write_table
from linclass_study.pipeline.own_metrics import require_trusted
from linclass_study.processes.environment import FOLDER as ENVIRONMENT


def write_inputs(sources: Sequence[ResultsFolder], merged: MergedStudy, folder: Path) -> None:
    """Write the merged data sets, folds, runs, times and environments."""
    for dataset in merged.datasets:
        _write_data(dataset, studying(dataset, sources), folder)
    spent = [table_files.frame("times")]
    for run, having in runs_of(sources).items():
        spent.append(_write_run(run, having, folder))
    times = pl.concat(spent)
    if times.height:
        write_table(times, "times", folder / "times.parquet")
    for source in sources:
        for file in sorted((source.folder / ENVIRONMENT).glob("*.json")):
            _copy(source, file, folder / ENVIRONMENT / file.name)


def _write_data(dataset: str, sources: Sequence[ResultsFolder], folder: Path) -> None:
    """Copy a data set from the first source in which it is available; rows only if figures need them."""
    abouts: list[tuple[ResultsFolder, dict[str, Any]]] = []
    abouts += [(s, about) for s in sources if (about := s.about(dataset)) is not None]
    if not abouts:
        raise StudyError(f"{sources[0].given}: data/{dataset}.json is missing")
    abouts.sort(key=lambda pair: pair[1]["status"] != "available")
    source, about = abouts[0]
    names = [f"data/{dataset}.json", f"folds/{dataset}.parquet"]
    names += [f"checks/{dataset}.json", f"checks/{dataset}.npz"]
    for name in [*names, *([f"data/{dataset}.npz"] if about.get("n_features") == 2 else [])]:
        if (source.folder / name).exists():
            _copy(source, source.folder / name, folder / name)


def _write_run(run: Run, sources: Sequence[ResultsFolder], folder: Path) -> pl.DataFrame:
    """Write one run; return the times of the same fits on other machines."""
    target = folder / "runs" / run[0] / run[1]
    first, *others = sources
    tables = [source.of_run("fits", run) for source in sources]
    fits = tables[0]
    predictions = own = first.of_run("predictions", run)
    for other, theirs in zip(others, tables[1:], strict=True):
        unmade = fits.join(made(fits), on=FIT, how="anti")
        better = made(theirs).join(unmade, on=FIT, how="semi")
        new = pl.concat([theirs.join(fits, on=FIT, how="anti"), better])
        if new.height:
            rows = other.of_run("predictions", run).join(new, on=FIT, how="semi")
            predictions = pl.concat([predictions, rows]) if rows.height else predictions
            fits = pl.concat([fits.join(new, on=FIT, how="anti"), new])
    write_table(fits.sort(FIT), "fits", target / "fits.parquet")
    whole = first.path(run, "predictions.parquet")
    if whole.exists() and predictions is own and _is_sorted(own):
        _copy(first, whole, target / "predictions.parquet")
    else:
        rows = predictions.sort(*FIT, maintain_order=True)
        write_table(rows, "predictions", target / "predictions.parquet")
    for name in run_files.TABLES:
        rows = table_files.frame(name)
        # of each fit, the first that kept it
        for source, theirs in zip(sources, tables, strict=True):
            own = source.of_run(name, run).join(made(theirs), on=FIT, how="semi")
            rows = pl.concat([rows, own.join(rows, on=FIT, how="anti")])
        if rows.height:
            rows = rows.sort(*FIT, maintain_order=True)
            write_table(rows, name, target / f"{name}.parquet")
    there = [(s, path) for s in sources if (path := s.path(run, BOUNDARY)).exists()]
    if there:
        _copy(*max(there, key=lambda pair: pair[1].stat().st_size), target / BOUNDARY)
    return _times(run, fits, [*tables, *(source.other_times for source in sources)])


def _is_sorted(rows: pl.DataFrame) -> bool:
    """Whether rows are sorted by fit, which files of other programs need not be."""
    fits = rows.select(FIT)
    return fits.equals(fits.sort(FIT))


def _times(run: Run, fits: pl.DataFrame, tables: Sequence[pl.DataFrame]) -> pl.DataFrame:
    """Times of each fit on machines other than that of its row in `fits`."""
    columns = list(table_schema("times"))
    machine = pl.col("machine").fill_null(UNKNOWN)
    known = fits.with_columns(machine)
    return (
        pl.concat(each.filter(dataset=run[0], method=run[1]).select(columns) for each in tables)
        .with_columns(machine)
        .filter(pl.col("fit_seconds").is_not_null())
        .unique([*FIT, "machine"], keep="first", maintain_order=True)
        .join(known, on=[*FIT, "machine"], how="anti")
        .join(known, on=FIT, how="semi")
    )


def _copy(results: ResultsFolder, source: Path, target: Path) -> None:
    """Copy a file that is whole, unless there is one already."""
    if not target.exists():
        results.require_whole(source)
        target.parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(source, target)


def merge(
    sources: Sequence[ResultsFolder],
    into: Path,
    tolerance: float = ROUNDING,
    trusted: Collection[str] = (),
) -> MergedStudy:
    """Write the merged folder with its tables, figures and page; `trusted` modules may be imported for metrics."""
    from linclass_study.command.derived_files import (
        write_derived,  # figures take a second to import
    )

    with unfinished_folder(into) as folder:
        merged = combined(sources, folder)
        found = conflicts(sources, merged, tolerance)
        if found:
            raise Conflict(found)
        require_trusted(merged.study.outcome.evaluation, trusted)
        write_inputs(sources, merged, folder)
        write_derived(merged, into)
    return merged


def merge_lines(sources: Sequence[ResultsFolder], merged: MergedStudy, into: str) -> Iterator[str]:
    """Output of the command, line by line."""
    having = runs_of(sources).values()
    several = sum(len(those) > 1 for those in having)
    places = "1 place" if len(sources) == 1 else f"{len(sources)} places"
    yield f"merged: {len(having):,} runs from {places}, {several:,} of them in several and equal"
    yield from (f"note: {note}; the report shows the first" for note in merged.notes)
    yield f"report: {into}/report.html"
