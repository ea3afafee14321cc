"""Columns of numbers with a few other values, such as '12k', or with decimal commas: they become categorical."""

from __future__ import annotations

from typing import Any

from linclass.base.tables import Table
from linclass_study.pipeline.nearly_numeric import stray_levels

SHOWN = 3  # levels that are no numbers


def nearly_numeric(table: Table) -> dict[str, Any]:
    """{column: [levels that are numbers, levels that are not, the first of these]}."""
    found = {name: (levels, stray_levels(levels)) for name, levels in table.levels.items()}
    return {
        "nearly_numeric_columns": {
            name: [len(levels) - len(others), len(others), others[:SHOWN]]
            for name, (levels, others) in found.items()
            if others
        }
    }
