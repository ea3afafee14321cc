"""The parts of an archive of results; the rows of the data sets are never included."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

from linclass_study.command.results_folder import ResultsFolder
from linclass_study.execution import run_files
from linclass_study.report.figure_files import lost_files


@dataclass(frozen=True)
class Part:
    """Files of the results folder that match `pattern`; `place` is their file or folder, and `what` describes it."""

    place: str
    pattern: str
    what: str
    private: bool = False  # may contain the author's home folder, which is replaced by ~


PARTS = (
    Part("report.html", "report.html", "the report: open it in a browser", True),
    Part("answer.txt", "answer.txt", "the answer in a few lines", True),
    Part("study.json", "study.json", "the configuration as resolved: every entry of the study", True),
    Part("environment/", "environment/*.json", "on what its fits were made, one file for each environment"),
    Part("data/", "data/*.json", "of each data set: sizes, classes, source and digest", True),
    Part("checks/", "checks/*.json", "what the checks of each data set found", True),
    Part("folds/", "folds/*.parquet", "which row is held out in which fold"),
    Part("runs/", "runs/{run}/*", "of each run: predictions, a row for each fit, coefficients …", True),
    Part("scores.csv", "scores.csv", "one metric on one fold"),
    Part("scores.parquet", "scores.parquet", "the same, as Parquet"),
    Part("fits.parquet", "fits.parquet", "every planned fit: status, reason, tuned values, seconds, machine", True),
    Part("times.parquet", "times.parquet", "of merged results: seconds of the same fits on other machines"),
    Part("tables/", "tables/*", "the tables of the report", True),
    Part("exhibits.json", "exhibits.json", "digests of the figures over all data sets, and why others are not drawn"),
    Part("exhibits/", "exhibits/*/*", "the figures with their numbers", True),
)  # fmt: skip
OF_RUN = (*run_files.OTHERS, run_files.LAST)
OF_EVERY_RUN = ("predictions.parquet", "fits.parquet")
PROMISED = (
    *("report.html", "study.json", "answer.txt", "scores.csv", "scores.parquet", "fits.parquet"),
    *("tables/summary.csv", "tables/datasets.csv", "tables/across.json", "exhibits.json"),
)


def archived_files(results: ResultsFolder) -> Iterator[tuple[str, Path, Part]]:
    """(name in the archive, path, part) of every file."""
    for part in PARTS:
        if part.place == "runs/":
            paths = [results.path(run, name) for run in results.runs for name in OF_RUN]
        else:
            paths = sorted(results.folder.glob(part.pattern))
        for path in paths:
            if path.is_file() and not path.name.endswith(".partial"):
                yield path.relative_to(results.folder).as_posix(), path, part


def missing_parts(results: ResultsFolder) -> str:
    """What is missing in an unfinished study, in a few words; '' if it is complete."""
    of_datasets = [place for name in results.datasets for place in _of_dataset(name)]
    figures = [
        f"exhibits/{file}"
        for dataset in ("", *results.datasets)
        for file in lost_files(results.folder, dataset)
    ]
    promised = (*PROMISED, *of_datasets, *figures)
    absent = [name for name in promised if not (results.folder / name).is_file()]
    lacks = [_files(absent)] if absent else []
    if "study.json" in absent:
        return lacks[0]
    study = results.study.outcome
    planned = [(dataset, method) for dataset in study.datasets for method in study.methods]
    unmade = [
        run
        for run in planned
        if not all(results.path(run, file).is_file() for file in OF_EVERY_RUN)
    ]
    merged = len(results.study.studies) > 1  # merged studies need not have every data set × method
    if unmade and not merged:
        first = " × ".join(unmade[0])
        lacks.append(f"{len(unmade):,} of {len(planned):,} runs are missing (first: {first})")
    return " and ".join(lacks)


def _files(absent: list[str]) -> str:
    """report.html is missing; 13 files are missing (first: report.html)"""
    if len(absent) == 1:
        return f"{absent[0]} is missing"
    return f"{len(absent):,} files are missing (first: {absent[0]})"


def _of_dataset(name: str) -> tuple[str, str]:
    return f"data/{name}.json", f"folds/{name}.parquet"


def written_on(results: ResultsFolder) -> datetime:
    """Time at which the report was written, or the current time."""
    report = results.folder / "report.html"
    moment = report.stat().st_mtime if report.exists() else datetime.now().timestamp()
    return datetime.fromtimestamp(int(moment), UTC)
