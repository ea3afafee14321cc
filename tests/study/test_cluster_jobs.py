"""Jobs of a cluster: which runs share a job, which resources they request, and how Slurm's failures are handled."""

from dataclasses import replace
from math import inf
from pathlib import Path
from types import SimpleNamespace

import pytest
from cases import each

from linclass_study.data.expected_size import Size
from linclass_study.errors import StudyError
from linclass_study.execution import job_plan
from linclass_study.execution import slurm as slurm_jobs
from linclass_study.execution.job_plan import Bundle, divisible, seconds_of_run
from linclass_study.execution.job_plan import plan as plan_jobs

# Which runs share a job: a function of the entries and of `jobs:`, and stable

JOBS = {"work": 20, "across": False, "shards": 1}
EVALUATION = {"protocols": ["cv"], "folds": 10, "repeats": 1, "inner_folds": 5}


def works(seconds, datasets=("a", "b"), methods=40):
    return {(d, f"m{k}"): seconds for d in datasets for k in range(methods)}


def plan(runs, divisible=True, **jobs):
    return plan_jobs(runs, JOBS | jobs, lambda method: divisible)


@each("across", [False, True])
@each("seconds", [0.01, 1.0, 6.0, inf])
def test_every_run_is_in_exactly_one_job(seconds, across):
    runs = works(seconds)
    planned = plan(runs, across=across)
    assert sorted(run for bundle in planned.values() for run in bundle.runs) == sorted(runs)


def test_light_runs_share_jobs_that_are_split_by_method_or_joined_on_request():
    runs = works(0.1) | {("a", "slow"): 6.0, ("b", "unknown"): inf}
    assert list(plan(runs)) == ["a@slow", "b@unknown", "a", "b"]
    planned = plan(works(2.0, datasets=("a",)))  # 80 s in jobs of 20
    assert set(planned) == {f"a~{k}-of-4" for k in (1, 2, 3, 4)}
    assert sum(bundle.work for bundle in planned.values()) == pytest.approx(80)
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
    params = {"rule": "aic", "estimator": logistic}
    by_aic = {"classifier": "linclass.TunedClassifier", "params": params}
    base = seconds_of_run(small, logistic, EVALUATION)
    assert seconds_of_run(large, logistic, EVALUATION) > 10 * base
    for tuned in (logistic | {"tune": {"strength": [1, 2, 3]}}, by_aic):
        assert seconds_of_run(small, tuned, EVALUATION) > base
    assert seconds_of_run(small, logistic, EVALUATION | {"repeats": 3}) == pytest.approx(3 * base)
    assert seconds_of_run(None, logistic, EVALUATION) == inf
    kernel = {"classifier": "linclass.KernelSVM"}
    few, many = (seconds_of_run(Size(rows, rows), kernel, EVALUATION) for rows in (10**4, 10**5))
    assert many == pytest.approx(100 * few, rel=0.01), "a kernel matrix grows with the square"


# What jobs ask of a cluster grows with their data and attempts, and ends where the study's own limits end


def test_memory_grows_with_data_and_attempts_up_to_the_limit_of_a_fit():
    light, heavy = (job_plan.memory_mb(mb, 4000, 1) for mb in (1, 400))
    assert heavy - light == 8 * 399
    attempts = [job_plan.memory_mb(400, 10_000, attempt) for attempt in (1, 2, 3, 4)]
    assert attempts[0] < attempts[1] < attempts[2] == attempts[3]
    for limit in (10, 4000, 100_000):
        whole = job_plan.memory_mb(400, limit, 3)
        assert whole == job_plan.memory_mb(400, 0, 1) + limit
        assert all(job_plan.memory_mb(400, limit, attempt) <= whole for attempt in (1, 2))


