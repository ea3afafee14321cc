"""Results as data frames, for notebooks and scripts: `linclass_study.load_results("results")`."""

from __future__ import annotations

from functools import cached_property
from pathlib import Path
from typing import Any

import polars as pl

from linclass_study.analysis.study_file import refuse_later_format
from linclass_study.errors import StudyError, suggest_name
from linclass_study.files.reading import read_mapping, read_parquet, scan_parquet
from linclass_study.files.tables import frame

RUN_TABLES = ("predictions", "coefficients", "tuning", "paths", "traces")


def load_results(path: str | Path = "results") -> Results:
    """The results of a study in a folder; each table is read when it is used first.

    Examples
    --------
    >>> results = load_results("results")                       # doctest: +SKIP
    >>> results.scores.filter(metric="accuracy")                # doctest: +SKIP
    >>> results.predictions.filter(pl.col("method") == "lda").collect()    # doctest: +SKIP
    """
    folder = Path(path).expanduser()
    if not (folder / "study.json").is_file():
        raise StudyError(
            f"{folder}: no file study.json, so this is not the folder of a finished study; unpack an archive of "
            "`linclass publish` first"
        )
    results = Results(folder)
    refuse_later_format(folder / "study.json", results.study)
    return results


class Results:
    """A results folder. docs/results.md describes the tables, workflow/schemas/tables.yaml their columns.

    Attributes
    ----------
    study : dict
        The data sets, methods and settings of the study.
    verdict : dict
        The answer as data: best methods, ties, probabilities, what would decide the rest.
    scores : polars.DataFrame
        A row for each metric on each fold.
    fits : polars.DataFrame
        A row for each planned fit, failed ones included.
    predictions, coefficients, tuning, paths, traces : polars.LazyFrame
        Tables of all runs together; `collect()` reads them.
    """

    def __init__(self, folder: Path):
        self.folder = folder

    def __repr__(self) -> str:
        return f"load_results({str(self.folder)!r})"

    @cached_property
    def study(self) -> dict[str, Any]:
        return read_mapping(self.folder / "study.json")

    @cached_property
    def verdict(self) -> dict[str, Any]:
        return read_mapping(self.folder / "tables" / "verdict.json")

    @cached_property
    def scores(self) -> pl.DataFrame:
        return read_parquet(self.folder / "scores.parquet")

    @cached_property
    def fits(self) -> pl.DataFrame:
        return read_parquet(self.folder / "fits.parquet")

    def __getattr__(self, name: str) -> pl.LazyFrame:
        if name not in RUN_TABLES:
            raise AttributeError(f"results have no {name!r}; {suggest_name(name, dir(self))}")
        files = sorted(self.folder.glob(f"runs/*/*/{name}.parquet"))
        return pl.concat([frame(name).lazy(), *map(scan_parquet, files)], how="diagonal")

    def __dir__(self) -> list[str]:
        return [*super().__dir__(), *RUN_TABLES]

    @property
    def tables(self) -> list[str]:
        """Names of the tables of the page, for `table`."""
        return sorted(file.stem for file in (self.folder / "tables").glob("*.csv"))

    def table(self, name: str) -> pl.DataFrame:
        """A table of the page, such as 'ranks' or 'pairwise'."""
        path = self.folder / "tables" / f"{name}.csv"
        if not path.is_file():
            raise StudyError(f"{path} does not exist; {suggest_name(name, self.tables)}")
        return pl.read_csv(path, infer_schema_length=None)
