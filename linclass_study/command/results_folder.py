"""An untrusted results folder: every file is checked when it is read.

Unreadable files are refused in one line with the name that the user gave.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from reprlib import repr as brief
from typing import Any

import polars as pl

from linclass.evaluation import metrics
from linclass_study.analysis import study_file
from linclass_study.analysis.mixed_environments import MixedEnvironments, mixed_environments
from linclass_study.analysis.study_file import StudyDescription, read_study
from linclass_study.config.schema import load_schema, schema_problems
from linclass_study.errors import StudyError, suggest_name
from linclass_study.files import tables as table_files
from linclass_study.files.reading import (
    opened_npz,
    read_about,
    read_mapping,
    read_parquet,
    scan_parquet,
)
from linclass_study.files.tables import table_schema
from linclass_study.processes.environment import of_machines, recorded_environments

NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9_.+-]*\Z")  # of a data set or a method
FACTS = {"by_default": list, "fixed": dict, "limits": dict, "by_fit": dict}  # of parameters
LATER_KEYS = {"rope": 0, "cv_rows": "all"}  # keys of the evaluation that older results lack


def study_problems(study: StudyDescription) -> Iterator[tuple[str, str]]:
    """(key, sentence) of everything that is wrong."""
    outcome = study.outcome
    for kind in ("datasets", "methods"):
        entries = getattr(outcome, kind)
        if not entries:
            yield kind, "it is empty"
        for name, entry in entries.items():
            if not (isinstance(name, str) and NAME.match(name)):
                yield kind, f"{name!r} is not a valid name"
            if not isinstance(entry, dict):
                yield f"{kind}.{name}", f"{brief(entry)} is not a mapping"
    for name, place in outcome.positions.items():
        if type(place) is not int:
            yield f"positions.{name}", f"{brief(place)} is not a whole number"
    for name, facts in outcome.parameters.items():
        sound = isinstance(facts, dict) and all(
            isinstance(facts.get(key, kind()), kind) for key, kind in FACTS.items()
        )
        if not sound or not all(isinstance(v, list) for v in facts.get("limits", {}).values()):
            yield f"parameters.{name}", f"{brief(facts)} are not facts about parameters"
    for name, text in study.files.items():
        if not (isinstance(name, str) and isinstance(text, str)):
            yield f"files.{name}", "it is not text"
    for names in study.studies:
        for name in names:
            if not (isinstance(name, str) and name in study.files):
                yield "studies", f"there is no file {brief(name)}"
    yield from _evaluation_problems(outcome.evaluation)


def _evaluation_problems(evaluation: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    """What the schema of a study says, but for keys that other versions of linclass have."""
    known = load_schema("config")["properties"]["evaluation"]["properties"]
    own = LATER_KEYS | {key: value for key, value in evaluation.items() if key in known}
    for path, sentence in schema_problems("config", {"evaluation": own}):
        if path:  # else another part of a study is missing
            yield ".".join(map(str, path)), sentence
    metric = evaluation.get("tune_metric", "")
    if "." not in metric and metric not in metrics.names():
        yield (
            "evaluation.tune_metric",
            f"no metric '{metric}'; {suggest_name(metric, metrics.names())}",
        )


Run = tuple[str, str]  # data set, method


def _text(path: Path) -> None:
    path.read_text(encoding="utf-8")


def _mapping(path: Path) -> None:
    value = read_mapping(path)
    wanted = KEYS.get(path.parent.name, ()) if value.get("status") != "unavailable" else ()
    if lacks := [key for key in wanted if key not in value]:
        raise ValueError(f"it has no key '{lacks[0]}'")


def _arrays(path: Path) -> None:
    with opened_npz(path) as arrays:
        for name in arrays:
            arrays[name]


def _columns(path: Path) -> None:
    has = scan_parquet(path).collect_schema()
    name = "folds" if path.parent.name == "folds" else path.stem
    wanted = table_schema(name) if name in CHECKED else pl.Schema()
    if lacks := [column for column in wanted if column not in LATER_COLUMNS | {*has}]:
        raise ValueError(f"it has no column '{lacks[0]}'")
    for column, kind in wanted.items():
        if not _suits(has.get(column, kind), kind):
            raise ValueError(f"its column '{column}' is of type {has[column]}, not {kind}")


def _suits(kind: Any, wanted: Any) -> bool:
    """Whether values of a type can be those of another one; other programs write wider numbers."""
    if isinstance(kind, pl.List) and isinstance(wanted, pl.List):
        return _suits(kind.inner, wanted.inner)
    return kind in (wanted, pl.Null) or (kind.is_numeric() and wanted.is_numeric())


# columns that older results lack
LATER_COLUMNS = {"machine", "environment", "held_out", "features", "failure"}
SIZES = ("status", "rows", "classes", "sparse")
KEYS = {  # of available data, by folder
    "data": (*SIZES, "digest", "class_counts", "n_features", "positive", "source"),
    "checks": (*SIZES, "numeric", "categorical", "texts", "unchecked"),
}
CHECKED = ("folds", "fits", "predictions")  # tables whose columns are
READERS: dict[str, Callable[[Path], Any]] = {  # by suffix; all other files are texts
    ".parquet": _columns,
    ".npz": _arrays,
    ".json": _mapping,
    ".png": Path.read_bytes,
    ".pdf": Path.read_bytes,
}


@dataclass(frozen=True)
class ResultsFolder:
    """Results in `folder`; `given` is the user's name for it, or for the archive that was unpacked there."""

    given: str
    folder: Path

    @cached_property
    def runs(self) -> list[Run]:
        """All runs of the study that have fits or predictions, sorted by name."""
        files = [*self.folder.glob("runs/*/*/fits.parquet")]
        files += self.folder.glob("runs/*/*/predictions.parquet")
        found = sorted({(file.parent.parent.name, file.parent.name) for file in files})
        for name in {name for run in found for name in run}:
            if not NAME.match(name):
                raise StudyError(f"{self.given}: runs/ has {name!r}, which is not a valid run name")
        if not (self.folder / study_file.NAME).exists():
            return found
        study_outcome = self.study.outcome  # the folder may contain runs of an earlier study
        return [
            run
            for run in found
            if run[0] in study_outcome.datasets and run[1] in study_outcome.methods
        ]

    @cached_property
    def datasets(self) -> list[str]:
        """All data sets with runs."""
        return list(dict.fromkeys(dataset for dataset, _ in self.runs))

    @cached_property
    def study(self) -> study_file.StudyDescription:
        """The configuration of the study."""
        try:
            found = read_study(self.folder)
        except StudyError as refused:
            raise StudyError(str(refused).replace(str(self.folder), self.given)) from None
        for key, problem in study_problems(found):
            path = f"{self.given}/{study_file.NAME}"
            raise StudyError(
                f"{path} is not a valid study.json ({key}: {problem}): {study_file.REMEDY}"
            )
        return found

    @cached_property
    def environments(self) -> list[dict[str, str]]:
        """The environment of each machine that fitted."""
        try:
            return of_machines(self.folder)
        except (OSError, ValueError, KeyError, TypeError, AttributeError) as error:
            raise self.unreadable("environment/", error) from None

    @property
    def mixed_environments(self) -> MixedEnvironments | None:
        """Whether its fits were made in environments that may give different numbers."""
        columns = ("dataset", "method", "status", "environment")
        fits = [table_files.frame("fits"), *(self.run_table("fits", run) for run in self.runs)]
        _ = self.environments  # refuses unreadable files
        ranked = pl.concat([table.select(columns) for table in fits])
        return mixed_environments(ranked, recorded_environments(self.folder))

    @cached_property
    def other_times(self) -> pl.DataFrame:
        """Times of the fits of merged results on other machines."""
        path = self.folder / "times.parquet"
        return self.table("times", path) if path.exists() else table_files.frame("times")

    def path(self, run: Run, file: str) -> Path:
        return self.folder / "runs" / run[0] / run[1] / file

    def run_table(self, table: str, run: Run) -> pl.DataFrame:
        """The table `predictions`, `fits`, `coefficients`, … of a run; empty if there is no file."""
        path = self.path(run, f"{table}.parquet")
        if not path.exists():
            return table_files.frame(table)
        data = self.table(table, path)
        for column, name in zip(("dataset", "method"), run, strict=True):
            if (data[column] != name).fill_null(True).any():
                raise self.unreadable(path, f"column '{column}' is not '{name}' in every row")
        return data

    def table(self, name: str, path: Path) -> pl.DataFrame:
        """A Parquet file with the columns and types of the table `name`."""
        columns = table_schema(name)
        try:
            data = read_parquet(path)
            data = data.with_columns(
                pl.lit(None, columns[column]).alias(column)
                for column in LATER_COLUMNS & set(columns) - set(data.columns)
            )
            return data.select(list(columns)).cast(columns)
        except Exception as error:
            raise self.unreadable(path, error) from None

    def about(self, dataset: str) -> dict[str, Any] | None:
        """data/{dataset}.json, or None if it is missing."""
        path = self.folder / "data" / f"{dataset}.json"
        if not path.exists():
            return None
        try:
            about = read_about(path)
            about["status"], about["digest"]  # a KeyError if one is missing
            return about
        except (OSError, ValueError, KeyError, TypeError) as error:
            raise self.unreadable(path, error) from None

    def require_whole(self, path: Path) -> None:
        """Refuse a file that is cut short, or not what its name says; the values of tables are not read."""
        try:
            READERS.get(path.suffix, _text)(path)
        except Exception as error:
            raise self.unreadable(path, error) from None

    def unreadable(self, path: Path | str, error: BaseException | str) -> StudyError:
        name = path if isinstance(path, str) else path.relative_to(self.folder).as_posix()
        error = getattr(error, "error", error)
        kind = "" if isinstance(error, str) else f"{type(error).__name__}: "
        message = " ".join((str(error).strip().splitlines() or ["no reason was given"])[0].split())
        return StudyError(f"{self.given}: {name} cannot be read ({kind}{message[:200]})")
