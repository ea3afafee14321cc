"""Results of the checks of each data set; tables/datasets.csv has all of them."""

from __future__ import annotations

from linclass_study.analysis.outcome import Outcome
from linclass_study.report.table import Column, ReportTable

PLACE, SECTION, PER_DATASET = 6, "trust", False

#: Fact of results/checks/{dataset}.json → column
FACTS = {
    "rows": Column("rows", "Rows", "count"),
    "features": Column("features", "Features", "count"),
    "missing_values": Column("missing_values", "Missing values", "count"),
    "duplicated_rows": Column("duplicated_rows", "Repeated rows", "count"),
    "conflicting_rows": Column(
        "conflicting_rows", "Conflicting rows", "count", "with the features of a row of another class"
    ),
    "rank": Column("rank", "Rank", "count", "of the columns, imputed, one-hot and standardized"),
    "separable": Column("separable", "Separable", "text", "by a hyperplane; of classes, which pairs"),
    "digest": Column("digest", "Digest of the content", "digest"),
}  # fmt: skip


def make(outcome: Outcome) -> ReportTable | None:
    rows = [
        [dataset, *(facts.get(name) for name in FACTS)]
        for dataset in outcome.datasets
        if (facts := outcome.checks(dataset))
    ]
    columns = [Column("dataset", "Data set", "dataset"), *FACTS.values()]
    caption = "Results of the checks before any fit. Equal digests mean equal content, whatever the source."
    return ReportTable("What the data are like", caption, columns, rows) if rows else None
