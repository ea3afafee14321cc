"""Cost of each method on one data set."""

from __future__ import annotations

from linclass_study.report.table import Table
from linclass_study.report.tables import cost
from linclass_study.results.outcome import Outcome

PLACE, SECTION, PER_DATASET = 2, "cost", True


def make(outcome: Outcome, dataset: str) -> Table | None:
    return cost.table(outcome, f"Seconds, memory and iterations on {dataset}")
