"""`linclass merge` makes one folder of several, or says why they cannot be one and writes nothing."""

import json
import re
import shutil
import subprocess
import sys
from contextlib import nullcontext

import polars as pl
import pytest
from finished_results import DATA, METHODS, at, change, edit, made_up
from studies import Data, Method, rows_of

from linclass_study.analysis.study_file import write_study
from linclass_study.command import derived_files
from linclass_study.files import tables as table_files
from linclass_study.files.tables import write_table


@pytest.fixture
def no_report(monkeypatch):
    """The raw files alone: drawing takes most of a merge's time."""
    monkeypatch.setattr(derived_files, "write_derived", lambda study, *rest: write_study(study))


def only(folder, dataset=None, method=None):
    """The folder with these runs alone, as a study of its own."""
    study = json.loads((folder / "study.json").read_text())
    for kind, kept in (("datasets", dataset), ("methods", method)):
        if kept:
            edit(folder / "study.json", **{kind: {kept: study[kind][kept]}})
    return folder


def on(folder, machine, seconds):
    """The same fits, made by another machine."""
    for path in folder.glob("runs/*/*/fits.parquet"):
        change(path, machine=pl.lit(machine), fit_seconds=pl.lit(seconds))
    (file,) = (folder / "environment").iterdir()
    reported = json.loads(file.read_text()) | {"Machine": machine}
    file.unlink()
    (folder / "environment" / f"{machine}-0.json").write_text(json.dumps(reported))
    return folder


def files(folder):
    return {path.relative_to(folder).as_posix() for path in folder.rglob("*") if path.is_file()}


@pytest.mark.slow
def test_the_parts_of_a_study_become_the_whole_with_its_report(linclass, a, b, tmp_path):
    whole = shutil.copytree(a, tmp_path / "whole")
    for folder, name in ((a, "two"), (b, "three")):
        edit(only(folder, name) / "study.json", whole=["two", "three"])
    output = linclass("merge", b, a, "--into", tmp_path / "c")
    assert (output.code, output.errors) == (0, [])
    assert {path.name for path in (tmp_path / "c" / "runs").iterdir()} == {"two", "three"}
    assert output.lines[0] == "merged: 4 runs from 2 places, 0 of them identical in several sources"
    c = tmp_path / "c"
    assert linclass("verify", whole, c).code == 0
    same = (
        "scores.csv",
        "study.json",
        *(f"tables/{t}.csv" for t in ("datasets", "summary", "fits", "times")),
    )
    for name in same:
        assert (c / name).read_text() == (whole / name).read_text(), name
    assert "c/report.html" in (c / "answer.txt").read_text()
    assert "exhibits/methods-two/figure.svg" in files(c)


@pytest.mark.slow
def test_a_grid_with_holes_has_a_report(linclass, a, b, tmp_path):
    planes = dict.fromkeys(("plane", "bare"), Data(rows=30, features=2))
    other = made_up(tmp_path / "other", planes, {"third": Method()})
    (other / "data" / "bare.npz").unlink()  # as in an archive, which has no rows
    output = linclass(
        "merge", only(a, "two", "good"), only(b, "three", "plain"), other, "--into", tmp_path / "c"
    )
    assert (output.code, output.errors) == (0, [])
    fits = pl.read_parquet(tmp_path / "c" / "fits.parquet")
    assert fits.select("dataset", "method").unique().height == 4
    for dataset, words in (("plane", "Points: all 30 rows."), ("bare", "The rows are not with")):
        numbers = tmp_path / "c" / "exhibits" / f"boundaries-{dataset}" / "numbers.json"
        assert words in json.loads(numbers.read_text())["caption"]
    page = (tmp_path / "c" / "report.html").read_text()
    assert all(name in page for name in ("third", "plain", "plane"))


