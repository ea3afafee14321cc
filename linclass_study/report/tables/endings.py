"""Statuses of the fits of every method on a data set, with the largest certificate."""

from __future__ import annotations

from collections.abc import Mapping

import polars as pl

from linclass_study.analysis.outcome import Outcome
from linclass_study.files.tables import FITTED, STATUSES
from linclass_study.report import number_format
from linclass_study.report.table import Column, ReportTable

PLACE, SECTION, PER_DATASET = 5, "trust", True

#: Shorter names for kinds of certificates.
SHORT = {"duality_gap": "gap", "gradient_cosine": "cosine", "training_mistakes": "mistakes"}

COLUMNS = [
    Column("method", "Method", "method"),
    Column("fits", "Fits"),
    Column("ended", "Did not converge"),
    Column("certificate", "Certificate"),
]


def make(outcome: Outcome, dataset: str) -> ReportTable:
    counts, known = counts_by_method(outcome.fits), certificates(outcome.fits)
    rows = [
        [
            method,
            successes(counts[method]),
            other_statuses(counts[method]) or "–",
            known.get(method, "–"),
        ]
        for method in outcome.methods
        if method in counts
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


def counts_by_method(fits: pl.DataFrame) -> dict[str, dict[str, int]]:
    """How many fits of each method ended with each status."""
    counts: dict[str, dict[str, int]] = {}
    for method, status, count in fits.group_by("method", "status").len().iter_rows():
        counts.setdefault(method, {})[status] = count
    return counts


def successes(counts: Mapping[str, int]) -> str:
    """Successful and planned fits: 9/10."""
    done = sum(count for status, count in counts.items() if status in FITTED)
    return f"{done}/{sum(counts.values())}"


def other_statuses(counts: Mapping[str, int]) -> str:
    """Statuses other than converged: '1 failed, 2 separable'."""
    return ", ".join(f"{counts[s]} {s.replace('_', ' ')}" for s in STATUSES[1:] if s in counts)


def certificates(fits: pl.DataFrame) -> dict[str, str]:
    """Largest certificate of each kind, of the methods that have any."""
    largest = (
        fits.filter(pl.col("status").is_in(FITTED))
        .drop_nulls("certificate")
        .group_by("method", pl.col("certificate_kind").fill_null("unnamed"))
        .agg(pl.col("certificate").max())
        .sort("certificate", descending=True)
    )
    found: dict[str, list[str]] = {}
    for method, kind, value in largest.iter_rows():
        named = SHORT.get(kind, kind.replace("_", " "))
        found.setdefault(method, []).append(f"{number_format.power(value)} {named}")
    return {method: ", ".join(each) for method, each in found.items()}
