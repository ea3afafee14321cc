"""Sensitivity of the conclusion: the best methods in each variation of the comparison."""

from __future__ import annotations

import polars as pl

from linclass_study.analysis.across_datasets import FEW
from linclass_study.analysis.outcome import Outcome
from linclass_study.report.table import Column, ReportTable

PLACE, SECTION, PER_DATASET = 20, "across", False
# by the comparison across data sets (analysis/across_tables.py), from which this reads
WRITTEN = False


def make(outcome: Outcome) -> ReportTable | None:
    path = outcome.results / "tables" / "sensitivity.csv"
    if not path.exists():
        return None
    rows = [
        [variation, n, best.split(", "), same]
        for variation, n, best, same in pl.read_csv(path, infer_schema=False).iter_rows()
    ]
    columns = [
        Column("variation", "Variation"),
        Column("data_sets", "Data sets", "count"),
        Column("best", "Best mean rank", "method"),
        Column("same_best", "The study’s best among them"),
    ]
    caption = (
        "The methods of the best mean rank when one thing is changed. The conclusion survives if one and the same "
        "method is among them in every row."
    )
    rows = [[variation, int(n), best, same] for variation, n, best, same in rows]
    if not rows or rows[0][1] < FEW:  # then there is no conclusion
        return None
    if all(same == "none is ranked" for *_, same in rows):
        caption = (
            "Methods are not ranked, because fewer than two have a score on every data set: the methods of the best "
            "mean rank with either treatment of missing scores."
        )
        return ReportTable(
            "Which methods would be best?", caption, columns[:-1], [row[:-1] for row in rows]
        )
    return ReportTable("Does the conclusion survive?", caption, columns, rows)
