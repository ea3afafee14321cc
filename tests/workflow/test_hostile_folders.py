"""Snakemake in a results folder of somebody else: files of another form are refused in one line or replaced."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from projects import ROOT

HOSTILE = ROOT / "tests" / "command" / "hostile"

pytestmark = pytest.mark.slow


def test_records_that_planning_reads_are_refused_in_one_line(computed):
    results = computed.folder / "results"
    for place, file in (
        ("data/iris.json", "nested.json"),
        ("data/iris.json", "not_text.json"),
        ("exhibits/iris.json", "list.json"),
        ("exhibits.json", "long_number.json"),
    ):
        kept = (results / place).read_bytes()
        shutil.copyfile(HOSTILE / file, results / place)
        output = computed.snakemake("-n")
        assert output.code == 1
        assert "Traceback" not in output.text
        (line,) = (line for line in output.text.splitlines() if "cannot be read" in line)
        assert place in line
        (results / place).write_bytes(kept)


def test_a_link_in_the_results_is_refused_before_anything_is_written(computed, tmp_path):
    results, precious = computed.folder / "results", tmp_path / "precious"
    precious.write_text("precious")
    (results / "scores.csv").unlink()
    (results / "report.html").unlink()
    (results / "report.html").symlink_to(precious)
    output = computed.snakemake()
    assert output.code == 1
    assert "'report.html' is a link or a device; results are plain files" in output.text
    assert "Traceback" not in output.text
    assert precious.read_text() == "precious"


def test_pickles_and_bombs_in_place_of_results_are_replaced_without_being_read(computed):
    results = computed.folder / "results"
    known = (results / "runs/iris/lda/predictions.parquet").read_bytes()
    shutil.copyfile(HOSTILE / "raw_pickle.npz", results / "runs/iris/lda/unfinished.npz")
    shutil.copyfile(HOSTILE / "raw_pickle.npz", results / "runs/iris/lda/unfinished.pickle")
    shutil.copyfile(HOSTILE / "long_list.parquet", results / "runs/iris/lda/predictions.parquet")
    shutil.copyfile(HOSTILE / "nested.json", results / "bundles/iris.json")
    shutil.copyfile(HOSTILE / "nested.json", results / "study.json")
    output = computed.snakemake()
    assert output.code == 0, output.text
    assert (results / "runs/iris/lda/predictions.parquet").read_bytes() == known
    assert not [*Path(computed.folder).rglob("code-ran")]
    shutil.copyfile(HOSTILE / "nested.json", results / "bundles/iris.json")
    shutil.copyfile(HOSTILE / "raw_pickle.npz", results / "runs/iris/lda/unfinished.npz")
    shutil.copyfile(HOSTILE / "lying_footer.parquet", results / "runs/iris/lda/fits.parquet")
    os.mkfifo(results / "runs/iris/lda/times.parquet")
    command = [sys.executable, "-m", "linclass_study.command", "check", "study.yaml"]
    done = subprocess.run(command, cwd=computed.folder, capture_output=True, text=True, timeout=100)
    assert done.returncode == 0, done.stderr
    assert not [*Path(computed.folder).rglob("code-ran")]
