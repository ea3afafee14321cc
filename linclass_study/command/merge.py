"""`linclass merge A B … --into C`: merge results of different machines or authors into one folder with a report.

A run or fit that several results contain is taken from the first one with predictions. If they differ elsewhere, or the
scores where there are no predictions, the results contradict each other, and nothing is written. Fits and scores of
runs without predictions are taken as they are. Times measured on other machines are kept in times.parquet. The folder
is written whole or not at all, even if its process is killed.
"""

from __future__ import annotations

import fcntl
import os
import shutil
from collections.abc import Collection, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import polars as pl

from linclass.base.messages import counted
from linclass_study.analysis.outcome import UNKNOWN, Outcome
from linclass_study.analysis.study_file import StudyDescription
from linclass_study.command.results_folder import FOLDS_DIGEST, ResultsFolder, Run
from linclass_study.command.verify import (
    DIFFERENCE_TOLERANCE,
    compare_predicted,
    data_differences,
    differing,
)
from linclass_study.entries import without_label
from linclass_study.errors import StudyError
from linclass_study.execution import run_files
from linclass_study.execution.run_files import BOUNDARY
from linclass_study.files import tables as table_files
from linclass_study.files.environment import FOLDER as ENVIRONMENT
from linclass_study.files.tables import FIT, table_schema, write_table
from linclass_study.files.writing import write_json
from linclass_study.protocols import require_trusted
from linclass_study.statuses import FITTED


@contextmanager
def unfinished_folder(into: Path) -> Iterator[Path]:
    """Context with a temporary folder beside `into`, which is renamed at the end.

    Its process holds a lock on it; what a killed process left behind is replaced.
    """
    if into.exists() and (not into.is_dir() or any(into.iterdir())):
        raise StudyError(f"{into} exists already; give --into a name that is free")
    partial = into.with_name(f".{into.name}.partial")
    partial.mkdir(parents=True, exist_ok=True)
    lock = os.open(partial, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW)
    try:
        fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        os.close(lock)
        raise StudyError(f"another merge is writing {into}; wait until it ends") from None
    except OSError:  # a file system without locks
        pass
    try:
        for left in partial.iterdir():
            shutil.rmtree(left) if left.is_dir() and not left.is_symlink() else left.unlink()
        yield partial
        os.replace(partial, into)
    finally:
        os.close(lock)
        shutil.rmtree(partial, ignore_errors=True)


# keys of the evaluation that do not affect predictions
REPORT_KEYS = ("rope", "metrics", "focus", "strata", "traces")


@dataclass(frozen=True)
class MergedStudy:
    """The study of the merged folder, its conflicts, and notes on permitted differences."""

    study: StudyDescription
    conflicts: list[str]
    notes: list[str]


def combined(sources: Sequence[ResultsFolder], folder: Path) -> MergedStudy:
    """Combine the studies of all sources into one in `folder`; among equal entries the first wins.

    The data sets of parts of a study get the order that they have in the whole.
    """
    first = sources[0].study.outcome
    datasets, methods = dict(first.datasets), dict(first.methods)
    parameters = dict(first.parameters)
    conflicts: list[str] = []
    notes: list[str] = []
    for source in sources[1:]:
        other = source.study.outcome
        names = sources[0].given, source.given
        for key, text in differing("evaluation.", first.evaluation, other.evaluation, names):
            (notes if key in REPORT_KEYS else conflicts).append(text)
        notes += [text for _, text in differing("limits.", first.limits, other.limits, names)]
        for name, entry in other.methods.items():
            if without_label(methods.setdefault(name, entry)) != without_label(entry):
                conflicts.append(f"method {name}: {source.given} has another entry of that name")
        datasets = datasets | {k: v for k, v in other.datasets.items() if k not in datasets}
        parameters = {**other.parameters, **parameters}
    whole = next((source.study.whole for source in sources if source.study.whole), ())
    order = [*(name for name in whole if name in datasets), *datasets]
    datasets = {name: datasets[name] for name in order}
    files, studies = _files(sources)
    outcome = Outcome(
        folder, datasets, methods, first.evaluation, first.limits, parameters, first.figure_style
    )
    missing = {*whole} - {*datasets}
    study = StudyDescription(outcome, files, studies, whole if missing else ())
    return MergedStudy(study, conflicts, notes)


