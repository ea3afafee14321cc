"""`linclass merge` makes one folder of several, or says why they cannot be one and writes nothing."""

import json
import re
import shutil
import subprocess
import sys
from contextlib import nullcontext

import polars as pl
import pytest
from finished_results import DATA, METHODS, RUN, at, change, edit, made_up, study_of
from studies import Data, Method, rows_of

from linclass_study.analysis.study_file import write_study
from linclass_study.command import derived_files
from linclass_study.files import tables as table_files
from linclass_study.files.tables import write_table


@pytest.fixture
def report():
    """A merge writes tables, figures and page, which take most of its time."""


@pytest.fixture(autouse=True)
def no_report(request, monkeypatch):
    if "report" not in request.fixturenames:
        monkeypatch.setattr(derived_files, "write_derived", lambda study, *rest: write_study(study))


def only(folder, dataset=None, method=None):
    """The folder with these runs alone, as a study of its own."""
    study = study_of(folder)
    for kind, kept in (("datasets", dataset), ("methods", method)):
        if kept:
            edit(folder / "study.json", **{kind: {kept: study[kind][kept]}})
    return folder


def on(folder, machine, seconds):
    """The same fits, made by another machine."""
    for path in folder.glob("runs/*/*/fits.parquet"):
        change(path, machine=pl.lit(machine), fit_seconds=pl.lit(seconds))
    (file,) = (folder / "environment").iterdir()
    edit(file, Machine=machine)
    file.rename(folder / "environment" / f"{machine}-0.json")
    return folder


def keep(path, rows):
    """Rewrites a Parquet file with some of its rows."""
    pl.read_parquet(path).filter(rows).write_parquet(path)


@pytest.mark.slow
@pytest.mark.usefixtures("report")
def test_the_parts_of_a_study_become_the_whole_with_its_report(linclass, a, b, tmp_path):
    whole, c = shutil.copytree(a, tmp_path / "whole"), tmp_path / "c"
    for folder, name in ((a, "two"), (b, "three")):
        edit(only(folder, name) / "study.json", whole=["two", "three"])
    output = linclass("merge", b, a, "--into", c)
    assert (output.code, output.errors) == (0, [])
    assert {path.name for path in (c / "runs").iterdir()} == {"two", "three"}
    assert output.lines[0] == "merged: 4 runs from 2 places, 0 of them identical in several sources"
    assert linclass("verify", whole, c).code == 0
    tables = [f"tables/{table}.csv" for table in ("datasets", "summary", "fits", "times")]
    for name in ("scores.csv", "study.json", *tables):
        assert (c / name).read_text() == (whole / name).read_text(), name
    assert "c/report.html" in (c / "answer.txt").read_text()
    assert (c / "exhibits" / "methods-two" / "figure.svg").exists()


@pytest.mark.slow
@pytest.mark.usefixtures("report")
def test_a_grid_with_holes_has_a_report(merged, a, b, tmp_path):
    planes = dict.fromkeys(("plane", "bare"), Data(rows=30, features=2))
    other = made_up(tmp_path / "other", planes, {"third": Method()})
    (other / "data" / "bare.npz").unlink()  # as in an archive, which has no rows
    c = merged(only(a, "two", "good"), only(b, "three", "plain"), other)
    assert pl.read_parquet(c / "fits.parquet").select("dataset", "method").unique().height == 4
    for dataset, words in (("plane", "Points: all 30 rows."), ("bare", "The rows are not with")):
        numbers = json.loads((c / "exhibits" / f"boundaries-{dataset}/numbers.json").read_text())
        assert words in numbers["caption"]
    page = (c / "report.html").read_text()
    assert all(name in page for name in ("third", "plain", "plane"))


@pytest.mark.usefixtures("report")
def test_times_of_two_machines_are_kept_apart_and_no_fit_is_counted_twice(merged, a, b):
    c = merged(on(a, "fast", 1.0), on(b, "slow", 10.0))
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


