"""Scores and fits of all runs as one table each, and their summaries.

Tables may be larger than memory. Each file contains the rows of complete runs, sorted by fit, and no two files share a
run, so their concatenation in the order of their first rows is sorted. sd is the sample standard deviation over folds
(n − 1), and n the number of folds with a value; the standard error is corrected for overlapping training sets
(linclass/evaluation/comparisons/t_tests.py).
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl

from linclass.evaluation import metrics
from linclass.evaluation.comparisons.t_tests import corrected_error
from linclass_study.analysis.outcome import Outcome, times_of_machines, times_table
from linclass_study.files import tables as table_files
from linclass_study.files.reading import naming_errors, refuse_unreadable, scan_parquet
from linclass_study.files.tables import FIT, table_schema, without_formulas, write_csv, write_table
from linclass_study.files.writing import atomic_write
from linclass_study.statuses import FITTED, STATUSES

PIECE = 500_000  # rows in memory at a time, or one fit or run if it has more


def concatenate_files(paths: Iterable[str | os.PathLike[str]], table: str, out: Path) -> None:
    """Concatenate the files, sorted by the fit of their first row."""
    firsts = {Path(path): _first(Path(path)) for path in paths}
    files = sorted(filter(firsts.get, firsts), key=lambda path: firsts[path])
    if not files:
        return write_table(table_files.frame(table), table, out)
    columns = list(table_schema(table))
    rows = pl.concat([scan_parquet(file).select(columns) for file in files])
    try:
        table_files.stream(rows, table, out)
    except pl.exceptions.PolarsError:
        for file in files:
            refuse_unreadable(file)
        raise


def pieces(path: Path, whole: Sequence[str]) -> Iterator[pl.DataFrame]:
    """Iterate over pieces of about PIECE rows; rows with equal values in `whole` are in one piece."""
    with naming_errors(path):
        lengths = (
            scan_parquet(path)
            .group_by(*whole, maintain_order=True)
            .agg(length=pl.len())
            .collect(engine="streaming")["length"]
        )
        begin = length = 0
        for more in lengths:
            if length and length + more > PIECE:
                yield scan_parquet(path).slice(begin, length).collect()
                begin, length = begin + length, 0
            length += more
        if length:
            yield scan_parquet(path).slice(begin, length).collect()


def _first(path: Path) -> tuple[object, ...]:
    with naming_errors(path):
        return next(scan_parquet(path).select(FIT).head(1).collect().iter_rows(), ())


RUN = ("dataset", "method")


def write_summary(
    results: Path, scores: Iterable[str | os.PathLike[str]], fits: Iterable[str | os.PathLike[str]]
) -> None:
    """Write the joined tables and summaries of files of scores and fits; each file contains complete runs.

    Memory holds a piece of a table, or the largest run, whatever the number of runs.
    """
    all_scores, all_fits = results / "scores.parquet", results / "fits.parquet"
    concatenate_files(scores, "scores", all_scores)
    concatenate_files(fits, "fits", all_fits)
    with atomic_write(results / "scores.csv") as partial:
        without_formulas(scan_parquet(all_scores)).sink_csv(partial)
    tables: dict[str, tuple[Path, Callable[[pl.DataFrame], pl.DataFrame]]] = {
        "summary": (all_scores, summarize),
        "fits": (all_fits, overview),
        "times": (all_fits, lambda fits: times_table(times_of_machines(fits, results))),
    }
    for name, (path, make) in tables.items():
        empty = make(table_files.frame(path.stem))
        parts = [make(piece) for piece in pieces(path, RUN)]
        write_csv(pl.concat([empty, *parts]), results / "tables" / f"{name}.csv")


def summarize(scores: pl.DataFrame) -> pl.DataFrame:
    """tables/summary.csv: mean, sd and n of each metric over the folds of each method."""
    value = pl.col("value")
    return (
        scores.sort(*FIT, "metric")
        .group_by("dataset", "method", "protocol", "metric", maintain_order=True)
        .agg(mean=value.mean(), sd=value.std(ddof=1), n=value.len())
        .sort("dataset", "method", "protocol", "metric")
    )


def overview(fits: pl.DataFrame) -> pl.DataFrame:
    """tables/fits.csv: number of planned fits and their statuses, for each run."""
    counts = {status: (pl.col("status") == status).sum() for status in STATUSES}
    runs = fits.group_by("dataset", "method").agg(planned=pl.len(), **counts)
    return runs.sort("dataset", "method")


def planned_fits(fits: pl.DataFrame, *by: str) -> pl.DataFrame:
    """Number of planned fits and of those that succeeded, with share (n_test/n_train) and step (1/n_test)."""
    return fits.group_by(*by).agg(
        planned=pl.len(),
        fitted=pl.col("status").is_in(FITTED).sum(),
        share=(pl.col("n_test") / pl.col("n_train")).mean(),
        step=1 / pl.col("n_test").mean(),
    )


def main_protocol_frame(outcome: Outcome) -> pl.DataFrame:
    """The main protocol of each data set, to join tables with."""
    rows = [(name, outcome.protocol(name)) for name in outcome.datasets]
    return pl.DataFrame(rows, {"dataset": pl.String, "protocol": pl.String}, orient="row")


def ranking(
    outcome: Outcome, dataset: str, metric: str | None = None, protocol: str | None = None
) -> pl.DataFrame:
    """All methods of a data set by their mean over the folds, best first, those that missed a fold last.

    The default protocol is the first one of the data set.

    Columns: method, mean, sd, n, error (standard error), share (n_test/n_train), step (1/n_test), planned, fitted, and
    whole (every planned fold has a finite value). Methods without a value come last; ties keep the order of the
    catalogue.
    """
    metric, protocol = metric or outcome.metric, protocol or outcome.protocol(dataset)
    key = f"ranking {dataset} {protocol} {metric}"
    return outcome.cached(key, lambda: _ranked(outcome, dataset, metric, protocol))


def _ranked(outcome: Outcome, dataset: str, metric: str, protocol: str) -> pl.DataFrame:
    of_dataset: dict[str, Any] = {"dataset": dataset, "protocol": protocol}
    planned = planned_fits(outcome.fits.filter(**of_dataset), "method")
    values = summarize(outcome.scores.filter(**of_dataset, metric=metric))
    return (
        pl.DataFrame({"method": list(outcome.methods)}, {"method": pl.String})
        .with_row_index("place")
        .join(planned, on="method", how="left")
        .join(values.select("method", "mean", "sd", "n"), on="method", how="left")
        .with_columns(pl.col("planned", "fitted", "n").fill_null(0))
        .with_columns(
            pl.struct("sd", "n", "share", "step").map_batches(_error, pl.Float64).alias("error"),
            whole=pl.col("mean").is_finite().fill_null(False)
            & (pl.min_horizontal("n", "fitted") == pl.col("planned")),
        )
        .sort(
            "whole",
            pl.col("mean").round(12),  # equal means may differ by rounding
            "place",
            descending=[True, metrics.greater_is_better(metric), False],
            nulls_last=True,
        )
        .select("method", "mean", "sd", "n", "error", "share", "step", "planned", "fitted", "whole")
    )


def _error(of_methods: pl.Series) -> pl.Series:
    """Corrected standard error of the means; a row of a fold is the least step of a score."""
    columns = of_methods.struct.unnest().with_columns(pl.all().cast(pl.Float64))
    sd, n, share, step = (columns[name].to_numpy() for name in columns.columns)
    error = corrected_error(sd, np.maximum(n, 1), share, step)
    return pl.Series(error).fill_nan(None)


# Predictions of a run for the held-out rows, as arrays, read once for all figures.

MAX_DRAWN_SCORES = 40_000_000  # scores of a run; with more, a figure would take minutes
CACHED_RUNS = 8  # as many as a figure shows


@dataclass(frozen=True, eq=False)
class HeldOut:
    """n predictions by F fits.

    y_true, y_pred  (n,) codes of the true and predicted classes
    score           (n, K)
    log_proba       (n, K), or None for a method without probabilities
    fit             (n,) 0 … F − 1, in the order of repeats and folds
    row             (n,) numbers of the rows; those of several repeats occur several times
    """

    y_true: np.ndarray
    y_pred: np.ndarray
    score: np.ndarray
    log_proba: np.ndarray | None
    fit: np.ndarray
    row: np.ndarray

    @property
    def fits(self) -> int:
        return int(self.fit.max()) + 1

    @property
    def n_classes(self) -> int:
        return self.score.shape[1]


def held_out(outcome: Outcome, dataset: str, method: str) -> HeldOut | None:
    """Predictions of the data set's first protocol; None if there are none or too many."""
    read_before = outcome.read.setdefault("held_out", {})
    if (dataset, method) not in read_before:
        if len(read_before) >= CACHED_RUNS:
            read_before.pop(next(iter(read_before)))
        path = outcome.results / "runs" / dataset / method / "predictions.parquet"
        n_classes = len(outcome.about(dataset)["classes"])
        read_before[dataset, method] = _read(path, outcome.protocol(dataset), n_classes)
    return read_before[dataset, method]


