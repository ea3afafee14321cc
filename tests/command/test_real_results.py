"""Studies that Snakemake ran, compared, published and merged by the installed command."""

import subprocess
import sys

import polars as pl
import pytest
from projects import ROOT, Project
from studies import rows_of

STUDY = """
results: {name}
datasets: [iris, iris_binary]
methods: [lda, logistic]
evaluation: {{folds: 3, inner_folds: 2}}
"""


@pytest.fixture
def linclass(tmp_path):
    """linclass('verify', …) in a folder of its own."""
    project = Project(tmp_path)

    def call(*arguments):
        command = [sys.executable, "-m", "linclass_study.command", *arguments]
        env = project.environment(PYTHONPATH=str(ROOT))
        return subprocess.run(command, cwd=tmp_path, env=env, capture_output=True, text=True)

    return call


@pytest.mark.slow
@pytest.mark.early
def test_two_runs_of_a_study_agree_wherever_their_folders_are(linclass, tmp_path):
    project, archives = Project(tmp_path), ["first.zip", "second.zip"]
    for name, machine in (("first", "fast"), ("second", "slow")):
        project.write(f"{name}.yaml", STUDY.format(name=name))
        snakefile = ("--snakefile", str(ROOT / "Snakefile"))
        here = {"PYTHONPATH": str(ROOT), "LINCLASS_MACHINE": machine}
        done = project.snakemake(*snakefile, study=f"{name}.yaml", **here)
        assert done.code == 0, done.text
    output = linclass("verify", "first", "second")
    assert output.returncode == 0, output.stdout + output.stderr
    assert output.stdout.startswith("identical: 4 runs")

    for name in ("first", "second"):
        output = linclass("publish", name, "--into", f"{name}.zip", "--author", "A, B")
        assert output.returncode == 0, output.stderr
    output = linclass("merge", *archives, "--into", "all")
    assert output.returncode == 0, output.stdout + output.stderr
    output = linclass("verify", "all", "first.zip")
    assert output.returncode == 0, output.stdout + output.stderr
    both = tmp_path / "all"
    assert pl.read_parquet(both / "fits.parquet").height == 2 * 2 * 3
    times = rows_of(both / "tables" / "times.csv")
    assert {row["machine"] for row in times if row["method"] == "lda"} == {"fast", "slow"}
    table = {row["dataset"]: row for row in rows_of(both / "tables" / "datasets.csv")}
    # rows are not in archives, digests are
    assert table["iris"]["shares_rows_with"] == "iris_binary"
    page = (both / "report.html").read_text()
    assert all(name in page for name in ("fast", "slow"))

    path = tmp_path / "second" / "runs" / "iris" / "lda" / "predictions.parquet"
    reverse = pl.col("y_pred").reverse()
    pl.read_parquet(path).with_columns(y_pred=reverse).write_parquet(path)
    output = linclass("verify", "second", "first.zip")
    assert output.returncode == 1
    assert output.stdout.startswith("different: 1 of 4 runs differ")