def test_merging_again_keeps_every_machine_once(merged, a, b, tmp_path):
    third = on(shutil.copytree(a, tmp_path / "third"), "three", 3.0)
    ab = merged(on(a, "one", 1.0), on(b, "two", 2.0), into="ab")
    abc = merged(ab, third, b)
    times = pl.read_parquet(abc / "times.parquet")
    assert times.height == 2 * 12
    assert set(times.select("machine", "fit_seconds").rows()) == {("two", 2.0), ("three", 3.0)}
    assert len([*(abc / "environment").iterdir()]) == 3


def test_another_prediction_is_a_conflict_and_nothing_is_written(linclass, a, b, tmp_path):
    change(b / RUN / "predictions.parquet", y_pred=at(3, 1 - pl.col("y_pred"), "y_pred"))
    before = set(tmp_path.iterdir())
    output = linclass("merge", a, b, "--into", tmp_path / "c")
    assert output.code == 1
    assert output.lines[0].startswith("linclass merge: nothing is written")
    (line,) = output.lines[1:]
    assert line.startswith("two × good: predicted classes differ in 1 of 40 rows (first: cv,")
    assert line.endswith(f"A = {a}, B = {b}")
    assert set(tmp_path.iterdir()) == before


def test_differences_by_rounding_are_not_a_conflict_and_the_first_result_is_kept(
    linclass, merged, a, b, tmp_path
):
    name = f"{RUN}/predictions.parquet"
    change(b / name, score=pl.col("score").list.eval(pl.element() + 1e-10))
    assert (merged(a, b) / name).read_bytes() == (a / name).read_bytes()
    output = linclass("merge", a, b, "--into", tmp_path / "d", "--tolerance", "0")
    assert output.code == 1
    assert "numbers differ by at most" in output.lines[1]


def test_other_settings_data_folds_and_failed_fits_are_conflicts(linclass, a, b, tmp_path):
    study = study_of(a)
    methods = study["methods"] | {"good": {"classifier": "other"}}
    edit(b / "study.json", evaluation=study["evaluation"] | {"folds": 5}, methods=methods)
    edit(b / "data" / "two.json", digest="sha256:1")
    change(b / "folds" / "three.parquet", fold=2 - pl.col("fold"))
    change(b / "runs/two/plain/fits.parquet", status=pl.lit("failed"), reason=pl.lit("no module"))
    keep(b / "runs/two/plain/predictions.parquet", pl.lit(False))
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


def test_settings_that_do_not_affect_predictions_are_reported_without_conflict(
    linclass, a, b, tmp_path
):
    settings = {"rope": 0.05, "traces": True}
    edit(b / "study.json", evaluation=study_of(a)["evaluation"] | settings)
    for folder in (a, b):  # a module of their own that was edited, and one that was not
        files = study_of(folder)["files"] | {"own.py": f"# of {folder}", "mine.py": ""}
        edit(folder / "study.json", files=files)
    output = linclass("merge", a, b, "--into", tmp_path / "both")
    assert output.code == 0
    for words in (*(f"evaluation.{key} is " for key in settings), "own.py differs between"):
        assert any(words in line for line in output.lines), output.lines
    assert not any("mine.py" in line for line in output.lines)


def test_the_folds_of_a_run_may_come_from_two_machines(linclass, merged, a, b, tmp_path):
    whole = shutil.copytree(a, tmp_path / "whole")
    for folder, kept in ((a, pl.col("fold") < 1), (b, pl.col("fold") >= 1)):
        for path in folder.glob("runs/*/*/[fp]*.parquet"):
            keep(path, kept)
    c = merged(a, b)
    shutil.copy(whole / "scores.parquet", c)
    output = linclass("verify", whole, c)
    assert output.lines[0] == "identical: 4 runs with the same predictions and fits"


