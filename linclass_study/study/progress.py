"""Progress of a study in the terminal: share of the work done, and estimated time left.

     16 of 75 jobs   21 % of the work   about 3 min left   started: cross_validate iris

A line is printed when a job starts or ends, but at most one in two seconds, and one at the end. Work is measured in
expected seconds of jobs, so that many small jobs do not hide a large one. Errors and all other messages are printed by
Snakemake's own formatter, and its log file is complete.
"""

from __future__ import annotations

import logging
import time
from collections.abc import Callable, Mapping
from math import inf

OMITTED = ("Select jobs to execute", "Execute ")
EVERY = 2.0  # seconds between lines
UNKNOWN = 60.0  # expected seconds of a job without an estimate
STARTUP = 1.0  # seconds of any job in addition to its work
ENOUGH = 0.05  # share of the work that must be done before the time left is estimated
WORDS = {"job_info": "started", "job_finished": "done"}
UNITS = ((3600 * 24, "d"), (3600, "h"), (60, "min"), (1, "s"))

Jobs = Mapping[int, tuple[str, float]]  # job id → name and expected seconds


class StudyProgress(logging.Formatter):
    def __init__(
        self, usual: logging.Formatter, jobs: Jobs, now: Callable[[], float] = time.monotonic
    ):
        super().__init__()
        self.usual, self.now, self.began = usual, now, now()
        self.names = {number: name for number, (name, _) in jobs.items()}
        self.work = {
            number: STARTUP + (UNKNOWN if seconds == inf else seconds)
            for number, (_, seconds) in jobs.items()
        }
        self.total = sum(self.work.values())
        self.done: set[int] = set()
        self.last_line = -inf  # time of the last line

    def filter(self, record: logging.LogRecord) -> bool:
        """Whether a record is printed; messages of the scheduler are omitted."""
        event, text = event_of(record), str(record.msg).strip()
        if event not in WORDS:
            return (
                event != "progress" and (bool(event) or bool(text)) and not text.startswith(OMITTED)
            )
        if event == "job_finished":
            self.done.add(record.__dict__["job_id"])
        last = len(self.done) == len(self.names)
        if not last and self.now() - self.last_line < EVERY:
            return False
        self.last_line = self.now()
        return True

    def format(self, record: logging.LogRecord) -> str:
        event, about = event_of(record), record.__dict__
        if event not in WORDS:
            return self.usual.format(record)
        name = self.names.get(about["jobid" if event == "job_info" else "job_id"], "")
        share = sum(self.work.get(number, 0) for number in self.done) / self.total
        left = self._left(share)
        count = f"{len(self.done):>6} of {len(self.names)} jobs"
        return f"{count}   {share:>4.0%} of the work   {left}   {WORDS[event]}: {name}"

    def _left(self, share: float) -> str:
        if share >= 1:
            return "nothing left"
        if share < ENOUGH:
            return "time left unknown"
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
