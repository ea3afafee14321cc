"""A run in a child process of its own, or in this process."""

from __future__ import annotations

from typing import Any

from linclass_study.execution.records import Records
from linclass_study.execution.run import PlannedRun, SharedChild, fit_and_predict
from linclass_study.execution.worker import Worker
from linclass_study.processes.guard import GuardedResult
from linclass_study.processes.guarded_child import answer_of_call


def run_alone(limits: dict[str, float], *planned: Any, **options: Any) -> Records:
    """The records of PlannedRun(*planned, **options)."""
    with SharedChild(limits) as child:
        return fit_and_predict(PlannedRun(*planned, **options), child)


class Here:
    """A child of fit_and_predict without a process of its own."""

    seconds, has_begun = 60.0, True

    limits_of_fit = 60.0, 1000.0, 120.0

    def __init__(self) -> None:
        self.calls: list[tuple[Any, ...]] = []

    def turn(self, run: str, features: str, entry: dict[str, Any], task: dict[str, Any]) -> Here:
        self.worker = Worker(features, entry, task)
        return self

    def call(self, *asked: Any) -> GuardedResult:
        self.calls.append(asked)
        return GuardedResult(*answer_of_call(self.worker, *asked)[0])
