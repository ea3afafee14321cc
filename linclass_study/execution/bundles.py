"""Bundles: the runs that share a job. Light runs of a data set share one; a heavy run has a job of its own.

Membership depends on the entries (expected size of the data, cost of the method) and on `jobs:` of the study, never on
time or cores. It is stable: a hash of the run's name selects its part, and the number of parts is a power of two, so a
new method or data set moves few others. No result depends on it: a run's files record their inputs
(execution/run_files.py), so a run that moves to another job is not fitted again.

iris             all light runs on iris          iris~2-of-4      a part of them, by the method's name
~3-of-8          light runs on several small data sets (`jobs: {across: true}`), by their names
iris@svm         one heavy run                   iris@svm@8       one heavy run, its fits distributed to 8 jobs
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from math import inf
from typing import TYPE_CHECKING, Any

from linclass.base.parts import import_class
from linclass_study.data.entry.expected_size import expected_size
from linclass_study.execution.work import seconds_of_run

if TYPE_CHECKING:
    from linclass_study.config.config import Study

Run = tuple[str, str]  # data set, method
ALONE = 1 / 4  # of a job's work: a run of at least this size has a job of its own


@dataclass(frozen=True)
class Bundle:
    name: str
    runs: tuple[Run, ...]
    work: float  # expected seconds; infinity if unknown
    shards: int = 1

    @property
    def datasets(self) -> list[str]:
        return list(dict.fromkeys(dataset for dataset, _ in self.runs))


def plan(
    works: Mapping[Run, float], jobs: Mapping[str, Any], divisible: Callable[[str], bool]
) -> dict[str, Bundle]:
    """Name → bundle, in the order of `works`, the expected seconds of each run.

    jobs        work: seconds that a job should take; across: whether small data sets share jobs;
                shards: maximal number of jobs for a heavy run
    divisible   whether the fits of a method may be distributed to several jobs
    """
    bundles: list[Bundle] = []
    light: dict[str, dict[Run, float]] = {}
    for (dataset, method), seconds in works.items():
        if seconds < ALONE * jobs["work"]:
            light.setdefault(dataset, {})[dataset, method] = seconds
        else:
            shards = _shards(seconds, jobs)
            shards = shards if shards > 1 and divisible(method) else 1
            name = f"{dataset}@{method}" + (f"@{shards}" if shards > 1 else "")
            bundles.append(Bundle(name, ((dataset, method),), seconds, shards))
    small = {
        dataset: runs
        for dataset, runs in light.items()
        if jobs["across"] and sum(runs.values()) < jobs["work"] / 2
    }
    for dataset, runs in light.items():
        if dataset not in small:
            bundles += _parts(dataset, runs, jobs["work"], key=lambda run: run[1])
    shared = {run: seconds for runs in small.values() for run, seconds in runs.items()}
    bundles += _parts("", shared, jobs["work"], key=lambda run: run[0])
    return {bundle.name: bundle for bundle in bundles}


def of_study(study: Study) -> dict[str, Bundle]:
    """Name → bundle."""
    sizes = {name: expected_size(entry, study.root) for name, entry in study.datasets.items()}
    works = {
        (dataset, method): seconds_of_run(size, entry, study.evaluation)
        for dataset, size in sizes.items()
        for method, entry in study.methods.items()
    }
    return plan(works, study.jobs, lambda method: divisible(study.methods[method]))


def divisible(entry: Mapping[str, Any]) -> bool:
    """Whether the fits of a method are independent, as those of a tuned method are: folds that are fitted jointly
    have the same last digits only when fitted jointly again."""
    if entry.get("tune"):
        return True
    return not callable(getattr(import_class(entry["classifier"]), "fit_many", None))


def of_datasets(bundles: Iterable[Bundle]) -> dict[str, list[Bundle]]:
    """Data set → the bundles that contain its runs."""
    found: dict[str, list[Bundle]] = {}
    for bundle in bundles:
        for dataset in bundle.datasets:
            found.setdefault(dataset, []).append(bundle)
    return found


def _parts(
    name: str, runs: Mapping[Run, float], seconds: float, key: Callable[[Run], str]
) -> Iterable[Bundle]:
    """Divide runs into parts of about this much work; runs with equal keys stay together."""
    parts = 1
    while sum(runs.values()) > 1.5 * parts * seconds:
        parts *= 2
    members: list[list[Run]] = [[] for _ in range(parts)]
    for run in runs:
        members[_number(key(run)) % parts].append(run)
    for place, own in enumerate(members):
        if own:
            full = name if parts == 1 and name else f"{name}~{place + 1}-of-{parts}"
            yield Bundle(full, tuple(own), sum(runs[run] for run in own))


def _shards(seconds: float, jobs: Mapping[str, Any]) -> int:
    if seconds == inf:
        return jobs["shards"]
    return min(jobs["shards"], max(1, round(seconds / jobs["work"])))


def _number(name: str) -> int:
    return int.from_bytes(hashlib.blake2b(name.encode(), digest_size=8).digest(), "big")
