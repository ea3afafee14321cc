"""Kill the tiny study at random times; each time `snakemake` must end with the same scores, without orphans or locks.

    python tests/kill_at_random.py 20 [seed]

It works in a copy of the project, in a temporary folder, and prints a line for each kill. The slow tests do the
same with fewer kills.
"""

import os
import random
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import psutil
from projects import copy

STUDY = "config/tiny.yaml"
PATIENCE = 10  # seconds in which children of a killed study must be gone


def scores(project):
    return (project.folder / "results/tiny/scores.csv").read_bytes()


def left_behind(project):
    """Commands of the processes that work in the study's folder."""
    found = []
    for process in psutil.process_iter(["cwd", "cmdline", "status"]):
        about = process.info
        if about["cwd"] == str(project.folder) and about["status"] != psutil.STATUS_ZOMBIE:
            found.append(" ".join(about["cmdline"] or []))
    return found


def kill_after(project, seconds):
    """Whether the study was still running when it was killed."""
    process = subprocess.Popen(
        project.command(study=STUDY),
        cwd=project.folder,
        env=project.environment(),
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        start_new_session=True,
    )
    try:
        process.wait(seconds)
    except subprocess.TimeoutExpired:
        os.kill(process.pid, signal.SIGKILL)
        process.wait()
        return True
    return False


def check(project, expected):
    """After a kill: no orphan; then a run to the end, the same scores, and no lock."""
    end = time.monotonic() + PATIENCE
    while (orphans := left_behind(project)) and time.monotonic() < end:
        time.sleep(0.1)
    assert not orphans, f"still computing: {orphans}"
    output = project.snakemake(study=STUDY)
    assert output.code == 0, output.text
    assert scores(project) == expected, "other scores than without a kill"
    locks = list((project.folder / ".snakemake/locks").glob("*"))
    assert not locks, f"locks are left: {locks}"


def reference(folder):
    """(a copy of the project in which the study is done, the seconds that it took)"""
    project, begin = copy(folder), time.monotonic()
    output = project.snakemake(study=STUDY)
    assert output.code == 0, output.text
    return project, time.monotonic() - begin


def kill(project, whole, kills, seed=0):
    """Kills the study so many times, each at a random moment of the `whole` seconds that it takes."""
    drawn, expected, done = random.Random(seed), scores(project), 0
    while done < kills:
        shutil.rmtree(project.folder / "results")
        seconds = drawn.uniform(0, whole)
        if not kill_after(project, seconds):
            continue  # it had ended before
        if drawn.random() < 0.3:  # and once more, on the way back
            kill_after(project, drawn.uniform(0, whole / 2))
        check(project, expected)
        done += 1
        print(f"{done} of {kills}: killed after {seconds:.1f} s, whole again", flush=True)


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as own:
        kill(*reference(Path(own) / "project"), *map(int, sys.argv[1:3]))
