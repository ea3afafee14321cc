"""Performance under the other protocols: official test set, hold-outs, leave-one-out."""

from __future__ import annotations

from typing import Any

from linclass_study.analysis.outcome import Outcome
from linclass_study.analysis.protocol_names import TITLES
from linclass_study.pipeline.protocols import comparing_protocols, divides_test_rows
from linclass_study.report.table import Column, ReportTable
from linclass_study.report.tables import performance
from linclass_study.report.tables.performance import performance_table

PLACE, SECTION, PER_DATASET, OPEN = 2, "dataset", True, True


def make(outcome: Outcome, dataset: str) -> ReportTable | None:
    about = outcome.about(dataset)
    if about["status"] == "unavailable":
        return None
    first, *others = comparing_protocols(outcome.evaluation, about)
    if not others:
        return None
    rows: list[list[Any]] = []
    captions = []
    for protocol in others:
        columns, own = performance_table(outcome, dataset, protocol, main=False)
        rows += [[row[0], TITLES[protocol], *row[1:]] for row in own]
        captions.append(performance.means_sentence(outcome, about, protocol))
        if protocol == "official" and divides_test_rows(outcome.evaluation):
            captions.append(f"{TITLES[first]}, above, divides all rows, these test rows included.")
    columns.insert(1, Column("protocol", "Protocol"))
    if not others[1:]:  # as the title says
        columns, rows = columns[:1] + columns[2:], [row[:1] + row[2:] for row in rows]
    caption = " ".join([*captions, performance.averages_sentence(about)])
    titles = " and ".join(TITLES[protocol] for protocol in others)
    return ReportTable(f"{titles} of {dataset}", caption, columns, rows, performance.faint(rows))
