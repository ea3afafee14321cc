"""Statuses of the fits of every method on a data set, with the largest certificate."""

from __future__ import annotations

import polars as pl

from linclass_study.fit_statuses import FITTED, STATUSES
from linclass_study.report import number_format
from linclass_study.report.table import Column, ReportTable
from linclass_study.results.outcome import Outcome

PLACE, SECTION, PER_DATASET = 5, "trust", True

#: Shorter names for kinds of certificates.
PROOFS = {"duality_gap": "gap", "gradient_cosine": "cosine", "training_mistakes": "mistakes"}

COLUMNS = [
    Column("method", "Method", "method"),
    Column("fits", "Fits"),
    Column("ended", "Did not converge"),
    Column("certificate", "Certificate"),
]


def make(outcome: Outcome, dataset: str) -> ReportTable:
    fits = {str(name): own for (name,), own in outcome.fits.group_by(["method"])}
    rows = [
        [
            method,
            successes(fits[method]),
            other_statuses(fits[method]) or "–",
            certificate(fits[method]) or "–",
        ]
        for method in outcome.methods
        if method in fits
    ]
    caption = (
        "The certificate states how near a fit is to its optimum; the table shows the largest of all fits. It is a "
        "relative duality gap (“gap”), which is a bound, where there is one; else the largest cosine between a feature "
        "and the slopes of the loss (“cosine”), which is no bound; the residual of the equations of a solution in "
        "closed form (“closed form”); or another measure, which is named."
    )
    rows.sort(key=lambda row: row[2] == "–")  # methods with unconverged fits first
    faint = frozenset(i for i, row in enumerate(rows) if len({*row[1].split("/")}) > 1)
    return ReportTable(f"How every fit on {dataset} ended", caption, COLUMNS, rows, faint)


def successes(fits: pl.DataFrame) -> str:
    """Successful and planned fits: 9/10."""
    return f"{fits['status'].is_in(FITTED).sum()}/{fits.height}"


def other_statuses(fits: pl.DataFrame) -> str:
    """Statuses other than converged: '1 failed, 2 separable'."""
    counts = dict(fits["status"].value_counts().iter_rows())
    return ", ".join(f"{counts[s]} {s.replace('_', ' ')}" for s in STATUSES[1:] if s in counts)


def certificate(fits: pl.DataFrame) -> str:
    """Largest certificate of each kind."""
    proofs = (
        fits.filter(pl.col("status").is_in(FITTED))
        .drop_nulls("certificate")
        .group_by(pl.col("certificate_kind").fill_null("unnamed"))
        .agg(pl.col("certificate").max())
        .sort("certificate", descending=True)
    )
    return ", ".join(
        f"{number_format.power(value)} {PROOFS.get(kind, kind.replace('_', ' '))}"
        for kind, value in proofs.iter_rows()
    )