def test_times_of_two_machines_are_kept_apart_and_no_fit_is_counted_twice(linclass, a, b, tmp_path):
    on(a, "fast", 1.0), on(b, "slow", 10.0)
    assert linclass("merge", a, b, "--into", tmp_path / "c").code == 0
    c = tmp_path / "c"
    assert pl.read_parquet(c / "fits.parquet").height == 12
    assert {row["planned"] for row in rows_of(c / "tables" / "fits.csv")} == {3}
    times = [row for row in rows_of(c / "tables" / "times.csv") if row["dataset"] == "two"]
    assert [(r["method"], r["machine"], r["fits"], r["fit_seconds"]) for r in times] == [
        ("good", "fast", 3, 3.0), ("good", "slow", 3, 30.0),
        ("plain", "fast", 3, 3.0), ("plain", "slow", 3, 30.0),
    ]  # fmt: skip
    words = " ".join(re.sub(r"<[^>]+>", " ", (c / "report.html").read_text()).split())
    assert "12 s of fitting in all on fast" in words
    assert "120 s of fitting in all on slow" in words or "2 min of fitting in all on slow" in words
    assert words.count("Machine fast") == words.count("Machine slow") == 1
    cost = rows_of(c / "tables" / "cost_of_dataset-two.csv")
    assert sorted((r["method"], r["machine"], r["median_fit_seconds"]) for r in cost) == [
        ("good", "fast", 1.0), ("good", "slow", 10.0), ("plain", "fast", 1.0), ("plain", "slow", 10.0),
    ]  # fmt: skip
    assert re.search("good fast 3 1 s 3 s", words)
    assert re.search("good slow 3 10 s 30 s", words)


@pytest.mark.usefixtures("no_report")
def test_merging_again_keeps_every_machine_once(linclass, a, b, tmp_path):
    third = shutil.copytree(a, tmp_path / "third")
    on(a, "one", 1.0), on(b, "two", 2.0), on(third, "three", 3.0)
    assert linclass("merge", a, b, "--into", tmp_path / "ab").code == 0
    assert linclass("merge", tmp_path / "ab", third, b, "--into", tmp_path / "abc").code == 0
    times = pl.read_parquet(tmp_path / "abc" / "times.parquet")
    assert times.height == 2 * 12
    assert set(times.select("machine", "fit_seconds").rows()) == {("two", 2.0), ("three", 3.0)}
    assert len(files(tmp_path / "abc" / "environment")) == 3


def test_another_prediction_is_a_conflict_and_nothing_is_written(linclass, a, b, tmp_path):
    change(b / "runs/two/good/predictions.parquet", y_pred=at(3, 1 - pl.col("y_pred"), "y_pred"))
    before = set(tmp_path.iterdir())
    output = linclass("merge", a, b, "--into", tmp_path / "c")
    assert output.code == 1
    assert output.lines[0].startswith("linclass merge: nothing is written")
    (line,) = output.lines[1:]
    assert line.startswith("two × good: predicted classes differ in 1 of 40 rows (first: cv,")
    assert line.endswith(f"A = {a}, B = {b}")
    assert set(tmp_path.iterdir()) == before


@pytest.mark.usefixtures("no_report")
def test_differences_by_rounding_are_not_a_conflict_and_the_first_result_is_kept(
    linclass, a, b, tmp_path
):
    moved = pl.col("score").list.eval(pl.element() + 1e-10)
    change(b / "runs/two/good/predictions.parquet", score=moved)
    assert linclass("merge", a, b, "--into", tmp_path / "c").code == 0
    name = "runs/two/good/predictions.parquet"
    assert (tmp_path / "c" / name).read_bytes() == (a / name).read_bytes()
    output = linclass("merge", a, b, "--into", tmp_path / "d", "--tolerance", "0")
    assert output.code == 1
    assert "numbers differ by at most" in output.lines[1]


