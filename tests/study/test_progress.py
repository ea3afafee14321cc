"""Progress is bounded: at most a line in two seconds, the share of the work, and the time that is left."""

from __future__ import annotations

import re

from cases import each

from linclass_study.execution.terminal import PlannedJob, StudyProgress, lasting


class Clock:
    time = 0.0

    def __call__(self) -> float:
        return self.time


def test_a_thousand_jobs_in_ten_seconds_are_at_most_six_lines_and_a_last_one():
    clock = Clock()
    progress = StudyProgress({n: PlannedJob(f"job {n}", 1.0, "fit") for n in range(1000)}, clock)
    lines = []
    for number in range(1000):
        for event in ("job_info", "job_finished"):
            if progress.is_due(event, number):
                lines.append(progress.line(event, number))
        clock.time += 0.01
    assert len(lines) <= 10 / 2 + 2
    assert "1000 of 1000 jobs   100% of the work   nothing left" in lines[-1]


def test_the_share_is_of_the_work_and_the_time_left_follows_from_it():
    clock = Clock()
    # Work is 99 + 1 and 0 + 1, a second of each for its start: the first is 100 of 101.
    jobs = {1: PlannedJob("large", 99.0, "fit"), 2: PlannedJob("small", 0.0, "draw")}
    progress = StudyProgress(jobs, clock)
    clock.time = 980.0
    assert progress.is_due("job_finished", 1)
    # 980 s for 100 units leave 9.8 s for one, 1 − 100/101 of all.
    assert progress.line("job_finished", 1).split("   ")[-3:] == [
        " 99% of the work",
        "nearly done: 1 job left",
        "done: large",
    ]


def lines_of(jobs: dict[int, PlannedJob], took: list[float]) -> list[str]:
    """Share, time left and name, at the end of each of the jobs that run one after another."""
    clock = Clock()
    progress, lines = StudyProgress(jobs, clock), []
    for number, seconds in enumerate(took):
        progress.is_due("job_info", number)
        clock.time += seconds
        progress.is_due("job_finished", number)
        lines.append(progress.line("job_finished", number).partition(" jobs ")[2].strip())
    return lines


def test_a_kind_that_is_expected_far_too_long_is_corrected_by_its_first_job():
    """Ten fits are expected to take 1000 s each and take 10; five figures 9 + 1 s, which they take."""
    fits = {n: PlannedJob("fit", 999.0, "fit newsgroups") for n in range(10)}
    figures = {n: PlannedJob("figure", 9.0, "draw") for n in range(10, 15)}
    lines = lines_of(fits | figures, [10.0] * 15)
    # After the first figure 4 are left, all of the same length: 11 of 15.
    assert "73% of the work   about 40 s left" in lines[10]
    shares = [int(re.search(r"(\d+)% of the work", line)[1]) for line in lines]
    assert shares[-2:] == [93, 100]
    # After the first fit: 10 s of 10 + 9 · 10 + 5 · 10/100.
    assert shares[0] == 9


def test_progress_does_not_show_100_percent_before_the_end():
    jobs = {0: PlannedJob("fit", 9999.0, "fit")} | {
        n: PlannedJob("table", 0.0, "table") for n in range(1, 4)
    }
    lines = lines_of(jobs, [10_000.0, 0.001, 0.001, 0.001])
    assert [line.rpartition("   ")[0].strip() for line in lines] == [
        "99% of the work   nearly done: 3 jobs left",
        "99% of the work   nearly done: 2 jobs left",
        "99% of the work   nearly done: 1 job left",
        "100% of the work   nothing left",
    ]


@each(
    ("seconds", "words"), [(0.2, "1 s"), (59, "59 s"), (90, "2 min"), (7200, "2 h"), (2e5, "2 d")]
)
def test_times_are_reported_in_one_number(seconds, words):
    assert lasting(seconds) == words
