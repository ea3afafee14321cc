"""Metrics of the study's own that raised an exception on some folds, which have no score by them."""

from __future__ import annotations

from linclass_study.analysis.metric_failures import metric_problems
from linclass_study.analysis.outcome import Outcome
from linclass_study.report.table import Column, ReportTable

PLACE, SECTION, PER_DATASET = 1, "trust", False


def make(outcome: Outcome) -> ReportTable | None:
    found = metric_problems(outcome)
    columns = [
        Column("metric", "Metric"),
        Column("data_sets", "Data set", "dataset"),
        Column("methods", "Method", "method"),
        Column("folds", "Folds", "count"),
        Column("reason", "Reason", "reason"),
    ]
    rows = [[p.status, list(p.datasets), list(p.methods), p.fits, p.reason] for p in found]
    caption = "These folds have no value of the metric; its means are over the other folds."
    return (
        ReportTable("Metrics that raised an exception", caption, columns, rows) if found else None
    )