def with_coefficients(folder, value):
    """Coefficients of all folds of a run; the path of their table."""
    fits = pl.read_parquet(folder / RUN / "fits.parquet").select(table_files.FIT)
    known = {"class": 1, "feature": "x", "value": value, "scale": 1.0, "features": 1}
    rows = fits.with_columns(**{name: pl.lit(v) for name, v in known.items()})
    write_table(rows, "coefficients", folder / RUN / "coefficients.parquet")
    return folder / RUN / "coefficients.parquet"


def test_kept_files_of_a_run_come_from_the_source_of_its_fits(merged, a, b):
    """Coefficients of folds 0 and 1 from a, of fold 2 from b, though b has them of all folds."""
    with_coefficients(a, 1.0), with_coefficients(b, 2.0)
    for table in ("fits", "predictions", "coefficients"):
        keep(a / RUN / f"{table}.parquet", pl.col("fold") < 2)
    run = merged(a, b) / RUN
    kept = pl.read_parquet(run / "coefficients.parquet")
    assert kept.select("fold", "value").rows() == [(0, 1.0), (1, 1.0), (2, 2.0)]
    assert not (run / "traces.parquet").exists()


def test_files_kept_by_one_of_two_equal_runs_are_merged_in_either_order(merged, a, b):
    expected = pl.read_parquet(path := with_coefficients(a, 2.0))
    for order in ((a, b), (b, a)):
        folder = merged(*order, into=f"{order[0].name}_first")
        assert pl.read_parquet(folder / path.relative_to(a)).equals(expected)


def test_a_fit_that_failed_to_run_on_one_machine_is_taken_from_the_other(linclass, merged, a, b):
    unlucky = pl.col("fold") == 1
    keep(a / RUN / "predictions.parquet", ~unlucky)
    for status in ("timeout", "out_of_memory", "not_applicable"):
        fits = a / RUN / "fits.parquet"
        change(fits, status=pl.when(unlucky).then(pl.lit(status)).otherwise("status"))
        for order in ((a, b), (b, a)):
            output = linclass("verify", b, merged(*order, into=f"{status}_{order[0].name}"))
            assert output.lines[0] == "identical: 4 runs with the same predictions and fits"


def test_data_available_to_one_source_only_are_taken_from_it(merged, a, tmp_path):
    gone = made_up(tmp_path / "gone", DATA | {"two": Data(unavailable="no source")}, METHODS)
    c = merged(gone, a)
    assert json.loads((c / "data/two.json").read_text())["status"] == "available"
    assert {*pl.read_parquet(c / RUN / "fits.parquet")["status"]} == {"converged"}


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
    merged, refused, a, tmp_path
):
    command = [sys.executable, "-c", KILLED, tmp_path / "c"]
    process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE)
    assert process.stdout.readline() == b"begun\n"
    half = tmp_path / ".c.partial" / "half"
    assert "another merge is writing" in refused("merge", a, "--into", tmp_path / "c")
    process.kill()
    process.communicate()
    assert half.exists(), "nothing is tested"
    assert not (merged(a) / "half").exists()
    assert not half.parent.exists()


def test_damaged_files_unfinished_studies_and_existing_targets_are_refused_in_one_line(
    refused, a, b, tmp_path
):
    assert "exists already" in refused("merge", a, "--into", b)
    for file, content in (
        ("checks/two.json", "[]"), ("checks/two.json", '{"a": '), ("data/two.json", "[]"),
        ("folds/two.parquet", "PAR1"), ("environment/here-0.json", "3"), (f"{RUN}/boundary.npz", "PK"),
    ):  # fmt: skip
        before = (a / file).read_bytes()
        (a / file).write_text(content)
        assert f"{a}: {file} cannot be read" in refused("merge", a, "--into", tmp_path / "c")
        (a / file).write_bytes(before)
    (a / "study.json").unlink()
    line = refused("merge", a, "--into", tmp_path / "c")
    assert f"{a}/study.json does not exist: run the study to its end" in line
    assert not (tmp_path / "c").exists()
