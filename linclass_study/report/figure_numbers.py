"""The numbers behind a figure, for the tables that show them too."""

from __future__ import annotations

import json
from typing import Any

from linclass_study.results.outcome import Outcome


def figure_numbers(outcome: Outcome, exhibit: str) -> dict[str, Any] | None:
    """Content of exhibits/{exhibit}/numbers.json; None if it is missing or nothing was drawn."""
    path = outcome.results / "exhibits" / exhibit / "numbers.json"
    if not path.exists():
        return None
    found = json.loads(path.read_text(encoding="utf-8"))
    return found if found["drawn"] else None
