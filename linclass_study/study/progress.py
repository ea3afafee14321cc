"""Progress of a study in the terminal: share of the work done, and estimated time left.

     16 of 75 jobs   21 % of the work   about 3 min left   started: cross_validate iris

A line is printed when a job starts or ends, but at most one in two seconds, and one at the end. Work is measured in
seconds of jobs, those that they took and those expected of the others, so that many small jobs do not hide a large one.
Expected seconds of a kind of jobs (drawing; fits on one data set) are corrected by what its first ones took, or, before
any has ended, as those of the median kind. Errors and all other messages are printed by Snakemake's own formatter, and
its log file is complete.
"""

from __future__ import annotations

import logging
import time
from collections.abc import Callable, Mapping
from math import inf
from statistics import median
from typing import NamedTuple

from linclass.counted import counted

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


class StudyProgress(logging.Formatter):
    def __init__(
        self, usual: logging.Formatter, jobs: Jobs, now: Callable[[], float] = time.monotonic
    ):
        super().__init__()
        self.usual, self.jobs, self.now, self.began = usual, jobs, now, now()
        self.work = {
            number: STARTUP + (UNKNOWN if job.seconds == inf else job.seconds)
            for number, job in jobs.items()
        }
        self.started: dict[int, float] = {}
        self.took: dict[int, float] = {}  # of finished jobs
        self.last_line = -inf  # time of the last line

    def filter(self, record: logging.LogRecord) -> bool:
        """Whether a record is printed; messages of the scheduler are omitted."""
        event, text = event_of(record), str(record.msg).strip()
        if event not in WORDS:
            return (
                event != "progress" and (bool(event) or bool(text)) and not text.startswith(OMITTED)
            )
        if event == "job_finished":
            number = record.__dict__["job_id"]
            self.took[number] = self.now() - self.started.get(number, self.began)
        else:
            self.started.setdefault(record.__dict__["jobid"], self.now())
        last = len(self.took) == len(self.jobs)
        if not last and self.now() - self.last_line < EVERY:
            return False
        self.last_line = self.now()
        return True

    def format(self, record: logging.LogRecord) -> str:
        event, about = event_of(record), record.__dict__
        if event not in WORDS:
            return self.usual.format(record)
        job = self.jobs.get(about["jobid" if event == "job_info" else "job_id"])
        done, left = sum(self.took.values()), self._seconds_left()
        share = done / (done + left) if done + left else 0.0
        missing = len(self.jobs) - len(self.took)
        count = f"{len(self.took):>6} of {len(self.jobs)} jobs"
        percent = min(int(100 * share), 99) if missing else 100
        words = self._left(share, missing)
        return f"{count}   {percent:>3}% of the work   {words}   {WORDS[event]}: {job.name if job else ''}"

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


def attach(logger: logging.Logger, jobs: Jobs) -> None:
    """Replace the formatter of Snakemake's terminal handler; `jobs` are those that will run."""
    for handler in logger.handlers:
        usual = handler.formatter
        if type(usual).__name__ == "DefaultFormatter" and not isinstance(
            handler, logging.FileHandler
        ):
            progress = StudyProgress(usual, jobs)  # type: ignore[arg-type]
            handler.setFormatter(progress)
            handler.addFilter(progress.filter)


def event_of(record: logging.LogRecord) -> str:
    return getattr(getattr(record, "event", None), "value", "")
