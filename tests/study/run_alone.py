"""A run in a child process of its own."""

from __future__ import annotations

from typing import Any

from linclass_study.runs.records import Records
from linclass_study.runs.run import PlannedRun, fit_and_predict
from linclass_study.runs.shared_child import SharedChild


def run_alone(limits: dict[str, float], *planned: Any, **options: Any) -> Records:
    """The records of PlannedRun(*planned, **options)."""
    with SharedChild(limits) as child:
        return fit_and_predict(PlannedRun(*planned, **options), child)
