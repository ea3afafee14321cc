"""`linclass verify` says whether two results agree, and if not, where and by how much."""

import json
import math
import shutil

import polars as pl
import pytest
from cases import each
from finished_results import at, change

from linclass_study.command.verify import Agreement, Verified


def run(folder, dataset="two", method="good", table="predictions"):
    return folder / "runs" / dataset / method / f"{table}.parquet"


def test_the_same_results_are_identical(linclass, a, b):
    output = linclass("verify", a, b)
    assert (output.code, output.errors) == (0, [])
    assert output.lines[0] == "identical: 4 runs with the same predictions and fits"


def test_the_order_of_rows_and_the_times_of_fits_do_not_matter(linclass, a, b):
    path = run(b)
    pl.read_parquet(path).sort("row", descending=True).write_parquet(path)
    change(run(b, table="fits"), fit_seconds=pl.lit(1e3), machine=pl.lit("another"))
    assert linclass("verify", a, b).code == 0


def test_another_class_of_one_row_is_named_with_its_place(linclass, a, b):
    path = run(b)
    seventh = pl.read_parquet(path).row(7, named=True)
    other = 1 - seventh["y_pred"]
    change(path, y_pred=at(7, pl.lit(other, pl.Int32), "y_pred"))
    output = linclass("verify", a, b)
    assert output.code == 1
    assert output.lines[0] == "different: 1 of 4 runs differ"
    place = f"cv, repeat 0, fold {seventh['fold']}, row {seventh['row']}"
    values = f"{seventh['y_pred']} in A and {other} in B"
    found = f"predicted classes differ in 1 of 40 rows (first: {place}: {values})"
    (line,) = (line for line in output.lines if line.startswith("two "))
    assert line == f"two × good: {found}"


def test_rounding_is_reported_and_allowed_by_a_tolerance(linclass, a, b):
    moved = pl.col("score").list.eval(pl.element() + 3e-12)
    change(run(b), score=moved)
    output = linclass("verify", a, b)
    assert output.code == 1
    assert output.lines[0].startswith("equal but for rounding: 1 of 4 runs have the same classes")
    (line,) = (line for line in output.lines if line.startswith("two "))
    assert line.endswith("in 40 rows")
    assert 2e-12 < float(line.split("at most ")[1].split()[0]) < 4e-12
    assert linclass("verify", a, b, "--tolerance", "1e-9").code == 0
    assert linclass("verify", a, b, "--tolerance", "1e-13").code == 1


def test_a_tolerance_allows_no_other_class(linclass, a, b):
    change(run(b), y_pred=1 - pl.col("y_pred"))
    assert linclass("verify", a, b, "--tolerance", "0.9").code == 1


@pytest.mark.parametrize(
    ("change_of", "words"),
    [
        ({"status": pl.lit("max_iter")}, "status of 3 of 3 fits differs ('converged' in A"),
        ({"params": pl.lit('{"C": 1}')}, "params of 3 of 3 fits differs ('{}' in A"),
        ({"seed": pl.col("seed") + 1}, "seed of 3 of 3 fits differs ('0' in A and '1' in B)"),
        ({"objective": pl.lit(2.0)}, "numbers differ by at most inf"),  # A has no objective
    ],
)
def test_fits_with_another_status_differ(linclass, a, b, change_of, words):
    change(run(b, table="fits"), **change_of)
    output = linclass("verify", a, b)
    assert output.code == 1
    assert words in output.text


def test_chosen_numbers_are_compared_up_to_rounding_relative_to_themselves(linclass, a, b):
    """A grid of strengths from the data depends on the last bit of sums; tiny strengths differ by factors."""
    for other, code in ((0.1 * (1 + 1e-13), 0), (0.2, 1)):
        for folder, strength in ((a, 0.1), (b, other)):
            change(
                run(folder, table="fits"), params=pl.lit(f'{{"strength": {strength * 1e-12!r}}}')
            )
        assert linclass("verify", a, b, "--tolerance", "1e-9").code == code


def test_differences_are_relative_for_numbers_above_one(linclass, a, b):
    for folder, objective in ((a, 1000.0), (b, 1001.0)):
        change(run(folder, table="fits"), objective=pl.lit(objective))
    output = linclass("verify", a, b)
    assert f"at most {1 / 1001:.1e}" in output.text


def test_runs_and_rows_of_one_side_alone_are_named(linclass, a, b):
    shutil.rmtree(b / "runs" / "three" / "plain")
    output = linclass("verify", a, b)
    assert output.code == 1
    assert "in A alone: three × plain" in output.lines
    change(run(b), row=pl.col("row") + (pl.col("row") == 39))
    output = linclass("verify", a, b)
    assert "1 row predicted in A alone" in output.text
    assert "1 row predicted in B alone" in output.text


