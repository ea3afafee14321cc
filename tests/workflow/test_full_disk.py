"""A study on a full disk ends with the reason, and when there is room it continues to the same scores."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

TINY = "config/tiny.yaml"


@pytest.fixture
def disk(tmp_path):
    """A disk of 300 kB, in memory."""
    folder = tmp_path / "disk"
    folder.mkdir()
    if mount(folder, "-o", "size=300k"):
        pytest.skip("disks cannot be made here")
    yield folder
    subprocess.run(["umount", "--lazy", folder], check=True)


def mount(folder: Path, *options: str) -> int:
    command = ["mount", "-t", "tmpfs", *options, "tmpfs", folder]
    return subprocess.run(command, capture_output=True, check=False).returncode


@pytest.mark.slow
@pytest.mark.early
def test_a_full_disk_is_reported_and_its_study_continues(project, disk):
    assert project.snakemake(study=TINY).code == 0
    expected = (project.folder / "results/tiny/scores.csv").read_bytes()
    results = disk / "results"
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


@pytest.mark.slow
def test_read_only_results_are_read_and_a_change_is_refused_in_one_line(project, disk):
    results = f"results={disk / 'results'}"
    assert mount(disk, "-o", "remount,size=100m") == 0
    assert project.snakemake("--config", results, study=TINY).code == 0
    assert mount(disk, "-o", "remount,ro") == 0
    assert project.snakemake("--config", results, study=TINY).nothing_to_do
    output = project.snakemake("--config", results, "methods=[majority, lda]", study=TINY)
    assert output.code != 0
    assert output.own_lines[-1].startswith(f"The results in {disk / 'results'} cannot be written")
