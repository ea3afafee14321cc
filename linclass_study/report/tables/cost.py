"""Runtime, memory and iterations of each method, separately for each machine."""

from __future__ import annotations

from typing import Any

import polars as pl

from linclass_study.analysis.outcome import Outcome, machines_of
from linclass_study.files.tables import FIT
from linclass_study.pipeline.protocols import CURVE
from linclass_study.report.table import Column, ReportTable

#: Fits of learning curves use fewer rows, so they do not count.
WITHOUT_CURVES = ~pl.col("protocol").str.starts_with(f"{CURVE}@")

FEWER_FITS = (
    " What does not apply or fails is not timed, so the seconds of a method with fewer fits are of fewer data sets or "
    "folds."
)

COLUMNS = {
    "fits": ("Fits", "count"),
    "median_fit_seconds": ("Median fit", "seconds"),
    "fit_seconds": ("All fits", "seconds"),
    "predict_seconds": ("All predictions", "seconds"),
    "peak_rss_mb": ("Memory, MB", "count"),
    "iterations": ("Median iterations", "count"),
}


def cost(outcome: Outcome) -> ReportTable | None:
    """Cost of each method: seconds, memory and iterations, separately for each machine."""
    words = "of every method over all data sets" if outcome.datasets else ""
    return cost_table(outcome, f"Seconds, memory and iterations {words}".strip())


def cost_table(outcome: Outcome, title: str) -> ReportTable | None:
    """One row for each method and machine, the fastest first."""
    if outcome.times.filter(WITHOUT_CURVES).is_empty():
        return None
    several = len(machines_of(outcome.times)) > 1
    found = _measured(outcome).sort("median_fit_seconds", "method")
    columns = [Column("method", "Method", "method")]
    columns += [Column("machine", "Machine")] if several else []
    columns += [Column(name, shown, kind) for name, (shown, kind) in COLUMNS.items()]
    rows = found.select(column.key for column in columns).rows()
    caption = (
        "Wall seconds of one core, tuning included; folds that were solved together share their seconds equally; "
        "memory is the largest of a process, data and libraries included; iterations are of the last fit of each fold, "
        "where the method reports them."
        + (FEWER_FITS if found["fits"].n_unique() > 1 else "")
        + (
            ""
            if outcome.times.filter(~WITHOUT_CURVES).is_empty()
            else " Fits of learning curves, of fewer rows, are left out."
        )
    )
    return ReportTable(title, caption, columns, [list(row) for row in rows])


def _measured(outcome: Outcome) -> pl.DataFrame:
    seconds = pl.col("fit_seconds")
    steps = outcome.fits.select(*FIT, "iterations")
    fits = outcome.times.filter(WITHOUT_CURVES).join(steps, on=list(FIT), how="left")
    totals: dict[str, Any] = {
        "fits": pl.len(),
        "median_fit_seconds": seconds.median(),
        "fit_seconds": seconds.sum(),
        "predict_seconds": pl.col("predict_seconds").sum(),
        "peak_rss_mb": pl.col("peak_rss_mb").max().round(0).cast(pl.Int64),
        "iterations": pl.col("iterations").median().round(0).cast(pl.Int64),
    }
    return fits.group_by("method", "machine").agg(**totals)


def cost_of_dataset(outcome: Outcome, dataset: str) -> ReportTable | None:
    """Cost of each method on one data set."""
    return cost_table(outcome, f"Seconds, memory and iterations on {dataset}")
