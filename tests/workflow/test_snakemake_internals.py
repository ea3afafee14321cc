"""What linclass_study/execution/snakemake_internals.py expects of Snakemake holds for the installed release."""

import inspect
import json
import os
import signal
import subprocess
import sys
import time
from importlib.util import find_spec

import pytest
from projects import ROOT

from linclass_study.execution import snakemake_internals as internals

pytestmark = pytest.mark.slow

SNAKEFILE = """
import json, os
from linclass_study.execution import snakemake_internals as internals

if "UNLOCKED" in os.environ:
    internals.switch_off_locks()

def forced(wildcards):
    if "FORCE" in os.environ:
        internals.force(workflow, "made")
    return []

rule all:
    input: "made"

rule make:
    input: forced
    output: "made"
    shell: "sleep 3; touch made" if "SLEEP" in os.environ else "touch made"

onstart:
    json.dump(
        {
            "plan": internals.has_plan(workflow),
            "planned": sorted(job.rule.name for job in internals.planned_jobs(workflow)),
            "numbers": sorted(
                internals.number_of_job(workflow, job) for job in internals.planned_jobs(workflow)
            ),
            "rules": sorted({job.rule.name for job in internals.requested_jobs(workflow)}),
            "files": internals.requested_files(workflow),
            "slurm": internals.name_of_slurm_jobs(workflow),
        },
        open("found", "w"),
    )

onsuccess:
    lengths = [len(internals.planned_jobs(workflow, finished)) for finished in (False, True)]
    json.dump(lengths, open("left", "w"))
"""


def command(*arguments):
    return [sys.executable, "-m", "snakemake", "--cores", "1", *arguments]


def said(folder, *arguments, **env):
    env, asked = os.environ | {"PYTHONPATH": str(ROOT)} | env, command(*arguments)
    done = subprocess.run(asked, cwd=folder, env=env, capture_output=True, text=True, check=False)
    return done.stdout + done.stderr


@pytest.fixture
def folder(tmp_path):
    (tmp_path / "Snakefile").write_text(SNAKEFILE)
    return tmp_path


def test_jobs_of_a_plan_are_known_and_can_be_forced(folder):
    text = said(folder, "--", "made")
    assert (folder / "made").exists(), text
    assert json.loads((folder / "found").read_text()) == {
        "plan": True, "planned": ["make"], "numbers": [0], "rules": ["make"], "files": ["made"], "slurm": None,
    }  # fmt: skip
    assert json.loads((folder / "left").read_text()) == [0, 1]
    assert len([*(folder / internals.METADATA).iterdir()]) == 1, "a record for each output"
    assert internals.NOTHING_TO_DO in said(folder)
    forced = said(folder, "-n", FORCE="1")
    assert "rule make:" in forced
    assert (folder / "made").exists(), "a plan deletes nothing"


def test_snakemakes_lock_files_are_switched_off(folder):
    lock = folder / ".snakemake" / "locks" / "0.output.lock"
    lock.parent.mkdir(parents=True)
    lock.write_text("made\n")
    assert "cannot be locked" in said(folder)
    said(folder, "--", "made", UNLOCKED="1")
    assert (folder / "made").exists()
    assert [*lock.parent.iterdir()] == [lock]


def test_read_only_results_are_refused_in_known_words():
    from snakemake import exceptions

    assert internals.READ_ONLY in inspect.getsource(exceptions.ProtectedOutputException)


def test_an_interrupted_run_is_logged_in_known_words(folder):
    env = os.environ | {"PYTHONPATH": str(ROOT), "SLEEP": "1"}
    with subprocess.Popen(
        command(), cwd=folder, env=env, stderr=subprocess.PIPE, start_new_session=True, text=True
    ) as process:
        end = time.monotonic() + 60
        while not (folder / "found").exists() and time.monotonic() < end:
            time.sleep(0.1)
        time.sleep(1)
        os.killpg(process.pid, signal.SIGINT)
        assert internals.STOPPED in process.communicate()[1]


def test_the_slurm_executor_names_its_jobs():
    if not find_spec("snakemake_executor_plugin_slurm"):
        pytest.skip("the executor for Slurm is not installed")
    import snakemake_executor_plugin_slurm as slurm

    assert "self.run_uuid" in inspect.getsource(slurm.Executor)
