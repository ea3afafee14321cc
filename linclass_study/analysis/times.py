"""Times of fits for each machine: seconds of different machines are never added or averaged.

A fit has one row in fits.parquet, also after a merge. If several machines made the same fit, the times of the others
are in times.parquet.
"""

from __future__ import annotations

from pathlib import Path

import polars as pl

from linclass_study.files import tables as table_files
from linclass_study.files.reading import read_parquet
from linclass_study.files.tables import table_schema
from linclass_study.pipeline.protocols import CURVE

UNKNOWN = "unknown"  # machine of fits from before this column existed


def of_all_machines(fits: pl.DataFrame, results: Path) -> pl.DataFrame:
    """One row for each fit and machine that made it, without fits that took no time."""
    columns = list(table_schema("times"))
    if "machine" not in fits.columns:
        fits = fits.with_columns(machine=pl.lit(None, pl.String))
    others = results / "times.parquet"
    parts = [fits.select(columns)]
    if others.exists():
        parts.append(
            read_parquet(others).select(columns).join(fits, on=list(table_files.FIT), how="semi")
        )
    return (
        pl.concat(parts)
        .filter(pl.col("fit_seconds").is_not_null())
        .with_columns(pl.col("machine").fill_null(UNKNOWN))
    )


def median_seconds(times: pl.DataFrame) -> dict[tuple[str, str], float]:
    """(data set, method) → median seconds of a fit, on the machine that made most fits, without learning curves."""
    whole = ~pl.col("protocol").str.starts_with(f"{CURVE}@")  # their fits use fewer rows
    times = times.filter(pl.col("fit_seconds").is_not_null(), whole)
    if times.is_empty():
        return {}
    fits = times.group_by("machine").len().sort(pl.col("len"), "machine", descending=[True, False])
    medians = (
        times.filter(machine=fits["machine"][0])
        .group_by("dataset", "method")
        .agg(pl.col("fit_seconds").median().clip(1e-9))
    )
    return {(dataset, method): seconds for dataset, method, seconds in medians.iter_rows()}


def times_table(times: pl.DataFrame) -> pl.DataFrame:
    """tables/times.csv: cost of a run on a machine; fit_seconds and predict_seconds are sums."""
    seconds = pl.col("fit_seconds")
    return (
        times.group_by("dataset", "method", "machine")
        .agg(
            fits=pl.len(),
            fit_seconds=seconds.sum(),
            median_fit_seconds=seconds.median(),
            predict_seconds=pl.col("predict_seconds").sum(),
            peak_rss_mb=pl.col("peak_rss_mb").max(),
        )
        .sort("dataset", "method", "machine")
    )


def machines_of(times: pl.DataFrame) -> list[str]:
    """Machines that made any fit, sorted by name."""
    return times["machine"].unique().sort().to_list()
