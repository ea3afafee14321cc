"""Precision, recall and F1 of each class for the best method on a data set, and its most frequent confusion."""

from __future__ import annotations

import numpy as np

from linclass_study.analysis.confusion import per_class
from linclass_study.analysis.outcome import Outcome
from linclass_study.analysis.protocol_names import rows_held_out
from linclass_study.report.figure_numbers import figure_numbers
from linclass_study.report.table import Column, ReportTable

PLACE, SECTION, PER_DATASET = 8, "dataset", True


def make(outcome: Outcome, dataset: str) -> ReportTable | None:
    found = figure_numbers(outcome, f"confusion-{dataset}")
    if found is None:
        return None
    counts, names = np.array(found["counts"]), found["columns"]
    recall, precision = per_class(counts)
    with np.errstate(invalid="ignore"):
        f1 = 2 * precision * recall / (precision + recall)
    wrong = counts * (np.arange(counts.shape[1]) != np.arange(len(counts))[:, None])
    rows = [
        [
            name,
            int(counts[k].sum()),
            int(counts[:, k].sum()),
            *(None if np.isnan(rate[k]) else float(rate[k]) for rate in (precision, recall, f1)),
            names[int(wrong[k].argmax())] if wrong[k].any() else None,
            int(wrong[k].max()),
        ]
        for k, name in enumerate(found["classes"])
    ]
    columns = [
        Column("class", "Class"),
        Column("rows", "Rows", "count", "held-out rows of the class"),
        Column("predicted", "Predicted", "count", "held-out rows that are predicted as the class"),
        Column("precision", "Precision", "number"),
        Column("recall", "Recall", "number"),
        Column("f1", "F1", "number"),
        Column("most_often_taken_for", "Most often taken for"),
        Column("taken_for", "Rows taken for it", "count"),
    ]
    held_out = rows_held_out(outcome.evaluation, outcome.protocol(dataset))
    caption = (
        f"Each class of {dataset} as {found['method']}, the best method, predicts it, over the {held_out}. "
        f"exhibits/confusion-{dataset}/numbers.json has the whole matrix."
    )
    return ReportTable(f"Classes of {dataset}", caption, columns, rows)
