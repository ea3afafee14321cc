"""The files of a run belong together: its tables have the digests that its fits record, and it predicts in each fold
the rows that the folds hold out.
"""

from __future__ import annotations

from pathlib import Path

import polars as pl

from linclass_study.command.results_folder import ResultsFolder, Run
from linclass_study.errors import StudyError
from linclass_study.execution.run_files import KEY, LAST, OTHERS, digest_of_file
from linclass_study.files.reading import read_metadata

ROW_OF_FOLD = ["protocol", "repeat", "fold", "row"]
REMEDY = "it was changed or damaged since; delete it and run snakemake again"


def require_consistent(results: ResultsFolder) -> None:
    """Refuse a folder with a file that is not what the fits were made of, or not what they gave."""
    for dataset in results.datasets:
        folds = results.folder / "folds" / f"{dataset}.parquet"
        held_out = _held_out(results, folds) if folds.is_file() else None
        for run in (run for run in results.runs if run[0] == dataset):
            _require_recorded(results, run)
            if held_out is not None:
                _require_folds(results, run, held_out)


def _require_recorded(results: ResultsFolder, run: Run) -> None:
    """Refuse a table whose digest is not the recorded one; fits that were merged record none."""
    last = results.path(run, LAST)
    kept = read_metadata(last, KEY) if last.is_file() else None
    recorded = kept["files"] if kept else {}
    for name in OTHERS:
        path = results.path(run, name)
        if name in recorded and path.is_file() and digest_of_file(path) != recorded[name]["digest"]:
            raise StudyError(f"{_name(results, path)} is not the file that its fits gave: {REMEDY}")


def _held_out(results: ResultsFolder, folds: Path) -> pl.DataFrame:
    """The rows of each fold; leave-one-out, which is one fit of all rows, has a single one."""
    one = pl.col("protocol") == "leave_one_out"
    table = results.table("folds", folds).filter(pl.col("fold") >= 0)
    return table.with_columns(fold=pl.when(one).then(0).otherwise("fold").cast(table["fold"].dtype))


def _require_folds(results: ResultsFolder, run: Run, held_out: pl.DataFrame) -> None:
    """Refuse folds that hold out other rows than the run predicts; fits without predictions say nothing."""
    predicted = results.of_run("predictions", run).select(ROW_OF_FOLD)
    fold = ROW_OF_FOLD[:-1]
    asked = held_out.cast(predicted.schema).join(predicted, on=fold, how="semi")
    for one, other in ((predicted, asked), (asked, predicted)):
        differing = one.join(other, on=ROW_OF_FOLD, how="anti")
        if differing.height:
            protocol, repeat, number, row = differing.sort(ROW_OF_FOLD).row(0)
            folds = results.folder / "folds" / f"{run[0]}.parquet"
            raise StudyError(
                f"{_name(results, folds)} does not hold out what {run[0]} × {run[1]} predicts "
                f"({protocol}, repeat {repeat}, fold {number}: row {row}): {REMEDY}"
            )


def _name(results: ResultsFolder, path: Path) -> str:
    return f"{results.given}: {path.relative_to(results.folder).as_posix()}"
