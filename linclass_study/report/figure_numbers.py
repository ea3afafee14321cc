"""The numbers behind a figure, for the tables that show them too."""

from __future__ import annotations

from typing import Any

from linclass_study.analysis.outcome import Outcome
from linclass_study.files.reading import read_mapping


def figure_numbers(outcome: Outcome, exhibit: str) -> dict[str, Any] | None:
    """Content of exhibits/{exhibit}/numbers.json; None if it is missing or nothing was drawn."""
    path = outcome.results / "exhibits" / exhibit / "numbers.json"
    if not path.exists():
        return None
    found = read_mapping(path)
    return found if found["drawn"] else None