def test_time_is_doubled_up_to_the_limits_and_the_third_attempt_outlives_hanging_fits():
    """Its rows are `timeout`, as on a laptop, only if the job outlives them."""
    first, second = (job_plan.minutes(900, 1000, 300, attempt) for attempt in (1, 2))
    assert first == 5 + 5 * 15
    assert second == 2 * first
    assert job_plan.minutes(900, 10, 60, 3) == 5 + 10
    attempts = [job_plan.minutes(60, 1000, 300, attempt, longest=15) for attempt in (1, 2, 3)]
    assert attempts == [10, 20, 40 + 15 * 5]
    assert job_plan.minutes(60, 15, 300, 3, longest=15) == 5 + 15 * 5, "at most what limits allow"


def test_the_size_of_data_is_that_of_the_largest_file(tmp_path):
    for name, size in {"small": 1_000_000, "large": 3_000_000}.items():
        (tmp_path / name).write_bytes(bytes(size))
    assert (
        job_plan.megabytes([tmp_path / name for name in ("small", "large", "not_there_yet")]) == 3
    )
    assert job_plan.megabytes([]) == 0


def test_the_files_report_how_long_a_job_takes_once_they_are_there(tmp_path):
    study = SimpleNamespace(
        results=str(tmp_path),
        methods={"lda": {"classifier": "linclass.LogisticRegression"}},
        features_of={"lda": "as_is"},
        evaluation={"folds": 10, "repeats": 1, "inner_folds": 5, "protocols": ["cv"]},
        limits={"fit_seconds": 3600},
    )
    bundle = Bundle("mine@lda", (("mine", "lda"),), work=inf)
    unknown = job_plan.minutes_of_bundle(bundle, study, 1)
    asked = []
    for rows in (100, 2_000_000):
        about, features = tmp_path / "data/mine.json", tmp_path / "features/mine/as_is.npz"
        for path in (about, features):
            path.parent.mkdir(parents=True, exist_ok=True)
        about.write_text(f'{{"rows": {rows}}}')
        with features.open("wb") as file:
            file.truncate(8 * 10 * rows)  # ten features
        asked.append(job_plan.minutes_of_bundle(bundle, study, 1))
    assert asked[0] < asked[1] < unknown, "of unknown size it is what the limit of a fit allows"
    halves = job_plan.minutes_of_bundle(replace(bundle, shards=2), study, 1)
    assert 5 < halves < asked[1]


# Jobs that a dead Snakemake left to Slurm are cancelled, and nobody else's. Slurm is a folder with a file per job

SQUEUE = """#!/bin/sh
# squeue --noheader --name=A,B --format=…: a file {name}/{number} is a job, its content the state
for name in $(echo "${2#--name=}" | tr , ' '); do
  for job in "$SLURM/$name"/*; do [ -e "$job" ] && echo "$(basename "$job") $(cat "$job")"; done
done
exit 0
"""
SCANCEL = """#!/bin/sh
for job in "$@"; do rm -f "$SLURM"/*/"$job"; done
"""


@pytest.fixture
def slurm(tmp_path, monkeypatch):
    """Commands of Slurm in front of all others; the study's folder is the present one."""
    for name, text in {"squeue": SQUEUE, "scancel": SCANCEL}.items():
        (tmp_path / name).write_text(text)
        (tmp_path / name).chmod(0o755)
    monkeypatch.setenv("PATH", f"{tmp_path}:/usr/bin:/bin")
    monkeypatch.setenv("SLURM", str(tmp_path / "jobs"))
    monkeypatch.chdir(tmp_path)
    return tmp_path / "jobs"


def submit(slurm, name, *numbers, state="RUNNING"):
    (slurm / name).mkdir(parents=True, exist_ok=True)
    for number in numbers:
        (slurm / name / number).write_text(state)


def numbers(slurm):
    return sorted(job.name for job in slurm.glob("*/*"))


RESULTS = Path("results")


