"""Candidates of the tuning that failed, so that the choice was made among the others."""

from __future__ import annotations

from linclass_study.analysis.failed_candidates import failed_candidates
from linclass_study.analysis.outcome import Outcome
from linclass_study.report.table import Column, ReportTable

PLACE, SECTION, PER_DATASET = 3, "trust", False


def make(outcome: Outcome) -> ReportTable | None:
    found = failed_candidates(outcome)
    columns = [
        Column("method", "Method", "method"),
        Column("candidates", "Candidates"),
        Column("data_sets", "Data set", "dataset"),
        Column("fits", "Fits", "count"),
        Column("reason", "Reason", "reason"),
    ]
    rows = [
        [one.method, "; ".join(one.candidates), list(one.datasets), one.fits, one.reason]
        for one in found
    ]
    caption = (
        "They raised an exception on an inner fold, so the parameters were chosen among the other candidates. "
        "A candidate that fails in some fits only is compared in the others."
    )
    title = "Candidates of the tuning that failed"
    return ReportTable(title, caption, columns, rows) if found else None
