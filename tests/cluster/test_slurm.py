"""On a real Slurm a study ends in the results of a local run, whatever is killed; no fit is computed twice at once."""

from __future__ import annotations

import itertools
import os
import signal
import subprocess
import sys
import time
from contextlib import contextmanager, suppress

import psutil
import pytest
from projects import Output, Project, copy

pytestmark = [pytest.mark.slow, pytest.mark.xdist_group("slurm")]  # one Slurm, so one worker

SLOW = '''
"""Sleeps through each fit, and writes down when: a line at its begin and ten a second after."""

import hashlib
import os
import time
from pathlib import Path

import numpy as np


class Slow:
    def fit(self, X, y):
        self.classes_, counts = np.unique(y, return_counts=True)
        self.most_ = self.classes_[counts.argmax()]
        rows = hashlib.blake2b(np.ascontiguousarray(X).tobytes(), digest_size=8).hexdigest()
        end = time.time() + float(os.environ.get("SLEEP", "0"))
        with Path(__file__).with_name("fits.log").open("a") as log:
            while True:
                print(rows, os.getpid(), time.time(), file=log, flush=True)
                if time.time() >= end:
                    return self
                time.sleep(0.1)

    def predict(self, X):
        return np.full(len(X), self.most_)
'''
STUDY = """
datasets: [iris, gaussians]
methods: [slow, lda]
evaluation: {folds: 3, inner_folds: 2}
define: {methods: {slow: {classifier: slow.Slow}}}
"""
TARGET = "results/scores.csv"  # figures and report are local, here as everywhere
SLEEP = 2.0  # seconds of a fit of Slow
LONGER = 10.0  # so that three fits outlast the patience of Slurm with a lost node
OPTIONS = ["--slurm-status-command", "squeue", "--slurm-init-seconds-before-status-checks", "2"]
OPTIONS += ["--latency-wait", "10", "--local-cores", "2"]
OPTIONS += ["--config", "jobs={work: 0.1, across: false, shards: 1}"]  # a job for each data set


class OnCluster:
    """The study in a copy of the project, and its run on Slurm."""

    def __init__(self, project: Project):
        self.project, self.sleep = project, SLEEP
        project.write("slow.py", SLOW)
        project.write("study.yaml", STUDY)

    @contextmanager
    def running(self, *options):
        """A running Snakemake; its output goes to a file, because a pipe could fill."""
        profile = ["--workflow-profile", "profiles/slurm", "--configfile", "study.yaml"]
        with (self.project.folder / "output").open("w") as output:
            process = subprocess.Popen(
                [sys.executable, "-m", "snakemake", *profile, *OPTIONS, *options, "--", TARGET],
                cwd=self.project.folder,
                env=self.project.environment(SLEEP=str(self.sleep)),
                stdout=output,
                stderr=subprocess.STDOUT,
                text=True,
            )
            try:
                yield process
            finally:
                process.kill()
                process.wait()

    def run(self, *options):
        with self.running(*options) as process:
            return self.end_of(process)

    def end_of(self, process):
        return Output(process.wait(400), self.project.text("output"))

    def fits_begun(self):
        return len(self.times())

    def times(self):
        """(rows of the fit, process) → when it was seen at work."""
        seen = {}
        log = self.project.folder / "fits.log"
        for line in log.read_text().splitlines() if log.exists() else []:
            rows, pid, when = line.split()
            seen.setdefault((rows, pid), []).append(float(when))
        return seen

    def computed_twice_at_once(self):
        """Rows of fits at which a second process began before the last sign of the first."""
        fits = sorted((rows, min(when), max(when)) for (rows, _), when in self.times().items())
        pairs = itertools.pairwise(fits)
        return [
            rows for (rows, _, end), (other, begin, _) in pairs if rows == other and begin <= end
        ]

    def predictions(self):
        results = self.project.folder / "results" / "runs"
        return {
            str(file.relative_to(results)): file.read_bytes()
            for file in sorted(results.glob("*/*/predictions.parquet"))
        }