def test_jobs_of_a_dead_run_of_the_same_study_are_cancelled_and_no_others(slurm):
    submit(slurm, "dead", "1", "2")
    submit(slurm, "other-study", "4")
    submit(slurm, "somebody", "5")
    output = []
    slurm_jobs.remember("dead", RESULTS)
    slurm_jobs.remember("other-study", RESULTS / "b")
    slurm_jobs.cancel_abandoned(RESULTS, output.append)
    assert numbers(slurm) == ["4", "5"]
    assert output == ["An earlier run of this study left 2 jobs to Slurm; they are cancelled: 1 2"]
    submit(slurm, "dead", "6")
    slurm_jobs.cancel_abandoned(RESULTS, output.append)
    assert numbers(slurm) == ["4", "5", "6"], "what has ended is looked for once"
    slurm_jobs.remember("dead", RESULTS)
    slurm_jobs.forget(RESULTS)
    (slurm.parent / "squeue").unlink()  # Slurm is queried only after a killed run
    slurm_jobs.cancel_abandoned(RESULTS, output.append)
    assert numbers(slurm) == ["4", "5", "6"], "a run that has ended leaves its jobs alone"


def test_a_job_that_does_not_end_is_refused_by_its_number_unless_its_node_is_lost(
    slurm, monkeypatch
):
    monkeypatch.setattr(slurm_jobs, "CANCEL_SECONDS", 0)
    (slurm.parent / "scancel").write_text("#!/bin/sh\n")
    slurm_jobs.remember("dead", RESULTS)
    submit(slurm, "dead", "17", state="RUNNING")
    with pytest.raises(StudyError, match="17"):
        slurm_jobs.cancel_abandoned(RESULTS, print)
    submit(slurm, "dead", "17", state="COMPLETING")
    slurm_jobs.cancel_abandoned(RESULTS, print)


def test_a_slurm_that_is_down_is_reported_in_one_line(slurm):
    slurm_jobs.remember("dead", RESULTS)
    script = "#!/bin/sh\necho 'Unable to contact slurm controller' >&2; exit 1\n"
    (slurm.parent / "squeue").write_text(script)
    words = r"squeue: Unable to contact slurm controller; is Slurm up\? \(sinfo\)"
    with pytest.raises(StudyError, match=words):
        slurm_jobs.cancel_abandoned(RESULTS, print)


# Fits killed for lack of a Slurm job's memory are counted where the kernel reports them

VERSIONS = {  # of control groups: /proc/self/cgroup, the file that counts, what it holds after two deaths
    "1": ("4:memory:/slurm/job_7\n0::/\n", "memory/slurm/job_7/memory.oom_control", "oom_kill 2"),
    "2": ("0::/slurm/job_7\n", "slurm/job_7/memory.events", "oom 3\noom_kill 2"),
}


@pytest.mark.parametrize("version", VERSIONS)
def test_memory_kills_are_counted_for_our_own_cgroup(tmp_path, monkeypatch, version):
    about, file, content = VERSIONS[version]
    (tmp_path / "cgroup").write_text(about)
    (tmp_path / file).parent.mkdir(parents=True)
    (tmp_path / file).write_text(content + "\n")
    monkeypatch.setenv("SLURM_JOB_ID", "7")
    assert slurm_jobs.kills(tmp_path / "cgroup", tmp_path) == 2
    assert slurm_jobs.kills(tmp_path / "no_cgroup", tmp_path) == 0, "the kernel counts none"
    monkeypatch.delenv("SLURM_JOB_ID")
    assert slurm_jobs.kills(tmp_path / "cgroup", tmp_path) == 0


def test_results_are_refused_if_memory_kills_happened_meanwhile(monkeypatch):
    counts = iter([1, 1, 1, 2])
    monkeypatch.setattr(slurm_jobs, "kills", lambda: next(counts))
    with slurm_jobs.enough_memory():
        pass
    with pytest.raises(StudyError, match="memory of this Slurm job"), slurm_jobs.enough_memory():
        pass
