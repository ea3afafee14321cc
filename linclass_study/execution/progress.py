"""Progress of a study in the terminal: share of the work done, and estimated time left.

     16 of 75 jobs   21 % of the work   about 3 min left   started: cross_validate iris

A line is printed when a job starts or ends, but at most one in two seconds, and one at the end. Work is measured in
seconds of jobs, those that they took and those expected of the others, so that many small jobs do not hide a large one.
Expected seconds of a kind of jobs (drawing; fits on one data set) are corrected by what its first ones took, or, before
any has ended, as those of the median kind. Snakemake's log file has every job.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from math import inf
from statistics import median
from typing import NamedTuple

from linclass.base.messages import counted

OMITTED = ("Select jobs to execute", "Execute ")
EVERY = 2.0  # seconds between lines
UNKNOWN = 60.0  # expected seconds of a job without an estimate
STARTUP = 1.0  # seconds of any job in addition to its work
ENOUGH = 0.05  # share of the work that must be done before the time left is estimated
NEARLY = 0.99  # share from which the jobs left are counted instead
WORDS = {"job_info": "started", "job_finished": "done"}
UNITS = ((3600 * 24, "d"), (3600, "h"), (60, "min"), (1, "s"))


class PlannedJob(NamedTuple):
    """A job that will run; jobs of one kind take about the expected seconds, up to a common factor."""

    name: str
    seconds: float
    kind: str


Jobs = Mapping[int, PlannedJob]  # by job id


class StudyProgress:
    def __init__(self, jobs: Jobs, now: Callable[[], float] = time.monotonic):
        self.jobs, self.now, self.began = jobs, now, now()
        self.work = {
            number: STARTUP + (UNKNOWN if job.seconds == inf else job.seconds)
            for number, job in jobs.items()
        }
        self.started: dict[int, float] = {}
        self.took: dict[int, float] = {}  # of finished jobs
        self.last_line = -inf  # time of the last line

    def is_due(self, event: str, number: int) -> bool:
        """Whether a line is printed about a job that starts or ends."""
        if event == "job_finished":
            self.took[number] = self.now() - self.started.get(number, self.began)
        else:
            self.started.setdefault(number, self.now())
        if len(self.took) < len(self.jobs) and self.now() - self.last_line < EVERY:
            return False
        self.last_line = self.now()
        return True

    def line(self, event: str, number: int) -> str:
        missing = len(self.jobs) - len(self.took)
        done, left = sum(self.took.values()), self._seconds_left()
        share = done / (done + left) if done + left else 0.0
        count = f"{len(self.took):>6} of {len(self.jobs)} jobs"
        percent = min(int(100 * share), 99) if missing else 100
        name = self.jobs[number].name if number in self.jobs else ""
        return (
            f"{count}   {percent:>3}% of the work   {self._left(share, missing)}   "
            f"{WORDS[event]}: {name}"
        )

    def omits(self, event: str | None, text: str) -> bool:
        """Whether a message says what the progress says, as those of the scheduler do."""
        return event == "progress" or text.strip().startswith(OMITTED)

    def _seconds_left(self) -> float:
        """Seconds of all jobs that have not ended, whether or not they run at once."""
        took: dict[str, float] = {}
        expected: dict[str, float] = {}
        for number, seconds in self.took.items():
            if number in self.jobs:
                kind = self.jobs[number].kind
                took[kind] = took.get(kind, 0) + seconds
                expected[kind] = expected.get(kind, 0) + self.work[number]
        factors = {kind: took[kind] / expected[kind] for kind in took}
        usual = median(factors.values()) if factors else 1.0
        return sum(
            self.work[number] * factors.get(job.kind, usual)
            for number, job in self.jobs.items()
            if number not in self.took
        )

    def _left(self, share: float, missing: int) -> str:
        if not missing:
            return "nothing left"
        if share < ENOUGH:
            return "time left unknown"
        if share >= NEARLY:
            return f"nearly done: {counted(missing, 'job')} left"
        return f"about {lasting((self.now() - self.began) * (1 - share) / share)} left"


def lasting(seconds: float) -> str:
    """A duration with one unit: 90 → 2 min."""
    size, unit = next(((size, unit) for size, unit in UNITS if seconds >= size), UNITS[-1])
    return f"{max(round(seconds / size), 1)} {unit}"
