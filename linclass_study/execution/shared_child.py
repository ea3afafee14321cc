"""The guarded child that consecutive runs of a job share.

Starting Python and importing libraries costs more than most light runs. linclass and scikit-learn keep no state
between fits, so the methods of each of them share a child; any other estimator gets its own child, because the state
of its module must not reach the fits of another method.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from linclass_study.execution.run_files import Limits
from linclass_study.pipeline.method import named_steps
from linclass_study.processes.guard import START_SECONDS, Guard

WORKER = "linclass_study.execution.worker:Worker"
STATELESS = ("linclass", "sklearn")


class SharedChild:
    def __init__(self, limits: Mapping[str, float]):
        self.limits = limits
        self.owner = ""
        self.fitting = 0.0  # processor seconds of fits and predictions
        self._guard: Guard | None = None

    def __enter__(self) -> SharedChild:
        return self

    def __exit__(self, *_: object) -> None:
        self._end()

    @property
    def limits_of_fit(self) -> Limits:
        return limits_of_fit(self.limits)

    def turn(self, run: str, features: str, entry: Mapping[str, Any], task: Any) -> Guard:
        """The guard, ready for the fits of this method on these features."""
        owner = owner_of(run, entry)
        arguments = {"features": features, "entry": entry, "task": task}
        if self._guard is None or owner != self.owner:
            self._end()
            seconds, memory, start = self.limits_of_fit
            guard = Guard(WORKER, arguments, seconds, memory, start_seconds=start)
            self.owner, self._guard = owner, guard
        self._guard.use(arguments, f"importing {entry['classifier']} and loading the data")
        return self._guard

    def _end(self) -> None:
        if self._guard is not None:
            self._guard.__exit__()
            self.fitting += self._guard.called
            self._guard = None


def limits_of_fit(limits: Mapping[str, float]) -> Limits:
    """The limits of a fit, of those of a study."""
    start = limits.get("fit_start_seconds", START_SECONDS)
    return limits["fit_seconds"], limits["fit_memory_mb"], start


def owner_of(run: str, entry: Mapping[str, Any]) -> str:
    """Owner of the child: the library, if all classes of the entry belong to one without state; else the run."""
    packages = {path.partition(".")[0] for path in _classes(entry)}
    return min(packages) if len(packages) == 1 and packages <= {*STATELESS} else run


def _classes(value: Any) -> list[str]:
    """Import paths of an entry's classifier, of its transforms, and of the estimators in their parameters."""
    if isinstance(value, Mapping):
        own = [value["classifier"]] if "classifier" in value else []
        own += [name for name, _ in named_steps(value.get("transforms")) if "." in name]
        return own + [path for inner in value.values() for path in _classes(inner)]
    return [path for inner in value for path in _classes(inner)] if isinstance(value, list) else []
