"""Fits with predictions that did not converge."""

from __future__ import annotations

from linclass_study.analysis.fit_problems import notes
from linclass_study.analysis.outcome import Outcome
from linclass_study.report.table import ReportTable
from linclass_study.report.tables import failures

PLACE, SECTION, PER_DATASET = 2, "trust", False


def make(outcome: Outcome) -> ReportTable | None:
    found = notes(outcome.fits)
    caption = (
        "These fits gave predictions, which are compared above, but did not converge: the iterations ran "
        "out, or the optimum does not exist or is not the only one."
    )
    rows = failures.rows(found)
    return ReportTable("Fits to read with care", caption, failures.COLUMNS, rows) if found else None
