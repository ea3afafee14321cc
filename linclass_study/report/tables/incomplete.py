"""Methods that are not ranked across data sets, because they lack a score on some of them."""

from __future__ import annotations

from linclass_study.analysis.across_datasets import comparison_across
from linclass_study.analysis.excluded_methods import incomplete_methods
from linclass_study.analysis.outcome import Outcome
from linclass_study.report.table import Column, ReportTable

PLACE, SECTION, PER_DATASET = 10, "across", False

RULE = (
    "Ranks, tests and ratings compare the methods that have a score on every data set, so a method that fails changes "
    "nothing for the others. A method has a score if all its planned fits succeeded."
)


def make(outcome: Outcome) -> ReportTable | None:
    base = comparison_across(outcome)
    if min(base.every.table.shape) < 2:
        return None
    found = incomplete_methods(outcome, base)
    columns = [
        Column("method", "Method", "method"),
        Column("lacks", "No score on", "dataset"),
        Column("why", "Why"),
        Column("data_sets", "Data sets with a score", "count"),
        Column(
            "rank_missing_worst",
            "Mean rank, missing scores as worst",
            "number",
            "among all methods; the other ranks are among the methods that have all scores",
        ),
    ]
    rows = [[one.method, one.datasets, one.reason, one.scored, one.rank] for one in found]
    return ReportTable("Methods that are not ranked", RULE, columns, rows) if found else None