def test_the_verdict_counts_the_runs_of_one_side_and_those_with_other_numbers(linclass, a, b):
    shutil.rmtree(b / "runs" / "three" / "plain")
    first = "different: of 3 runs in both 0 differ in numbers, 1 run in A alone"
    assert linclass("verify", a, b).lines[0] == first
    change(run(b), score=pl.col("score").list.eval(pl.element() + 3e-12))
    first = "different: of 3 runs in both 1 differ in numbers, 1 run in A alone"
    assert linclass("verify", a, b).lines[0] == first


def test_results_without_a_common_run_are_not_called_equal(linclass, a, b):
    shutil.rmtree(a / "runs" / "two")
    shutil.rmtree(b / "runs" / "three")
    output = linclass("verify", a, b)
    assert output.code == 1
    assert output.lines[0] == ("different: no run in both, 2 runs in A alone, 2 runs in B alone")


def test_infinite_and_missing_numbers_equal_themselves(linclass, a, b):
    for folder in (a, b):
        odd = pl.Series([[math.inf, -math.inf], [math.nan, 0.0]] * 20)
        change(run(folder), score=odd)
    path = run(b)
    pl.read_parquet(path).reverse().write_parquet(path)  # other bytes, so that numbers are compared
    assert linclass("verify", a, b).code == 0
    change(run(b), score=pl.Series([[math.nan, math.inf]] * 40))
    assert "numbers differ by at most inf" in linclass("verify", a, b).text


def test_a_probability_that_one_side_does_not_have_differs(linclass, a, b):
    change(run(b), log_proba=pl.lit(None, pl.List(pl.Float64)))
    output = linclass("verify", a, b)
    assert output.code == 1
    assert "log_proba has other entries in 40 rows" in output.text


def test_other_data_and_other_folds_are_reported(linclass, a, b):
    path = b / "data" / "two.json"
    path.write_text(json.dumps(json.loads(path.read_text()) | {"digest": "sha256:1"}))
    change(b / "folds" / "three.parquet", fold=2 - pl.col("fold"))
    output = linclass("verify", a, b)
    assert output.code == 1
    assert "data set two: digest is sha256:0 in A and sha256:1 in B" in output.lines
    assert "data set three: its rows are assigned to other folds in A and B" in output.lines


@each(
    ("numbers", "words"),
    [
        ({}, "equal, "),
        ({1: 3e-12}, "equal within 3.0e-12, "),
        ({1: 1e-3}, "equal within 1.0e-03, "),
    ],
)
def test_the_verdict_on_other_facts_says_what_predictions_are_equal_within(numbers, words):
    close = [Agreement(("d", f"m{i}"), largest=largest) for i, largest in numbers.items()]
    found = Verified(1e-2, identical=2, close=close, facts=["its rows are assigned to other folds"])
    runs = 2 + len(close)
    expected = (
        f"different: the predictions of {runs} runs are {words}but data, folds or scores differ"
    )
    assert found.verdict == expected


def test_other_costs_are_reported(linclass, a, b):
    """`merge` called them a contradiction; `verify` did not look at them."""
    path = b / "data" / "two.json"
    path.write_text(json.dumps(json.loads(path.read_text()) | {"costs": [[0, 1], [5, 0]]}))
    output = linclass("verify", a, b)
    assert output.code == 1
    assert "data set two: costs is None in A and [[0, 1], [5, 0]] in B" in output.lines


def test_keys_and_methods_that_the_studies_define_differently_are_named(linclass, a, b):
    path = b / "study.json"
    study = json.loads(path.read_text())
    seed = study["evaluation"]["seed"]
    study["evaluation"]["seed"] = seed + 1
    name = next(iter(study["methods"]))
    study["methods"][name] = study["methods"][name] | {"tune": {"alpha": [1, 2]}}
    path.write_text(json.dumps(study))
    output = linclass("verify", a, b)
    assert output.code == 0  # the predictions are equal nevertheless
    assert f"evaluation.seed is {seed} in A and {seed + 1} in B" in output.lines
    assert f"methods with other entries: {name}" in output.lines


def test_a_metric_that_one_side_does_not_have_is_a_note_and_other_values_differ(linclass, a, b):
    scores = pl.read_parquet(b / "scores.parquet")
    scores.filter(pl.col("metric") != "brier").write_parquet(b / "scores.parquet")
    output = linclass("verify", a, b)
    assert output.code == 0
    assert "scores: only A has brier" in output.lines
    accuracy = pl.col("metric") == "accuracy"
    moved = pl.when(accuracy).then(pl.col("value") + 0.25).otherwise("value")
    scores.with_columns(value=moved).write_parquet(b / "scores.parquet")
    output = linclass("verify", a, b)
    assert output.code == 1
    assert "scores: accuracy differs on 12 fits by at most 2.5e-01" in output.lines


