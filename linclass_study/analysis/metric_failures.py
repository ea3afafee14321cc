"""Folds on which a metric of the study's own raised an exception, and the exception.

runs/{dataset}/{method}/metric_failures.parquet    one metric on one fold (optional: absent rather than empty)
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import polars as pl

from linclass.evaluation import metrics
from linclass_study.analysis.fit_problems import FitProblem, fit_problems
from linclass_study.analysis.outcome import Outcome
from linclass_study.analysis.scoring import Classes, fold_predictions
from linclass_study.files import tables as table_files
from linclass_study.files.tables import FIT, write_table
from linclass_study.pipeline.own_metrics import own_metrics

TABLE = "metric_failures"


def metric_failures(
    predictions: pl.DataFrame, scores: pl.DataFrame, classes: Classes, names: Sequence[str]
) -> pl.DataFrame:
    """A row for each own metric that raised an exception on a fold; `scores` are those of the predictions."""
    rows: list[tuple[object, ...]] = []
    for name in filter(lambda name: "." in name, names):
        scored = scores.filter(metric=name).select(FIT)
        lacking = predictions.join(scored, on=FIT, how="anti").sort(*FIT, "row")
        for fit, held_out in lacking.group_by(*FIT, maintain_order=True):
            try:
                fold = fold_predictions(held_out, classes)
            except ValueError:  # no metric has a value of invalid predictions
                continue
            if reason := metrics.imported(name).failure(fold):
                rows.append((*fit, name, reason))
    return table_files.frame(TABLE, rows)


def write_metric_failures(failures: pl.DataFrame, folder: Path) -> None:
    """Write the file of a run, or remove that of an earlier version of the metric."""
    path = folder / f"{TABLE}.parquet"
    if failures.is_empty():
        path.unlink(missing_ok=True)
    else:
        write_table(failures, TABLE, path)


def metric_problems(outcome: Outcome) -> list[FitProblem]:
    """Distinct exceptions of the study's own metrics; `status` is the metric, and `fits` are the folds."""
    own = own_metrics(outcome.evaluation)
    runs = [(dataset, method) for dataset in outcome.datasets for method in outcome.methods]
    found = [outcome.kept(TABLE, *run) for run in runs] if own else []
    known = [table for table in found if table is not None]
    if not known:
        return []
    return fit_problems(pl.concat(known).rename({"metric": "status"}), own)