def _files(sources: Sequence[ResultsFolder]) -> tuple[dict[str, str], list[list[str]]]:
    """(name → text of all files, file names of each study); files that differ under one name get a number."""
    files: dict[str, str] = {}
    studies: list[list[str]] = []
    for source in sources:
        renamed = {}
        for name, text in source.study.files.items():
            new, number = name, 2
            while files.setdefault(new, text) != text:
                new, number = f"{number}-{name}", number + 1
            renamed[name] = new
        studies += [[renamed[name] for name in study] for study in source.study.studies]
    return files, [study for i, study in enumerate(studies) if study not in studies[:i]]


SHOWN = 20  # contradictions that are listed; the others are counted


class Conflict(StudyError):
    """Results contradict each other; each line of the message is one contradiction."""

    def __init__(self, lines: Sequence[str]):
        rest = [f"… and {len(lines) - SHOWN:,} more"] if len(lines) > SHOWN else []
        super().__init__("\n".join([*lines[:SHOWN], *rest]))


def conflicts(sources: Sequence[ResultsFolder], merged: MergedStudy, tolerance: float) -> list[str]:
    """Contradictions between the results, one sentence each."""
    found = list(merged.conflicts)
    for dataset in merged.study.outcome.datasets:  # equal wherever it was available
        abouts = ((source, source.about(dataset)) for source in studying(dataset, sources))
        had = [source for source, about in abouts if about and about["status"] == "available"]
        for other in had[1:]:
            found += data_differences(dataset, had[0], other, (had[0].given, other.given))
    for run, having in runs_of(sources).items():
        pairs = ((one, two) for i, two in enumerate(having) for one in having[:i])
        sentences = (run_conflict(run, one, two, tolerance) for one, two in pairs)
        found += [f"{run[0]} × {run[1]}: {conflict}" for conflict in sentences if conflict]
    return found


def run_conflict(run: Run, a: ResultsFolder, b: ResultsFolder, tolerance: float) -> str:
    """Contradiction between two results in a run; '' if there is none."""
    fits = [s.run_table("fits", run) for s in (a, b)]
    for one, other in (fits, fits[::-1]):
        failed = other.filter(status="failed").join(made(one), on=FIT, how="semi")
        if failed.height:
            are = "is" if failed.height == 1 else "are"
            return (
                f"{counted(failed.height, 'fit')} that gave predictions in one of {a.given} and {b.given} "
                f"{are} 'failed' in the other ({failed['reason'][0]})"
            )
    if a.has_predictions(run) != b.has_predictions(run):
        full, bare = (a, b) if a.has_predictions(run) else (b, a)
        of_full = made(full.run_table("fits", run))
        only_bare = made(bare.run_table("fits", run)).join(of_full, FIT, "anti")
        if only_bare.height:
            lone = counted(only_bare.height, "fit")
            return f"{bare.given} has the scores of {lone} without predictions, which {full.given} lacks"
    both = made(fits[0]).join(made(fits[1]), on=FIT, how="semi")
    result = compare_predicted(run, a, b, both)
    return "" if result.within(tolerance) else f"{result.sentence()}; A = {a.given}, B = {b.given}"


def runs_of(sources: Sequence[ResultsFolder]) -> dict[Run, list[ResultsFolder]]:
    """Run → sources that contain it, in order."""
    having: dict[Run, list[ResultsFolder]] = {}
    for source in sources:
        for run in source.runs:
            having.setdefault(run, []).append(source)
    return dict(sorted(having.items()))


def made(fits: pl.DataFrame) -> pl.DataFrame:
    return fits.filter(pl.col("status").is_in(FITTED))


