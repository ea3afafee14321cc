"""The numbers behind a figure, for the tables that show them too."""

from __future__ import annotations

import json
from typing import Any

from linclass_study.results.outcome import Outcome


def figure_numbers(outcome: Outcome, exhibit: str) -> dict[str, Any] | None:
    """What exhibits/{exhibit}/numbers.json has; None where it is not there or there was nothing to draw."""
    path = outcome.results / "exhibits" / exhibit / "numbers.json"
    if not path.exists():
        return None
    found = json.loads(path.read_text(encoding="utf-8"))
    return found if found["drawn"] else None