def test_what_differs_between_the_environments_is_said(linclass, a, b):
    reported = {"Machine": "there", "Python": "3.12.1", "Packages": "numpy 2.4.6, own there"}
    (file,) = (b / "environment").iterdir()
    file.write_text(json.dumps(reported))
    lines = linclass("verify", a, b).lines
    assert "environment: Python is 3.11.7 in A and 3.12.1 in B" in lines
    assert "environment: Machine is here in A and there in B" in lines
    assert not any("numpy" in line for line in lines)


@pytest.mark.parametrize("kept", [0.0, 0.5, 0.9, 0.999])
def test_a_truncated_file_is_reported_in_one_line(linclass, a, b, kept):
    path = run(b)
    content = path.read_bytes()
    path.write_bytes(content[: int(kept * len(content))])
    output = linclass("verify", a, b)
    assert output.code == 2
    (line,) = output.errors
    assert f"{b}: runs/two/good/predictions.parquet cannot be read" in line


@pytest.mark.parametrize(
    "column", [{"y_pred": pl.lit("spam")}, {"score": pl.lit(1.0)}, {"method": pl.lit("other")}]
)
def test_a_file_with_foreign_columns_is_reported_in_one_line(linclass, a, b, column):
    change(run(b), **column)
    output = linclass("verify", a, b)
    assert output.code == 2
    assert len(output.errors) == 1
    assert "runs/two/good/predictions.parquet cannot be read" in output.errors[0]


@pytest.mark.parametrize("file", ["data/two.json", "environment/here-0.json"])
def test_a_truncated_json_file_is_reported_in_one_line(linclass, a, b, file):
    (b / file).write_text('{"status": ')
    output = linclass("verify", a, b)
    assert output.code == 2
    assert len(output.errors) == 1


@pytest.mark.parametrize("file", ["data/two.json", "folds/two.parquet", "scores.parquet"])
def test_parts_missing_on_one_side_are_reported_as_not_compared(linclass, a, b, file):
    (b / file).unlink()
    output = linclass("verify", a, b)
    assert output.code == 0
    assert f"only A has {file}, not compared" in output.lines


@pytest.mark.parametrize("tolerance", ["much", "-1", "nan", "1"])
def test_a_tolerance_is_a_number_from_0_to_1(linclass, a, b, tolerance, capsys):
    with pytest.raises(SystemExit):
        linclass("verify", a, b, "--tolerance", tolerance)
    assert f"{tolerance} is not a number from 0 up to 1" in capsys.readouterr().err


def test_a_folder_without_results_is_reported_in_one_line(linclass, a, tmp_path):
    (tmp_path / "empty").mkdir()
    (tmp_path / "text.zip").write_text("no archive")
    for given, words in (("nowhere", "no such"), ("empty", "no runs/"), ("text.zip", "neither")):
        output = linclass("verify", a, tmp_path / given)
        assert output.code == 2
        assert len(output.errors) == 1
        assert words in output.errors[0]


def test_an_invalid_run_name_is_refused(linclass, a, b):
    (b / "runs" / "two" / "good").rename(b / "runs" / "two" / "\x1b[2Jgood")
    output = linclass("verify", a, b)
    assert output.code == 2
    assert "\x1b" not in output.errors[0]


def test_scores_of_runs_that_only_one_has_are_not_called_different(linclass, a, b):
    path = b / "scores.parquet"
    scores = pl.read_parquet(path)
    scores.filter(~((pl.col("dataset") == "three") & (pl.col("method") == "plain"))).write_parquet(
        path
    )
    assert "scores: " not in linclass("verify", a, b).text


@pytest.mark.parametrize("command", ["verify", "publish"])
@pytest.mark.parametrize(
    ("given", "meant"),
    [
        ("mystduy", "mystudy?"),
        ("mystduy/runs", "mystudy/runs?"),
        ("mystduy/gone", "mystudy?"),
        ("publishd-0a.zip", "published-0a.zip?"),
    ],
)
def test_a_missing_folder_is_reported_with_similar_names(linclass, tmp_path, command, given, meant):
    (tmp_path / "mystudy" / "runs").mkdir(parents=True)
    (tmp_path / "mystudy.yaml").touch()
    (tmp_path / "published-0a.zip").touch()
    place = tmp_path / given
    output = linclass(command, *[place] * (1 + (command == "verify")))
    assert output.code == 2
    said = (
        f"linclass {command}: {place}: no such folder or archive; did you mean {tmp_path}/{meant}"
    )
    assert output.errors == [said]
    far = linclass(command, *[tmp_path / "q" / "x"] * (1 + (command == "verify")))
    assert far.errors[0].endswith("/q/x: no such folder or archive")


@pytest.mark.parametrize(
    ("command", "meant"), [("chek", "did you mean 'check'?"), ("dance", "there are: check, clean,")]
)
def test_an_unknown_command_gets_a_suggestion(linclass, capsys, command, meant):
    with pytest.raises(SystemExit) as ended:
        linclass(command, "study.yaml")
    assert ended.value.code == 2
    assert f"unknown command '{command}'; {meant}" in capsys.readouterr().err
