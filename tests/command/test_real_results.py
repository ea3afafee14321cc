"""Studies that Snakemake ran, compared, published and merged by the installed command."""

import os
import subprocess
import sys
from pathlib import Path

import polars as pl
import pytest
from studies import rows_of

ROOT = Path(__file__).parents[2]
STUDY = """
results: {results}
datasets: [iris, iris_binary]
methods: {methods}
evaluation: {{folds: 3, inner_folds: 2}}
"""


@pytest.fixture
def shell(tmp_path):
    """shell(command…, machine=…) in a folder of its own."""

    def call(*command, machine=""):
        env = {k: v for k, v in os.environ.items() if k != "LINCLASS_MIRRORS"}
        env |= {"LINCLASS_MACHINE": machine, "http_proxy": "http://127.0.0.1:9"}
        env |= {"https_proxy": "http://127.0.0.1:9"}
        return subprocess.run(
            [sys.executable, "-m", *command], cwd=tmp_path, env=env, capture_output=True, text=True
        )

    return call


@pytest.fixture
def run(shell, tmp_path):
    """run('first', methods, machine): a study in a folder of that name."""

    def call(name, methods, machine):
        (tmp_path / f"{name}.yaml").write_text(STUDY.format(results=name, methods=methods))
        snakefile = os.fspath(ROOT / "Snakefile")
        files = ["--snakefile", snakefile, "--configfile", f"{name}.yaml", "--cores", "2"]
        done = shell("snakemake", *files, machine=machine)
        assert done.returncode == 0, done.stdout + done.stderr

    return call


@pytest.mark.slow
@pytest.mark.early
def test_two_runs_of_a_study_agree_wherever_their_folders_are(shell, run, tmp_path):
    linclass = "linclass_study.command"
    run("first", "[lda, logistic]", "fast")
    run("second", "[lda, logistic]", "slow")
    output = shell(linclass, "verify", "first", "second")
    assert output.returncode == 0, output.stdout + output.stderr
    assert output.stdout.startswith("identical: 4 runs")

    archives = []
    for name in ("first", "second"):
        output = shell(linclass, "publish", name, "--into", f"{name}.zip", "--author", "A, B")
        assert output.returncode == 0, output.stderr
        archives.append(f"{name}.zip")
    output = shell(linclass, "merge", *archives, "--into", "all")
    assert output.returncode == 0, output.stdout + output.stderr
    fits = pl.read_parquet(tmp_path / "all" / "fits.parquet")
    assert fits.height == 2 * 2 * 3
    times = rows_of(tmp_path / "all" / "tables" / "times.csv")
    of_lda = {row["machine"] for row in times if row["method"] == "lda"}
    assert of_lda == {"fast", "slow"}
    table = {row["dataset"]: row for row in rows_of(tmp_path / "all" / "tables" / "datasets.csv")}
    assert (
        table["iris"]["shares_rows_with"] == "iris_binary"
    )  # rows are not in archives, digests are
    page = (tmp_path / "all" / "report.html").read_text()
    assert all(name in page for name in ("fast", "slow"))

    path = tmp_path / "second" / "runs" / "iris" / "lda" / "predictions.parquet"
    reverse = pl.col("y_pred").reverse()
    pl.read_parquet(path).with_columns(y_pred=reverse).write_parquet(path)
    output = shell(linclass, "verify", "second", "first.zip")
    assert output.returncode == 1
    assert output.stdout.startswith("different: 1 of 4 runs differ")
