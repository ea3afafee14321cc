"""Which runs share a job: a function of the entries and of `jobs:`, and stable."""

from __future__ import annotations

from math import inf

import pytest
from cases import each

from linclass_study.data.entry.expected_size import Size
from linclass_study.execution.jobs import divisible, seconds_of_run
from linclass_study.execution.jobs import plan as plan_jobs

JOBS = {"work": 20, "across": False, "shards": 1}
EVALUATION = {"protocols": ["cv"], "folds": 10, "repeats": 1, "inner_folds": 5}


def works(seconds, datasets=("a", "b"), methods=40):
    return {(d, f"m{k}"): seconds for d in datasets for k in range(methods)}


def plan(runs, divisible=True, **jobs):
    return plan_jobs(runs, JOBS | jobs, lambda method: divisible)


def runs_of(planned):
    return [run for bundle in planned.values() for run in bundle.runs]


@each("across", [False, True])
@each("seconds", [0.01, 1.0, 6.0, inf])
def test_every_run_is_in_exactly_one_job(seconds, across):
    runs = works(seconds)
    assert sorted(runs_of(plan(runs, across=across))) == sorted(runs)


def test_light_runs_on_a_data_set_share_a_job_and_heavy_ones_are_alone():
    runs = works(0.1) | {("a", "slow"): 6.0, ("b", "unknown"): inf}
    assert list(plan(runs)) == ["a@slow", "b@unknown", "a", "b"]


def test_more_light_runs_than_a_job_should_hold_are_parted_by_their_methods():
    planned = plan(works(2.0, datasets=("a",)))  # 80 s in jobs of 20
    assert set(planned) == {f"a~{k}-of-4" for k in (1, 2, 3, 4)}
    assert sum(bundle.work for bundle in planned.values()) == pytest.approx(80)


def test_small_data_sets_share_jobs_where_that_is_asked_for():
    planned = plan(works(0.1, datasets=[f"d{k}" for k in range(30)]), across=True)  # 4 s each
    assert all(bundle.name.startswith("~") for bundle in planned.values())
    assert len(planned) <= 8
    places = [bundle.name for bundle in planned.values() for _ in bundle.datasets]
    assert len(places) == 30, "a data set is in two jobs"


def test_a_new_method_or_data_set_moves_no_other_run():
    def job_of(planned):
        return {run: bundle.name for bundle in planned.values() for run in bundle.runs}

    before = job_of(plan(works(1.0), across=True))
    more = works(1.0) | {("a", "new"): 1.0, ("c", "m1"): 1.0, ("c", "heavy"): 100.0}
    after = job_of(plan(more, across=True))
    assert {run: after[run] for run in before} == before


def test_only_fits_that_are_made_one_by_one_are_distributed_to_several_jobs():
    runs = {("a", "slow"): 100.0, ("a", "unknown"): inf, ("a", "light"): 1.0}
    assert {b.name: b.shards for b in plan(runs, shards=8).values()} == {
        "a@slow@5": 5, "a@unknown@8": 8, "a": 1
    }  # fmt: skip
    assert {b.shards for b in plan(runs, divisible=False, shards=8).values()} == {1}


def test_tuned_fits_are_made_one_by_one_and_those_of_sums_together():
    assert divisible({"classifier": "linclass.LogisticRegression", "tune": {"strength": [1]}})
    assert not divisible({"classifier": "linclass.GaussianNB"})
    assert divisible({"classifier": "linclass.ZeroOneClassifier"})


def test_work_grows_with_the_data_the_folds_and_the_tuning():
    logistic = {"classifier": "linclass.LogisticRegression"}
    small, large = Size(600, 150), Size(600_000, 10_000)
    tuned = logistic | {"tune": {"strength": [1, 2, 3]}}
    base = seconds_of_run(small, logistic, EVALUATION)
    assert seconds_of_run(large, logistic, EVALUATION) > 10 * base
    assert seconds_of_run(small, tuned, EVALUATION) > base
    assert seconds_of_run(small, logistic, EVALUATION | {"repeats": 3}) == pytest.approx(3 * base)
    assert seconds_of_run(None, logistic, EVALUATION) == inf
