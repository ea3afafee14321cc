"""What jobs ask of a cluster grows with their data and attempts, and ends where the study's own limits end."""

from __future__ import annotations

import math
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any

from linclass_study.execution import jobs
from linclass_study.execution.jobs import Bundle


def test_more_data_and_more_attempts_ask_for_more_memory() -> None:
    light, heavy = (jobs.memory_mb(mb, 4000, 1) for mb in (1, 400))
    assert heavy - light == 8 * 399
    attempts = [jobs.memory_mb(400, 10_000, attempt) for attempt in (1, 2, 3, 4)]
    assert attempts[0] < attempts[1] < attempts[2] == attempts[3]


def test_the_third_attempt_has_room_for_all_that_a_fit_may_take() -> None:
    for limit in (10, 4000, 100_000):
        whole = jobs.memory_mb(400, limit, 3)
        assert whole == jobs.memory_mb(400, 0, 1) + limit
        assert all(jobs.memory_mb(400, limit, attempt) <= whole for attempt in (1, 2))


def test_time_is_doubled_up_to_what_the_limit_of_a_fit_allows() -> None:
    first, second = (jobs.minutes(900, 1000, 300, attempt) for attempt in (1, 2))
    assert first == 5 + 5 * 15
    assert second == 2 * first
    assert jobs.minutes(900, 10, 60, 3) == 5 + 10


def test_the_third_attempt_has_time_for_a_run_whose_fits_all_hang() -> None:
    """Its rows are `timeout`, as on a laptop, only if the job outlives them."""
    attempts = [jobs.minutes(60, 1000, 300, attempt, longest=15) for attempt in (1, 2, 3)]
    assert attempts == [10, 20, 40 + 15 * 5]
    assert jobs.minutes(60, 15, 300, 3, longest=15) == 5 + 15 * 5, "at most what limits allow"


def test_work_that_nobody_knows_asks_for_the_limit() -> None:
    assert jobs.minutes(math.inf, 10, 60, 1) == 5 + 10


def test_the_size_of_data_is_that_of_the_largest_file(tmp_path: Path) -> None:
    for name, size in {"small": 1_000_000, "large": 3_000_000}.items():
        (tmp_path / name).write_bytes(bytes(size))
    files = [tmp_path / name for name in ("small", "large", "not_there_yet")]
    assert jobs.megabytes(files) == 3
    assert jobs.megabytes([]) == 0


def test_the_files_report_how_long_a_job_takes_once_they_are_there(tmp_path: Path) -> None:
    study: Any = SimpleNamespace(
        results=str(tmp_path),
        methods={"lda": {"classifier": "linclass.LogisticRegression"}},
        features_of={"lda": "as_is"},
        evaluation={"folds": 10, "repeats": 1, "inner_folds": 5, "protocols": ["cv"]},
        limits={"fit_seconds": 3600},
    )
    bundle = Bundle("mine@lda", (("mine", "lda"),), work=math.inf)
    unknown = jobs.minutes_of_bundle(bundle, study, 1)
    asked = []
    for rows in (100, 2_000_000):
        about, features = tmp_path / "data/mine.json", tmp_path / "features/mine/as_is.npz"
        for path in (about, features):
            path.parent.mkdir(parents=True, exist_ok=True)
        about.write_text(f'{{"rows": {rows}}}')
        with features.open("wb") as file:
            file.truncate(8 * 10 * rows)  # ten features
        asked.append(jobs.minutes_of_bundle(bundle, study, 1))
    assert asked[0] < asked[1] < unknown, "of unknown size it is what the limit of a fit allows"
    halves = jobs.minutes_of_bundle(replace(bundle, shards=2), study, 1)
    assert 5 < halves < asked[1]
