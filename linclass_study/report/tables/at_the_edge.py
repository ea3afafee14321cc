"""Tuned parameters for which most fits selected an end of the grid."""

from __future__ import annotations

from linclass_study.report.number_format import tuned_value
from linclass_study.report.table import Column, ReportTable
from linclass_study.results import tuned
from linclass_study.results.outcome import Outcome

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
        "Most fits chose the end of a grid of candidates; a wider grid may have a better one, unless the "
        "end is a natural limit, such as a threshold of 0, or the candidates are equally good."
    )
    return ReportTable("Grids that may be too narrow", caption, columns, rows) if found else None
