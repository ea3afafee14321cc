"""All methods on all data sets, by any metric."""

from __future__ import annotations

from linclass import metrics
from linclass_study.report import standing
from linclass_study.report.table import Column, Table
from linclass_study.results.outcome import Outcome

PLACE, SECTION, PER_DATASET = 10, "across", False


def make(outcome: Outcome) -> Table | None:
    if len(outcome.datasets) < 2:
        return None
    columns = [Column("method", "Method", "method")]
    columns += [Column(name, name, "number") for name in outcome.datasets]
    parts = outcome.parts()
    names = [outcome.metric, *(name for name in sorted(metrics.names()) if name != outcome.metric)]
    choices = {}
    for metric in names:
        cells = {name: standing.column(own, name, metric) for name, own in parts.items()}
        choices[metric.replace("_", " ")] = [
            [method, *(cells[name][method] for name in outcome.datasets)]
            for method in outcome.methods
        ]
    words = outcome.metric.replace("_", " ")
    caption = f"Mean {words} ± standard deviation over folds, marked as explained below."
    rows = choices[words]
    return Table("All methods on all data sets", caption, columns, rows, choices=choices)
