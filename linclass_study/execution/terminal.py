"""What Snakemake prints in the terminal: a plan on one screen, the progress of a run, errors in Snakemake's own words.

    job              count
    fetch                7   breast_cancer, gaussians, heart and 4 others
    cross_validate      22   breast_cancer~1-of-2, breast_cancer~2-of-2, gaussians and 19 others
    …
    gaussians: 23 of 23 runs to fit: bagging, fisher, knn, lasso, lda and 18 others

`snakemake -n --quiet host` prints each job of the plan with all its files and its reason instead. While jobs run:

     16 of 75 jobs   21 % of the work   about 3 min left   started: cross_validate iris

A line is printed when a job starts or ends, but at most one in two seconds, and one at the end. Work is measured in
expected seconds of jobs, so that many small jobs do not hide a large one. Snakemake's log file has every job.
"""

from __future__ import annotations

import contextlib
import logging
import sys
import time
from collections.abc import Callable, Iterable, Mapping
from math import inf
from typing import Any

from snakemake_interface_logger_plugins.base import LogHandlerBase
from snakemake_interface_logger_plugins.common import LogEvent

from linclass.base.messages import counted, names_and_others

OMITTED = ("Select jobs to execute", "Execute ")
EVERY = 2.0  # seconds between lines
UNKNOWN = 60.0  # expected seconds of a job without an estimate
STARTUP = 1.0  # seconds of any job in addition to its work
ENOUGH = 0.05  # share of the work that must be done before the time left is estimated
NEARLY = 0.99  # share from which the jobs left are counted instead
WORDS = {"job_info": "started", "job_finished": "done"}
UNITS = ((3600 * 24, "d"), (3600, "h"), (60, "min"), (1, "s"))


# number of a job that will run → its name and expected seconds
Jobs = Mapping[int, tuple[str, float]]


class StudyProgress:
    def __init__(self, jobs: Jobs, now: Callable[[], float] = time.monotonic):
        self.now, self.began = now, now()
        self.names = {number: name for number, (name, _) in jobs.items()}
        self.work = {
            number: STARTUP + (UNKNOWN if seconds == inf else seconds)
            for number, (_, seconds) in jobs.items()
        }
        self.finished: set[int] = set()
        self.last_line = -inf  # time of the last line

    def is_due(self, event: str, number: int) -> bool:
        """Whether a line is printed about a job that starts or ends."""
        if event == "job_finished":
            self.finished.add(number)
        if len(self.finished) < len(self.work) and self.now() - self.last_line < EVERY:
            return False
        self.last_line = self.now()
        return True

    def line(self, event: str, number: int) -> str:
        missing = len(self.work) - len(self.finished)
        done = sum(self.work.get(each, 0.0) for each in self.finished)
        share = done / sum(self.work.values()) if self.work else 0.0
        percent = min(int(100 * share), 99) if missing else 100
        if not missing:
            left = "nothing left"
        elif share < ENOUGH:
            left = "time left unknown"
        elif share >= NEARLY:
            left = f"nearly done: {counted(missing, 'job')} left"
        else:
            left = f"about {lasting((self.now() - self.began) * (1 - share) / share)} left"
        return (
            f"{len(self.finished):>6} of {len(self.work)} jobs   {percent:>3}% of the work   {left}   "
            f"{WORDS[event]}: {self.names.get(number, '')}"
        )


def lasting(seconds: float) -> str:
    """A duration with one unit: 90 → 2 min."""
    size, unit = next(((size, unit) for size, unit in UNITS if seconds >= size), UNITS[-1])
    return f"{max(round(seconds / size), 1)} {unit}"


NAMED = 3  # jobs of a rule
JOB_NUMBER = {LogEvent.JOB_INFO: "jobid", LogEvent.JOB_FINISHED: "job_id"}  # event → its key
RED, END = "\033[31m", "\033[0m"

Planned = dict[str, list[Mapping[str, str]]]  # rule → the wildcards of its jobs

_runs_to_fit: list[Callable[[Planned], Iterable[str]]] = []
_progress: list[StudyProgress] = []


def show_runs_to_fit(lines: Callable[[Planned], Iterable[str]]) -> None:
    """Print these lines below the jobs of a plan."""
    _runs_to_fit[:] = [lines]


def show_progress(jobs: Jobs) -> None:
    """Start to print the progress of a run with these jobs."""
    _progress[:] = [StudyProgress(jobs)]


class Terminal(LogHandlerBase):
    writes_to_stream = True
    writes_to_file = False
    has_filter = False
    has_formatter = False
    needs_rulegraph = False

    def __post_init__(self) -> None:
        settings = self.common_settings
        self.stream = sys.stdout if settings.stdout else sys.stderr
        self.red = not settings.nocolor and self.stream.isatty()
        quiet = {getattr(part, "name", str(part)).lower() for part in settings.quiet or ()}
        self.short_plan = settings.dryrun and "reason" in quiet
        self.planned: Planned = {}
        self.has_shown_jobs = False

    def emit(self, record: logging.LogRecord) -> None:
        try:
            for text in filter(None, self.texts(record)):
                red = self.red and record.levelno >= logging.ERROR
                self.stream.write(f"{RED}{text}{END}\n" if red else f"{text}\n")
            self.stream.flush()
        except BrokenPipeError:
            raise
        except Exception:
            self.handleError(record)

    def texts(self, record: logging.LogRecord) -> Iterable[str]:
        event = getattr(record, "event", None)
        if self.common_settings.dryrun and event == LogEvent.RUN_INFO:
            # once before and once after all jobs
            jobs, self.has_shown_jobs = self.has_shown_jobs, True
            if self.short_plan:
                return self.plan(record.__dict__["stats"]) if jobs else []
            return [] if jobs else [self.format(record)]
        if self.short_plan and event == LogEvent.JOB_INFO:
            about = record.__dict__
            self.planned.setdefault(about["rule_name"], []).append(about["wildcards"])
            return []
        for progress in _progress:
            if event in JOB_NUMBER:
                number = record.__dict__[JOB_NUMBER[event]]
                return [progress.line(event, number)] if progress.is_due(event, number) else []
            if event == "progress" or str(record.msg).strip().startswith(OMITTED):
                return []  # what the progress says
        text = self.format(record)
        return [] if text == "None" else [text]  # of a record without a message

    def plan(self, stats: Mapping[str, Any]) -> Iterable[str]:
        """The table of jobs, and the runs that are fitted."""
        width = max(map(len, stats))
        yield f"{'job':<{width}}  count"
        yield f"{'-' * width}  -----"
        for rule, count in stats.items():
            jobs = [" ".join(wildcards.values()) for wildcards in self.planned.get(rule, [])]
            names = names_and_others(sorted(jobs), NAMED) if any(jobs) else ""
            yield f"{rule:<{width}}  {count:>5}  {names}".rstrip()
        for lines in _runs_to_fit:
            with contextlib.suppress(OSError):
                yield from lines(self.planned)
