"""What a run says while it works: a line when a job starts, a line when it is done, and what is left.

    start                     cross_validate   dataset=iris, method=lda
     16 of 75   21 %          cross_validate   dataset=iris, method=lda   0.8 s   left: 34 cross_validate, 24 more

Errors and everything else are said by Snakemake's own formatter, and its log file keeps all in full.
"""

from __future__ import annotations

import logging
import time
from collections import Counter
from collections.abc import Iterable, Mapping
from typing import Any

UNSAID = ("Select jobs to execute", "Execute ")


class Progress(logging.Formatter):
    def __init__(self, usual: logging.Formatter, left: Mapping[str, int]):
        super().__init__()
        self.usual = usual
        self.left = Counter(left)
        self.total = sum(left.values())
        self.started: dict[int, tuple[str, str, float]] = {}

    def format(self, record: logging.LogRecord) -> str:
        match event_of(record):
            case "job_info":
                return self._start(record.__dict__)
            case "job_finished" if record.__dict__["job_id"] in self.started:
                return self._done(record.__dict__["job_id"])
            case _:
                return self.usual.format(record)

    def filter(self, record: logging.LogRecord) -> bool:
        """Our lines hold the progress already, and the scheduler may keep its thoughts."""
        event, text = event_of(record), str(record.msg).strip()
        return event != "progress" and (bool(event) or bool(text)) and not text.startswith(UNSAID)

    def _start(self, job: Mapping[str, Any]) -> str:
        wildcards = ", ".join(f"{name}={value}" for name, value in job["wildcards"].items())
        self.started[job["jobid"]] = job["rule_name"], wildcards, time.monotonic()
        return f"{'start':<20} {job['rule_name']:<15} {wildcards}"

    def _done(self, job: int) -> str:
        rule, wildcards, begin = self.started.pop(job)
        self.left[rule] -= 1
        done = self.total - self.left.total()
        count = f"{done:>3} of {self.total} {done / self.total:>6.0%}"
        seconds = time.monotonic() - begin
        return f"{count:<20} {rule:<15} {wildcards}   {seconds:.1f} s   {self._what_is_left()}"

    def _what_is_left(self) -> str:
        left = +self.left
        if not left:
            return "nothing left"
        (rule, count), *_ = left.most_common(1)
        others = left.total() - count
        return f"left: {count} {rule}" + (f", {others} more" if others else "")


def attach(logger: logging.Logger, rules: Iterable[str]) -> None:
    """Speak for Snakemake's terminal handler; `rules` names the rule of each job that will run."""
    left = Counter(rules)
    for handler in logger.handlers:
        usual = handler.formatter
        if type(usual).__name__ == "DefaultFormatter" and not isinstance(
            handler, logging.FileHandler
        ):
            progress = Progress(usual, left)  # type: ignore[arg-type]
            handler.setFormatter(progress)
            handler.addFilter(progress.filter)


def event_of(record: logging.LogRecord) -> str:
    return getattr(getattr(record, "event", None), "value", "")
