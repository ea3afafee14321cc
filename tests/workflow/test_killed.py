"""Killed studies and full disks: what is kept, and how a study continues."""

import json
import os
import signal
import subprocess
import time

import kill_at_random
import pytest
from kill_at_random import left_behind

# After a kill -9 the next `snakemake` continues without --unlock; while one is alive, a second is refused

SLOW = """
import time
from pathlib import Path

import numpy as np


class Slow:
    def fit(self, X, y):
        self.classes_ = np.unique(y)
        while Path(__file__).with_name("held").exists():
            time.sleep(0.1)
        return self

    def predict(self, X):
        return np.full(len(X), self.classes_[0])
"""


def start(project, stderr=subprocess.DEVNULL):
    """A study whose fits go on while there is the file `held`."""
    project.write("slow.py", SLOW)
    project.write("held", "")
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
def test_a_second_study_is_refused_beside_a_living_one_which_ctrl_c_ends_and_a_third_resumes(
    project,
):
    process = start(project, stderr=subprocess.PIPE)
    output = project.snakemake()
    assert output.code != 0
    assert f"locked by another snakemake: process {process.pid} " in output.own_lines[-1]
    assert process.poll() is None
    os.killpg(process.pid, signal.SIGINT)  # as a terminal does
    _, errors = process.communicate(timeout=60)
    assert process.returncode != 0
    assert errors.splitlines()[-1] == (
        "Interrupted. What was computed is kept; rerun the same command to resume."
    )
    (project.folder / "held").unlink()
    assert project.snakemake("--", "results/fits.parquet").code == 0
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
    (project.folder / "held").unlink()
    output = project.snakemake("--", "results/fits.parquet")
    assert output.code == 0, output.text
    assert project.fits()["status"].to_list() == ["converged"] * 3
    assert not lock.read_text()


# The tiny study, killed and on a full disk

TINY = kill_at_random.STUDY
of_tiny = pytest.mark.xdist_group("tiny")  # one reference for both


@pytest.fixture(scope="module")
def tiny(tmp_path_factory):
    """The project with the tiny study done, its seconds, and its scores."""
    project, whole = kill_at_random.reference(tmp_path_factory.mktemp("tiny") / "project")
    return project, whole, kill_at_random.scores(project)


@of_tiny
@pytest.mark.slow
@pytest.mark.early
def test_killed_at_a_random_moment_the_tiny_study_ends_with_the_same_scores(tiny):
    kill_at_random.kill(*tiny[:2], kills=1, seed=1)


@pytest.fixture
def disk(tmp_path):
    """A disk of 300 kB, in memory."""
    folder = tmp_path / "disk"
    folder.mkdir()
    if mount(folder, "-o", "size=300k"):
        pytest.skip("disks cannot be made here")
    yield folder
    subprocess.run(["umount", "--lazy", folder], check=True)


def mount(folder, *options):
    command = ["mount", "-t", "tmpfs", *options, "tmpfs", folder]
    return subprocess.run(command, capture_output=True, check=False).returncode


@of_tiny
@pytest.mark.slow
@pytest.mark.early
def test_a_study_continues_after_a_full_disk_and_reads_a_read_only_one(tiny, disk):
    (project, _, expected), results = tiny, disk / "results"
    for size in ("300k", "700k"):
        assert mount(disk, "-o", f"remount,size={size}") == 0
        output = project.snakemake("--config", f"results={results}", study=TINY)
        assert output.code != 0
        line = output.own_lines[-1]
        assert line.startswith(f"The disk of {results} is full (")
        assert line.endswith("): make room, then run again.")
    assert mount(disk, "-o", "remount,size=100m") == 0
    output = project.snakemake("--config", f"results={results}", study=TINY)
    assert output.code == 0, output.text
    assert (results / "scores.csv").read_bytes() == expected

    assert mount(disk, "-o", "remount,ro") == 0
    results = f"results={results}"
    assert project.snakemake("--config", results, study=TINY).nothing_to_do
    output = project.snakemake("--config", results, "methods=[majority, lda]", study=TINY)
    assert output.code != 0
    assert output.own_lines[-1].startswith(f"The results in {disk / 'results'} cannot be written")