def studying(dataset: str, sources: Sequence[ResultsFolder]) -> list[ResultsFolder]:
    """Sources whose study contains the data set."""
    return [source for source in sources if dataset in source.study.outcome.datasets]


def write_inputs(sources: Sequence[ResultsFolder], merged: MergedStudy, folder: Path) -> None:
    """Write the merged data sets, folds, runs, times and environments."""
    for dataset in merged.study.outcome.datasets:
        _write_data(dataset, studying(dataset, sources), folder)
    spent = [table_files.frame("times")]
    bare: dict[str, list[pl.DataFrame]] = {}  # tables of the runs without predictions
    for run, having in runs_of(sources).items():
        spent.append(_write_run(run, having, folder, bare))
    for name, rows in bare.items():
        write_table(pl.concat(rows), name, folder / f"{name}.parquet")
    times = pl.concat(spent)
    if times.height:
        write_table(times, "times", folder / "times.parquet")
    for source in sources:
        for file in sorted((source.folder / ENVIRONMENT).glob("*.json")):
            _copy(source, file, folder / ENVIRONMENT / file.name)


def _write_data(dataset: str, sources: Sequence[ResultsFolder], folder: Path) -> None:
    """Copy a data set from the first source in which it is available; rows only if figures need them."""
    abouts = [(s, about) for s in sources if (about := s.about(dataset)) is not None]
    if not abouts:
        raise StudyError(f"{sources[0].given}: data/{dataset}.json is missing")
    folds = f"folds/{dataset}.parquet"
    abouts.sort(
        key=lambda pair: (pair[1]["status"] != "available", not (pair[0].folder / folds).exists())
    )
    source, about = abouts[0]
    names = [f"data/{dataset}.json", folds]
    if not source.predictions:
        digest = {FOLDS_DIGEST: source.folds_digest(dataset)}
        write_json(folder / names[0], about | digest)
        names = []
    names += [f"checks/{dataset}.json", f"checks/{dataset}.npz"]
    for name in [*names, *([f"data/{dataset}.npz"] if about.get("n_features") == 2 else [])]:
        if (source.folder / name).exists():
            _copy(source, source.folder / name, folder / name)


def _write_run(
    run: Run, having: Sequence[ResultsFolder], folder: Path, bare: dict[str, list[pl.DataFrame]]
) -> pl.DataFrame:
    """Write one run, or without predictions add its tables to those in `bare`; return the times of the same fits on
    other machines."""
    target = folder / "runs" / run[0] / run[1]
    every = [source.run_table("fits", run) for source in having]
    full = [source.has_predictions(run) for source in having]
    used = [i for i, one in enumerate(full) if one or not any(full)]
    sources, tables = [having[i] for i in used], [every[i] for i in used]
    first, *others = sources
    fits = tables[0]
    predictions = own = first.run_table("predictions", run)
    for other, theirs in zip(others, tables[1:], strict=True):
        unmade = fits.join(made(fits), on=FIT, how="anti")
        better = made(theirs).join(unmade, on=FIT, how="semi")
        new = pl.concat([theirs.join(fits, on=FIT, how="anti"), better])
        if new.height:
            rows = other.run_table("predictions", run).join(new, on=FIT, how="semi")
            predictions = pl.concat([predictions, rows]) if rows.height else predictions
            fits = pl.concat([fits.join(new, on=FIT, how="anti"), new])
    times = _times(run, fits, [*every, *(source.other_times for source in having)])
    if not any(full):
        for name, rows in _without_predictions(run, sources, tables, fits.sort(FIT)).items():
            bare.setdefault(name, []).append(rows)
        return times
    write_table(fits.sort(FIT), "fits", target / "fits.parquet")
    whole = first.path(run, "predictions.parquet")
    if whole.exists() and predictions is own and own.select(FIT).equals(own.select(FIT).sort(FIT)):
        _copy(first, whole, target / "predictions.parquet")
    else:
        rows = predictions.sort(*FIT, maintain_order=True)
        write_table(rows, "predictions", target / "predictions.parquet")
    for name in run_files.TABLES:
        rows = _of_first([source.run_table(name, run) for source in sources], tables)
        if rows.height:
            write_table(rows, name, target / f"{name}.parquet")
    there = [(s, path) for s in sources if (path := s.path(run, BOUNDARY)).exists()]
    if there:
        _copy(*max(there, key=lambda pair: pair[1].stat().st_size), target / BOUNDARY)
    return times