@pytest.fixture(scope="module")
def local(tmp_path_factory):
    """Predictions of the study by a plain `snakemake`."""
    study = OnCluster(copy(tmp_path_factory.mktemp("local") / "project"))
    output = study.project.snakemake("--", TARGET)
    assert output.code == 0, output.text
    predictions = study.predictions()
    assert len(predictions) == 4
    return predictions


@pytest.fixture
def study(slurm, tmp_path):
    yield OnCluster(copy(tmp_path / "project"))
    slurm.script("slurmd")  # should a test have failed while it was dead
    slurm.cancel("--user=root")
    for process in psutil.process_iter(["cwd"]):  # what a lost node forgot
        if process.info["cwd"] == str(tmp_path / "project"):
            with suppress(psutil.NoSuchProcess):
                process.kill()


def until(what, seconds=240):
    end = time.monotonic() + seconds
    while not what():
        assert time.monotonic() < end, "it did not happen in time"
        time.sleep(0.1)


def test_predictions_are_those_of_a_local_run_and_only_fits_go_to_slurm(slurm, study, local):
    output = study.run()
    assert output.code == 0, output.text
    assert study.predictions() == local
    given = [line for line in output.text.splitlines() if "has been submitted" in line]
    assert given
    assert all("rule_cross_validate" in line for line in given)


def test_a_cancelled_job_is_resubmitted(slurm, study, local):
    with study.running() as process:
        until(study.fits_begun)
        slurm.cancel(*slurm.jobs("RUNNING"))
        output = study.end_of(process)
    assert "CANCELLED" in output.text, "no job was cancelled: nothing is tested"
    assert output.code == 0, output.text
    assert study.predictions() == local
    assert study.computed_twice_at_once() == []


def test_a_study_survives_a_node_that_is_lost_and_returns(slurm, study, local):
    """slurmd is killed and the node given up; its processes go on, while their runs are given out again."""
    study.sleep = LONGER
    with study.running() as process:
        until(study.fits_begun)
        os.kill(slurm.pid("slurmd"), signal.SIGKILL)
        until(lambda: "down" in slurm.ask("sinfo", "--noheader", "--format=%T"))
        assert slurm.script("slurmd").returncode == 0
        output = study.end_of(process)
    assert slurm.was_requeued(), "no job was given up: nothing is tested"
    assert output.code == 0, output.text
    assert study.predictions() == local
    assert study.computed_twice_at_once() == []


@pytest.mark.waits
def test_a_preempted_job_continues_when_resources_are_free(slurm, study, local):
    """Another user's job of a partition with precedence needs the whole node for a while."""
    study.sleep = 15.0
    with study.running() as process:
        until(study.fits_begun)
        slurm.submit("--partition=first", "--exclusive", "--wrap=sleep 5")
        output = study.end_of(process)
    assert output.code == 0, output.text
    assert study.predictions() == local
    assert study.computed_twice_at_once() == []
    assert slurm.was_requeued(), "no job was preempted: nothing is tested"


def test_a_killed_snakemake_can_be_run_again(slurm, study, local):
    with study.running() as process:
        until(study.fits_begun)
        process.kill()
        process.wait()
    assert slurm.jobs("RUNNING"), "no job went on: nothing is tested"
    output = study.run()
    assert output.code == 0, output.text
    assert "An earlier run of this study left" in output.text
    assert study.predictions() == local
    assert study.computed_twice_at_once() == []


@pytest.mark.waits
def test_a_job_that_runs_out_of_time_continues_with_its_next_fit(slurm, study, local):
    """Jobs of a minute, too short for the three fits of a run of 30 s each."""
    study.sleep = 30.0
    output = study.run("--set-resources", "cross_validate:runtime=1", "--retries", "6")
    assert "TIMEOUT" in output.text, "no job ran out of time: nothing is tested"
    assert output.code == 0, output.text
    assert study.predictions() == local
    whole = [rows for (rows, _), when in study.times().items() if max(when) - min(when) >= 29.8]
    assert len(whole) == len(set(whole)) == 6, "a fit that had ended was computed again"
