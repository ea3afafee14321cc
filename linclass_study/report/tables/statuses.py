"""Statuses of the fits of every method over all data sets, and how many have a certificate."""

from __future__ import annotations

import polars as pl

from linclass_study.analysis.outcome import Outcome
from linclass_study.files.tables import FITTED, STATUSES
from linclass_study.report.table import Column, ReportTable

PLACE, SECTION, PER_DATASET = 4, "trust", False


def make(outcome: Outcome) -> ReportTable:
    fits = outcome.fits
    met = [status for status in STATUSES if (fits["status"] == status).any()]
    counted = fits.group_by("method").agg(
        *((pl.col("status") == status).sum().alias(status) for status in met),
        planned=pl.len(),
        fitted=pl.col("status").is_in(FITTED).sum(),
        certified=pl.col("certificate").is_not_null().sum(),
        gap=pl.col("certificate").filter(pl.col("certificate_kind") == "duality_gap").max(),
    )
    names = ["method", "planned", *met, "certified", "gap"]
    of_method = {row["method"]: row for row in counted.iter_rows(named=True)}
    rows = [
        [of_method[name][key] for key in names] for name in outcome.methods if name in of_method
    ]
    columns = [
        Column("method", "Method", "method"),
        Column("planned", "Fits", "count"),
        *(Column(status, status.replace("_", " ").capitalize(), "count") for status in met),
        Column("certified", "With certificate", "count"),
        Column("largest_gap", "Largest gap", "power", "The largest relative duality gap of a fit"),
    ]
    caption = (
        "A certificate states how near a fit is to its optimum, numerically; the gap is how far from it a fit may "
        "be, relative to the objective. Foreign estimators have none, unless they set certificate_."
    )
    faint = frozenset(
        i
        for i, row in enumerate(rows)
        if of_method[row[0]]["fitted"] < of_method[row[0]]["planned"]
    )
    caption += " Grey: some fits gave no predictions." if faint else ""
    return ReportTable("How every fit ended", caption, columns, rows, faint)