def _of_first(parts: Sequence[pl.DataFrame], fits: Sequence[pl.DataFrame]) -> pl.DataFrame:
    """Rows of each fit from the first source that has any; `fits` are the fits of each source."""
    rows = parts[0].clear()
    for own, theirs in zip(parts, fits, strict=True):
        of_made = own.join(made(theirs), on=FIT, how="semi")
        rows = pl.concat([rows, of_made.join(rows, on=FIT, how="anti")])
    return rows.sort(*FIT, maintain_order=True)


def _without_predictions(
    run: Run, sources: Sequence[ResultsFolder], tables: Sequence[pl.DataFrame], fits: pl.DataFrame
) -> dict[str, pl.DataFrame]:
    """Tables of a run without predictions; the digests are those of a source that made all its fits."""
    found = {
        name: _of_first([source.study_table(name, run) for source in sources], tables)
        for name in ("scores", "tuned")
    }
    wanted = made(fits).select(FIT)
    whole = (
        source.predicted(run)
        for source, theirs in zip(sources, tables, strict=True)
        if made(theirs).select(FIT).sort(FIT).equals(wanted)
    )
    known = next(whole, {})
    digests = [(*run, protocol, known.get(protocol)) for protocol in fits["protocol"].unique()]
    return {"fits": fits, "digests": table_files.frame("digests", sorted(digests))} | found


def _times(run: Run, fits: pl.DataFrame, tables: Sequence[pl.DataFrame]) -> pl.DataFrame:
    """Times of each fit on machines other than that of its row in `fits`."""
    columns, machine = list(table_schema("times")), pl.col("machine").fill_null(UNKNOWN)
    return (
        pl.concat(each.filter(dataset=run[0], method=run[1]).select(columns) for each in tables)
        .with_columns(machine)
        .filter(pl.col("fit_seconds").is_not_null())
        .unique([*FIT, "machine"], keep="first", maintain_order=True)
        .join(fits.with_columns(machine), on=[*FIT, "machine"], how="anti")
        .join(fits, on=FIT, how="semi")
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
    tolerance: float = DIFFERENCE_TOLERANCE,
    trusted: Collection[str] = (),
    place: Path | None = None,
) -> MergedStudy:
    """Write the merged folder with its tables, figures and page; `trusted` modules may be imported for metrics, and
    `place` is the folder that the answer names, by default `into`."""
    from linclass_study.command.derived_files import write_derived  # slow to import

    with unfinished_folder(into) as folder:
        merged = combined(sources, folder)
        found = conflicts(sources, merged, tolerance)
        if found:
            raise Conflict(found)
        require_trusted(merged.study.outcome.evaluation, trusted)
        write_inputs(sources, merged, folder)
        shared = [pair for source in sources for pair in source.shared_rows]
        write_derived(merged.study, place or into, shared)
    return merged


def merge_lines(sources: Sequence[ResultsFolder], merged: MergedStudy, into: str) -> Iterator[str]:
    """Output of the command, line by line."""
    having = runs_of(sources).values()
    several = sum(len(those) > 1 for those in having)
    places = "1 place" if len(sources) == 1 else f"{len(sources)} places"
    yield f"merged: {len(having):,} runs from {places}, {several:,} of them identical in several sources"
    yield from (f"note: {note}; the report shows the first" for note in merged.notes)
    for module in dict.fromkeys(name.partition("-")[2] for name in merged.study.files):
        # another version of the module was renamed
        if module.endswith(".py") and module in merged.study.files:
            yield f"note: {module} differs between the places, so one name may stand for two methods or metrics"
    yield f"report: {into}/report.html"