@pytest.mark.usefixtures("no_report")
def test_other_settings_data_folds_and_failed_fits_are_conflicts(linclass, a, b, tmp_path):
    study = json.loads((a / "study.json").read_text())
    evaluation = study["evaluation"] | {"folds": 5}
    methods = study["methods"] | {"good": {"classifier": "other"}}
    edit(b / "study.json", evaluation=evaluation, methods=methods)
    edit(b / "data" / "two.json", digest="sha256:1")
    change(b / "folds" / "three.parquet", fold=2 - pl.col("fold"))
    change(b / "runs/two/plain/fits.parquet", status=pl.lit("failed"), reason=pl.lit("no module"))
    path = b / "runs/two/plain/predictions.parquet"
    pl.read_parquet(path).clear().write_parquet(path)
    output = linclass("merge", a, b, "--into", tmp_path / "c")
    assert output.code == 1
    found = "\n".join(output.lines[1:])
    for words in (
        "\nevaluation.folds is ",
        "\nmethod good: ",
        f"data set two: digest is sha256:0 in {a} and sha256:1 in {b}\n",
        f"data set three: its rows are assigned to other folds in {a} and {b}\n",
        "3 fits that gave predictions in one of",
        "are 'failed' in the other (no module)",
    ):
        assert words in f"\n{found}\n", words


@pytest.mark.usefixtures("no_report")
@pytest.mark.parametrize(("key", "value"), [("rope", 0.05), ("traces", True)])
def test_settings_that_do_not_affect_predictions_are_reported_without_conflict(
    linclass, a, b, tmp_path, key, value
):
    asked = json.loads((a / "study.json").read_text())["evaluation"]
    edit(b / "study.json", evaluation=asked | {key: value})  # a is of before there was such a key
    output = linclass("merge", a, b, "--into", tmp_path / "both")
    assert output.code == 0
    assert any(f"evaluation.{key} is " in line for line in output.lines), output.lines


@pytest.mark.usefixtures("no_report")
def test_the_folds_of_a_run_may_come_from_two_machines(linclass, a, b, tmp_path):
    whole = shutil.copytree(a, tmp_path / "whole")
    for folder, kept in ((a, pl.col("fold") < 1), (b, pl.col("fold") >= 1)):
        for path in folder.glob("runs/*/*/[fp]*.parquet"):
            pl.read_parquet(path).filter(kept).write_parquet(path)
    assert linclass("merge", a, b, "--into", tmp_path / "c").code == 0
    shutil.copy(whole / "scores.parquet", tmp_path / "c")
    output = linclass("verify", whole, tmp_path / "c")
    assert output.lines[0] == "identical: 4 runs with the same predictions and fits"


def with_coefficients(folder, value):
    """Coefficients of all folds of a run; the path of their table."""
    fits = pl.read_parquet(folder / "runs/two/good/fits.parquet").select(table_files.FIT)
    known = {"class": 1, "feature": "x", "value": value, "scale": 1.0, "features": 1}
    rows = fits.with_columns(**{name: pl.lit(v) for name, v in known.items()})
    write_table(rows, "coefficients", folder / "runs/two/good/coefficients.parquet")
    return folder / "runs/two/good/coefficients.parquet"


@pytest.mark.usefixtures("no_report")
def test_kept_files_of_a_run_come_from_the_source_of_its_fits(linclass, a, b, tmp_path):
    """Coefficients of folds 0 and 1 from a, of fold 2 from b, though b has them of all folds."""
    with_coefficients(a, 1.0), with_coefficients(b, 2.0)
    run = "runs/two/good"
    for table in ("fits", "predictions", "coefficients"):
        path = a / run / f"{table}.parquet"
        pl.read_parquet(path).filter(pl.col("fold") < 2).write_parquet(path)
    assert linclass("merge", a, b, "--into", tmp_path / "c").code == 0
    kept = pl.read_parquet(tmp_path / "c" / run / "coefficients.parquet")
    assert kept["fold"].to_list() == [0, 1, 2]
    assert kept["value"].to_list() == [1.0, 1.0, 2.0]
    assert not (tmp_path / "c" / run / "traces.parquet").exists()


@pytest.mark.usefixtures("no_report")
@pytest.mark.parametrize("older_first", [True, False])
def test_files_kept_by_one_of_two_equal_runs_are_merged_in_either_order(
    linclass, a, b, tmp_path, older_first
):
    path = with_coefficients(a, 2.0)
    sources = (b, a) if older_first else (a, b)
    assert linclass("merge", *sources, "--into", tmp_path / "c").code == 0
    kept = pl.read_parquet(tmp_path / "c" / path.relative_to(a))
    assert kept.equals(pl.read_parquet(path))


