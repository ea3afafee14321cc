"""What fits cost, each machine for itself: seconds of different machines are never added or averaged.

A fit has one row of fits.parquet, whoever merged what. Where other machines made the same fit, too,
their times are in times.parquet beside it.
"""

from __future__ import annotations

from pathlib import Path

import polars as pl

from linclass_study import table_files
from linclass_study.results.parquet_file import read

UNKNOWN = "unknown"  # the machine of fits made before there was that column


def of_all_machines(fits: pl.DataFrame, results: Path) -> pl.DataFrame:
    """One row for each of these fits and machine that made it, where it took any time."""
    columns = list(table_files.schema("times"))
    if "machine" not in fits.columns:
        fits = fits.with_columns(machine=pl.lit(None, pl.String))
    others = results / "times.parquet"
    parts = [fits.select(columns)]
    if others.exists():
        parts.append(read(others).select(columns).join(fits, on=list(table_files.FIT), how="semi"))
    return (
        pl.concat(parts)
        .filter(pl.col("fit_seconds").is_not_null())
        .with_columns(pl.col("machine").fill_null(UNKNOWN))
    )


def table(times: pl.DataFrame) -> pl.DataFrame:
    """tables/times.csv: what a run cost on a machine. fit_seconds and predict_seconds are sums."""
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


def machines(times: pl.DataFrame) -> list[str]:
    """The machines that made any fit, in the order of their names."""
    return times["machine"].unique().sort().to_list()
