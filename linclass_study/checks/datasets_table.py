"""tables/datasets.csv: one row for each data set of a study.

`shares_rows_with` names data sets with the same rows, detected or declared by their entries; `weight` is 1 divided by
the size of such a group, for the reader's own averages over data sets.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

import polars as pl

from linclass_study.checks import shared_rows
from linclass_study.checks.check_files import read_facts, read_keys
from linclass_study.checks.findings import findings
from linclass_study.checks.shared_rows import related_groups
from linclass_study.files.tables import AND, write_csv

Facts = Mapping[str, Any]


COLUMNS = {
    "dataset": pl.String,
    "status": pl.String,
    "reason": pl.String,
    "rows": pl.Int64,
    "test_rows": pl.Int64,
    "features": pl.Int64,
    "numeric": pl.Int64,
    "categorical": pl.Int64,
    "texts": pl.Int64,
    "classes": pl.Int64,
    "class_counts": pl.String,
    "missing_values": pl.Int64,
    "constant_columns": pl.Int64,
    "duplicated_columns": pl.Int64,
    "nearly_numeric_columns": pl.String,
    "date_columns": pl.String,
    "identifier_columns": pl.String,
    "target_like_columns": pl.String,
    "one_rule_columns": pl.String,
    "duplicated_rows": pl.Int64,
    "conflicting_rows": pl.Int64,
    "least_error": pl.Float64,
    "test_rows_in_training": pl.Int64,
    "design_columns": pl.Int64,
    "rank": pl.Int64,
    "condition_number": pl.Float64,
    "separable": pl.String,
    "separable_pairs": pl.Int64,
    "pairs": pl.Int64,
    "shares_rows_with": pl.String,
    "weight": pl.Float64,
    "warnings": pl.String,
    "unchecked": pl.String,
    "digest": pl.String,
    "features_digest": pl.String,
    "source": pl.String,
    "licence": pl.String,
    "citation": pl.String,
}

SUSPICIOUS = (
    "nearly_numeric_columns",
    "date_columns",
    "identifier_columns",
    "target_like_columns",
    "one_rule_columns",
)


def write_datasets_table(
    names: Iterable[str], results: Path, declared: Iterable[tuple[str, str]]
) -> None:
    """Write the table from the files of the checks; results of earlier versions may have none.

    `declared` are pairs of data sets whose entries declare shared rows.
    """
    folder = results / "checks"
    checked = [name for name in names if (folder / f"{name}.json").exists()]
    facts = {name: read_facts(folder / f"{name}.json") for name in checked}
    arrays = {name: folder / f"{name}.npz" for name in checked}  # published results have none
    keys = {name: read_keys(path) for name, path in arrays.items() if path.exists()}
    related = [
        *shared_rows.pairs({name: own for name, own in keys.items() if own}),
        *shared_rows.equal({name: own.get("features_digest") for name, own in facts.items()}),
    ]
    write_csv(datasets_table(facts, [*related, *declared]), results / "tables" / "datasets.csv")


def datasets_table(facts: Mapping[str, Facts], related: Iterable[tuple[str, str]]) -> pl.DataFrame:
    """One row for each data set, in the study's order."""
    group_of = {name: group for group in related_groups(facts, related) for name in group}
    rows = [_row(name, own, group_of[name]) for name, own in facts.items()]
    return pl.DataFrame(rows, schema=COLUMNS)


def _row(name: str, facts: Facts, group: list[str]) -> dict[str, Any]:
    same = {column: facts.get(column) for column in COLUMNS}
    counts = facts["classes"]
    return same | {
        "dataset": name,
        "classes": len(counts),
        "class_counts": AND.join(f"{label} {count}" for label, count in counts.items()),
        **{columns: AND.join(facts.get(columns) or ()) for columns in SUSPICIOUS},
        "shares_rows_with": AND.join(other for other in group if other != name),
        "weight": 1 / len(group),
        "warnings": " | ".join(findings(facts)),
        "unchecked": AND.join(f"{what}: {why}" for what, why in facts["unchecked"].items()),
    }
