"""After a kill -9 the next `snakemake` continues without --unlock; while one is alive, a second is refused."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import time

import kill_at_random
import pytest
from kill_at_random import left_behind

SLOW = """
import time

import numpy as np


class Slow:
    def fit(self, X, y):
        self.classes_ = np.unique(y)
        time.sleep(2)
        return self

    def predict(self, X):
        return np.full(len(X), self.classes_[0])
"""


def start(project, stderr=subprocess.DEVNULL) -> subprocess.Popen:
    project.write("slow.py", SLOW)
    project.write(
        "study.yaml",
        "datasets: [gaussians]\nmethods: [slow]\nevaluation: {folds: 3}\n"
        "define: {methods: {slow: {classifier: slow.Slow}}}\n",
    )
    process = subprocess.Popen(
        project.command(),
        cwd=project.folder,
        env=project.environment(),
        stdout=subprocess.DEVNULL,
        stderr=stderr,
        text=True,
        start_new_session=True,
    )
    log = project.folder / "results/logs/cross_validate/gaussians.log"
    for _ in range(600):
        if log.exists():
            return process
        time.sleep(0.1)
    raise AssertionError("the slow run did not start within a minute")


@pytest.mark.slow
def test_the_last_line_after_ctrl_c_says_what_is_kept(project):
    process = start(project, stderr=subprocess.PIPE)
    os.killpg(process.pid, signal.SIGINT)  # as a terminal does
    _, errors = process.communicate(timeout=60)
    assert process.returncode != 0
    assert errors.splitlines()[-1] == (
        "Interrupted. What was computed is kept; rerun the same command to resume."
    )
    assert project.snakemake().code == 0
    assert project.fits()["status"].to_list() == ["converged"] * 3


@pytest.mark.slow
def test_a_killed_study_continues_when_run_again(project):
    process = start(project)
    os.kill(process.pid, signal.SIGKILL)
    process.wait()
    for _ in range(50):
        if not left_behind(project):
            break
        time.sleep(0.1)
    assert left_behind(project) == [], "a killed study left a job computing"
    lock = project.folder / "results" / "logs" / "lock"
    described = lock.read_text()
    lock.write_text(json.dumps(json.loads(described) | {"host": "elsewhere", "boot": "0000"}))
    output = project.snakemake()
    assert output.code != 0, "the lock of another host's process was removed"
    line = output.own_lines[-1]
    assert f"process {process.pid} on elsewhere, since " in line
    assert "if you know that it is dead, delete " in line
    lock.write_text(described)
    output = project.snakemake()
    assert output.code == 0, output.text
    assert project.fits()["status"].to_list() == ["converged"] * 3
    assert not lock.read_text()


@pytest.mark.slow
def test_a_second_study_beside_a_live_one_is_refused_and_the_first_goes_on(project):
    process = start(project)
    output = project.snakemake()
    assert output.code != 0
    assert "locked by another snakemake: process " in output.own_lines[-1]
    assert process.wait(120) == 0
    assert project.fits()["status"].to_list() == ["converged"] * 3


@pytest.mark.slow
@pytest.mark.early
def test_killed_at_a_random_moment_the_tiny_study_ends_with_the_same_scores():
    kill_at_random.main(1, seed=1)
