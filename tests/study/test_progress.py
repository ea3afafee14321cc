"""Progress is bounded: at most a line in two seconds, the share of the work, and the time that is left."""

from __future__ import annotations

import logging
from types import SimpleNamespace

import pytest

from linclass_study.study.progress import StudyProgress, lasting


class Clock:
    time = 0.0

    def __call__(self) -> float:
        return self.time


def record(event: str, number: int) -> logging.LogRecord:
    made = logging.makeLogRecord({"msg": "", "jobid": number, "job_id": number})
    made.event = SimpleNamespace(value=event)
    return made


def test_a_thousand_jobs_in_ten_seconds_are_at_most_six_lines_and_a_last_one():
    clock = Clock()
    progress = StudyProgress(
        logging.Formatter(), {n: (f"job {n}", 1.0) for n in range(1000)}, clock
    )
    lines = []
    for number in range(1000):
        for event in ("job_info", "job_finished"):
            made = record(event, number)
            if progress.filter(made):
                lines.append(progress.format(made))
        clock.time += 0.01
    assert len(lines) <= 10 / 2 + 2
    assert "1000 of 1000 jobs   100% of the work   nothing left" in lines[-1]


def test_the_share_is_of_the_work_and_the_time_left_follows_from_it():
    clock = Clock()
    # Work is 99 + 1 and 0 + 1, a second of each for its start: the first is 100 of 101.
    progress = StudyProgress(logging.Formatter(), {1: ("large", 99.0), 2: ("small", 0.0)}, clock)
    clock.time = 1000.0
    made = record("job_finished", 1)
    assert progress.filter(made)
    # 1000 s for 100 units leave 10 s for one.
    assert progress.format(made).split("   ")[-3:] == [
        " 99% of the work",
        "about 10 s left",
        "done: large",
    ]


def test_errors_are_never_held_back():
    progress = StudyProgress(logging.Formatter(), {1: ("job", 1.0)}, Clock())
    assert progress.filter(record("job_info", 1))
    assert not progress.filter(record("job_info", 1))
    assert progress.filter(record("job_error", 1))


@pytest.mark.parametrize(
    ("seconds", "words"), [(0.2, "1 s"), (59, "59 s"), (90, "2 min"), (7200, "2 h"), (2e5, "2 d")]
)
def test_times_are_reported_in_one_number(seconds, words):
    assert lasting(seconds) == words
