"""Cost of each method on one data set."""

from __future__ import annotations

from linclass_study.analysis.outcome import Outcome
from linclass_study.report.table import ReportTable
from linclass_study.report.tables.cost import cost_table

PLACE, SECTION, PER_DATASET = 2, "cost", True


def make(outcome: Outcome, dataset: str) -> ReportTable | None:
    return cost_table(outcome, f"Seconds, memory and iterations on {dataset}")
