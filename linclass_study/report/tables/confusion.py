"""The confusion matrix of the best method on a data set, in numbers."""

from __future__ import annotations

from linclass_study.analysis.outcome import Outcome
from linclass_study.analysis.protocol_names import rows_held_out
from linclass_study.report.figure_numbers import figure_numbers
from linclass_study.report.table import Column, ReportTable

PLACE, SECTION, PER_DATASET = 9, "dataset", True
MOST = 20  # classes; larger matrices are unreadable


def make(outcome: Outcome, dataset: str) -> ReportTable | None:
    found = figure_numbers(outcome, f"confusion-{dataset}")
    if found is None or len(found["columns"]) > MOST:
        return None
    columns = [Column("true_class", "True class")]
    columns += [Column(f"predicted_{name}", str(name), "count") for name in found["columns"]]
    rows = [[name, *own] for name, own in zip(found["classes"], found["counts"], strict=True)]
    held_out = rows_held_out(outcome.evaluation, outcome.protocol(dataset))
    caption = (
        f"What {found['method']}, the best method, predicts on {dataset}: {held_out}, by their true "
        "class (rows of the table) and the predicted one (columns)."
    )
    return ReportTable(f"Confusion matrix on {dataset}", caption, columns, rows)