@pytest.mark.usefixtures("no_report")
@pytest.mark.parametrize("status", ["timeout", "out_of_memory", "not_applicable"])
def test_a_fit_that_failed_to_run_on_one_machine_is_taken_from_the_other(
    linclass, a, b, tmp_path, status
):
    unlucky = pl.col("fold") == 1
    fits, predictions = (a / f"runs/two/good/{name}.parquet" for name in ("fits", "predictions"))
    change(fits, status=pl.when(unlucky).then(pl.lit(status)).otherwise("status"))
    pl.read_parquet(predictions).filter(~unlucky).write_parquet(predictions)
    for order in ((a, b), (b, a)):
        assert linclass("merge", *order, "--into", tmp_path / order[0].name / "c").code == 0
        output = linclass("verify", b, tmp_path / order[0].name / "c")
        assert output.lines[0] == "identical: 4 runs with the same predictions and fits"


@pytest.mark.usefixtures("no_report")
def test_data_available_to_one_source_only_are_taken_from_it(linclass, a, tmp_path):
    gone = made_up(tmp_path / "gone", DATA | {"two": Data(unavailable="no source")}, METHODS)
    assert linclass("merge", gone, a, "--into", tmp_path / "c").code == 0
    assert json.loads((tmp_path / "c/data/two.json").read_text())["status"] == "available"
    fits = pl.read_parquet(tmp_path / "c/runs/two/good/fits.parquet")
    assert fits["status"].unique().to_list() == ["converged"]


def test_existing_results_are_not_changed_by_a_merge(refused, a, b):
    assert "exists already" in refused("merge", a, "--into", b)


@pytest.mark.parametrize("error", [KeyboardInterrupt, MemoryError])
def test_a_merge_that_is_interrupted_leaves_nothing(linclass, a, tmp_path, monkeypatch, error):
    def stop(*arguments):
        raise error

    monkeypatch.setattr(derived_files, "write_derived", stop)
    before = set(tmp_path.iterdir())
    with pytest.raises(error) if error is KeyboardInterrupt else nullcontext():
        assert linclass("merge", a, "--into", tmp_path / "c").code == 2
    assert set(tmp_path.iterdir()) == before


KILLED = """
import os, sys
from pathlib import Path
from linclass_study.command.merge import unfinished_folder
with unfinished_folder(Path(sys.argv[1])) as folder:
    (folder / "half").touch()
    print("begun", flush=True)
    sys.stdin.read()
"""


def test_a_merge_replaces_what_a_killed_one_left_and_waits_for_no_living_one(
    linclass, a, tmp_path, no_report
):
    command = [sys.executable, "-c", KILLED, tmp_path / "c"]
    process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE)
    assert process.stdout.readline() == b"begun\n"
    half = tmp_path / ".c.partial" / "half"
    output = linclass("merge", a, "--into", tmp_path / "c")
    assert output.code == 2
    assert "another merge is writing" in output.errors[0]
    process.kill()
    process.communicate()
    assert half.exists(), "nothing is tested"
    assert linclass("merge", a, "--into", tmp_path / "c").code == 0
    assert not half.parent.exists()
    assert not (tmp_path / "c" / "half").exists()


@pytest.mark.parametrize(("file", "content"), [
    ("checks/two.json", "[]"),
    ("checks/two.json", '{"a": '),
    ("data/two.json", "[]"),
    ("folds/two.parquet", "PAR1"),
    ("environment/here-0.json", "3"),
    ("runs/two/good/boundary.npz", "PK"),
])  # fmt: skip
def test_a_damaged_file_is_reported_in_one_line_and_nothing_is_written(
    refused, a, tmp_path, file, content
):
    (a / file).parent.mkdir(exist_ok=True)
    (a / file).write_text(content)
    assert f"{a}: {file} cannot be read" in refused("merge", a, "--into", tmp_path / "c")
    assert not (tmp_path / "c").exists()


def test_an_unfinished_study_is_refused(refused, a, tmp_path):
    (a / "study.json").unlink()
    line = refused("merge", a, "--into", tmp_path / "c")
    assert f"{a}/study.json does not exist: run snakemake to its end" in line
