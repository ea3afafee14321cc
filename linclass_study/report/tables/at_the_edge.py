"""Tuned parameters for which at least half of the fits on a data set selected an end of the grid."""

from __future__ import annotations

from linclass_study.analysis import tuned
from linclass_study.analysis.outcome import Outcome
from linclass_study.report.number_format import tuned_value
from linclass_study.report.table import Column, ReportTable

PLACE, SECTION, PER_DATASET = 3, "trust", False


def make(outcome: Outcome) -> ReportTable | None:
    found = tuned.at_the_edge(outcome)
    columns = [
        Column("method", "Method", "method"),
        Column("parameter", "Parameter"),
        Column("value", "Value"),
        Column("edge", "End of the grid"),
        Column("data_sets", "Data sets", "dataset"),
    ]
    rows = [
        [one["method"], one["parameter"], tuned_value(one["value"]), one["edge"], one["datasets"]]
        for one in found
    ]
    caption = (
        "At least half of the fits chose the end of a grid of candidates, or of a path that was extended as far as "
        "it may be; a wider one may have a better value."
    )
    return ReportTable("Grids that may be too narrow", caption, columns, rows) if found else None