def mean_of(outcome: Outcome, dataset: str, metric: str) -> dict[str, float]:
    """Method → mean of the metric over the folds of the same protocol."""
    protocol = outcome.protocol(dataset)
    scores = outcome.scores.filter(dataset=dataset, protocol=protocol, metric=metric)
    return dict(summarize(scores).select("method", "mean").iter_rows())


def _read(path: Path, protocol: str, n_classes: int) -> HeldOut | None:
    if not path.exists():
        return None
    of_protocol = scan_parquet(path).filter(pl.col("protocol") == protocol)
    n = of_protocol.select(pl.len()).collect().item()
    if not n or n * n_classes > MAX_DRAWN_SCORES:
        return None
    fit = pl.struct("repeat", "fold").rank("dense").alias("fit") - 1
    rows = of_protocol.select("row", "y_true", "y_pred", "score", "log_proba", fit).collect()
    has_proba = not rows["log_proba"].null_count()
    return HeldOut(
        y_true=rows["y_true"].to_numpy(),
        y_pred=rows["y_pred"].to_numpy(),
        score=rows["score"].list.to_array(n_classes).to_numpy(),
        log_proba=rows["log_proba"].list.to_array(n_classes).to_numpy() if has_proba else None,
        fit=rows["fit"].to_numpy().astype(np.int64),
        row=rows["row"].to_numpy(),
    )
