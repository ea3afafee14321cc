"""`linclass verify` says whether two results agree, and if not, where and by how much."""

import math
import shutil

import polars as pl
import pytest
from cases import each
from finished_results import RUN, at, change, edit, study_of

from linclass_study.command.results_folder import open_results
from linclass_study.command.verify import Agreement, Verified
from linclass_study.project import ROOT

PREDICTIONS, FITS = f"{RUN}/predictions.parquet", f"{RUN}/fits.parquet"


def moved(by):
    return pl.col("score").list.eval(pl.element() + by)


def of_two(output):
    """The line about a run of the data set `two`."""
    (line,) = (line for line in output.lines if line.startswith("two "))
    return line


def test_the_published_reference_results_are_read():
    """A slow test of tests/test_reference_results.py compares them with new fits."""
    with open_results(str(ROOT / "reference" / "2026.1")) as results:
        assert {dataset for dataset, _ in results.runs} == {*results.study.outcome.datasets}
        for table in ("scores", "tuned"):
            assert results.study_table(table, ("crabs", "logistic")).height >= 10
        assert {*results.run_table("fits", ("crabs", "logistic"))["status"]} == {"converged"}


def test_the_order_of_rows_and_the_times_of_fits_do_not_matter(linclass, a, b):
    output = linclass("verify", a, b)
    assert (output.code, output.errors) == (0, [])
    assert output.lines[0] == "identical: 4 runs with the same predictions and fits"
    pl.read_parquet(b / PREDICTIONS).reverse().write_parquet(b / PREDICTIONS)
    change(b / FITS, fit_seconds=pl.lit(1e3), machine=pl.lit("another"))
    assert linclass("verify", a, b).code == 0


def test_another_class_of_one_row_is_named_with_its_place(linclass, a, b):
    seventh = pl.read_parquet(b / PREDICTIONS).row(7, named=True)
    other = 1 - seventh["y_pred"]
    change(b / PREDICTIONS, y_pred=at(7, pl.lit(other, pl.Int32), "y_pred"))
    output = linclass("verify", a, b)
    assert output.code == 1
    assert output.lines[0] == "different: 1 of 4 runs differ"
    place = f"cv, repeat 0, fold {seventh['fold']}, row {seventh['row']}"
    values = f"{seventh['y_pred']} in A and {other} in B"
    found = f"predicted classes differ in 1 of 40 rows (first: {place}: {values})"
    assert of_two(output) == f"two × good: {found}"
    assert linclass("verify", a, b, "--tolerance", "0.9").code == 1


def test_rounding_is_reported_and_allowed_by_a_tolerance(linclass, a, b):
    change(b / PREDICTIONS, score=moved(3e-12))
    output = linclass("verify", a, b)
    assert output.code == 1
    assert output.lines[0].startswith("equal but for rounding: 1 of 4 runs have the same classes")
    assert of_two(output).endswith("in 40 rows")
    assert 2e-12 < float(of_two(output).split("at most ")[1].split()[0]) < 4e-12
    assert linclass("verify", a, b, "--tolerance", "1e-9").code == 0
    assert linclass("verify", a, b, "--tolerance", "1e-13").code == 1


def fits(**columns):
    return lambda b: change(b / FITS, **columns)


def predictions(**columns):
    return lambda b: change(b / PREDICTIONS, **columns)


@pytest.mark.parametrize(("change_of", "words"), [
    (fits(status=pl.lit("max_iter")), "status of 3 of 3 fits differs ('converged' in A"),
    (fits(params=pl.lit('{"C": 1}')), "params of 3 of 3 fits differs ('{}' in A"),
    (fits(seed=pl.col("seed") + 1), "seed of 3 of 3 fits differs ('0' in A and '1' in B)"),
    (fits(objective=pl.lit(2.0)), "numbers differ by at most inf"),  # A has no objective
    (predictions(score=pl.lit([math.nan, math.inf])), "numbers differ by at most inf"),
    (predictions(log_proba=pl.lit(None, pl.List(pl.Float64))), "log_proba has different lengths in 40 rows"),
    (lambda b: shutil.rmtree(b / RUN), "in A alone: two × good"),
    (predictions(row=pl.col("row") + (pl.col("row") == 39)), "1 row predicted in A alone"),
    (predictions(row=pl.col("row") + (pl.col("row") == 39)), "1 row predicted in B alone"),
    (lambda b: edit(b / "data/two.json", digest="sha256:1"), "two: digest is sha256:0 in A and sha256:1 in B"),
    (lambda b: edit(b / "data/two.json", costs=[[0, 1], [5, 0]]), "two: costs is None in A and [[0, 1], [5, 0]] in B"),
    (lambda b: change(b / "folds/two.parquet", fold=2 - pl.col("fold")),
        "data set two: its rows are assigned to other folds in A and B"),
])  # fmt: skip
def test_other_fits_predictions_and_data_differ(linclass, a, b, change_of, words):
    change_of(b)
    output = linclass("verify", a, b)
    assert output.code == 1
    assert words in output.text


def test_differences_are_relative_to_numbers_above_one_and_to_chosen_numbers(linclass, a, b):
    """A grid of strengths from the data depends on the last bit of sums; tiny strengths differ by factors."""
    for folder, objective in ((a, 1000.0), (b, 1001.0)):
        change(folder / "runs/two/plain/fits.parquet", objective=pl.lit(objective))
    assert f"at most {1 / 1001:.1e}" in linclass("verify", a, b).text
    for other, code in ((0.1 * (1 + 1e-13), 0), (0.2, 1)):
        for folder, strength in ((a, 0.1), (b, other)):
            params = pl.lit(f'{{"strength": {strength * 1e-12!r}}}')
            change(folder / FITS, params=params)
        assert linclass("verify", a, b, "--tolerance", "1e-2").code == code


def test_infinite_and_missing_numbers_equal_themselves(linclass, a, b):
    for folder in (a, b):
        odd = pl.Series([[math.inf, -math.inf], [math.nan, 0.0]] * 20)
        change(folder / PREDICTIONS, score=odd)
    # other bytes, so that numbers are compared
    pl.read_parquet(b / PREDICTIONS).reverse().write_parquet(b / PREDICTIONS)
    assert linclass("verify", a, b).code == 0


def test_the_verdict_counts_the_runs_of_one_side_and_those_with_other_numbers(linclass, a, b):
    shutil.rmtree(b / "runs" / "three" / "plain")
    first = "different: of 3 runs in both 0 differ in numbers, 1 run in A alone"
    output = linclass("verify", a, b)
    assert output.lines[0] == first
    assert "scores: " not in output.text  # which only A has of that run
    change(b / PREDICTIONS, score=moved(3e-12))
    first = "different: of 3 runs in both 1 differ in numbers, 1 run in A alone"
    assert linclass("verify", a, b).lines[0] == first
    shutil.rmtree(a / "runs" / "two")
    shutil.rmtree(b / "runs" / "three")
    output = linclass("verify", a, b)
    first = "different: no run in both, 2 runs in A alone, 2 runs in B alone"
    assert (output.code, output.lines[0]) == (1, first)


@each(("numbers", "words"), [
    ({}, "equal, "),
    ({1: 3e-12}, "equal within 3.0e-12, "),
    ({1: 1e-3}, "equal within 1.0e-03, "),
])  # fmt: skip
def test_the_verdict_on_other_facts_says_what_predictions_are_equal_within(numbers, words):
    close = [Agreement(("d", f"m{i}"), largest=largest) for i, largest in numbers.items()]
    found = Verified(1e-2, identical=2, close=close, facts=["its rows are assigned to other folds"])
    runs = f"the predictions of {2 + len(close)} runs"
    assert found.verdict == f"different: {runs} are {words}but data, folds or scores differ"


def test_other_studies_environments_and_missing_parts_are_notes(linclass, a, b):
    study = study_of(b)
    seed, (name, *_) = study["evaluation"]["seed"], study["methods"]
    study["evaluation"]["seed"] = seed + 1
    study["methods"][name] |= {"tune": {"alpha": [1, 2]}}
    edit(b / "study.json", **study)
    (file,) = (b / "environment").iterdir()
    edit(file, Machine="there", Python="3.12.1", Packages="numpy 2.4.6, own there")
    missing = ("data/two.json", "folds/two.parquet", "scores.parquet")
    for part in missing:
        (b / part).unlink()
    output = linclass("verify", a, b)
    assert output.code == 0
    assert f"only A has {', '.join(missing)}, not compared" in output.lines
    assert f"evaluation.seed is {seed} in A and {seed + 1} in B" in output.lines
    assert f"methods with other entries: {name}" in output.lines
    assert "environment: Python is 3.11.7 in A and 3.12.1 in B" in output.lines
    assert "environment: Machine is here in A and there in B" in output.lines
    assert "numpy" not in output.text


def test_a_metric_that_one_side_does_not_have_is_a_note_and_other_values_differ(linclass, a, b):
    scores = pl.read_parquet(b / "scores.parquet")
    scores.filter(pl.col("metric") != "brier").write_parquet(b / "scores.parquet")
    output = linclass("verify", a, b)
    assert output.code == 0
    assert "scores: only A has brier" in output.lines
    higher = pl.col("value") + 0.25 * (pl.col("metric") == "accuracy")
    scores.with_columns(value=higher).write_parquet(b / "scores.parquet")
    output = linclass("verify", a, b)
    assert output.code == 1
    assert "scores: accuracy differs on 12 fits by at most 2.5e-01" in output.lines


def cut(share):
    def rewrite(b):
        whole = (b / PREDICTIONS).read_bytes()
        (b / PREDICTIONS).write_bytes(whole[: int(share * len(whole))])

    return rewrite


@pytest.mark.parametrize(("damage", "words"), [
    *((cut(share), "{b}: runs/two/good/predictions.parquet cannot be read") for share in (0.0, 0.5, 0.9, 0.999)),
    *((predictions(**column), "{b}: runs/two/good/predictions.parquet cannot be read")
      for column in ({"y_pred": pl.lit("spam")}, {"score": pl.lit(1.0)}, {"method": pl.lit("other")})),
    (lambda b: (b / "data/two.json").write_text('{"status": '), "data/two.json cannot be read"),
    (lambda b: (b / "environment/here-0.json").write_text('{"status": '), "environment/ cannot be read"),
    (lambda b: (b / RUN).rename(b / "runs/two/\x1b[2Jgood"), "[2Jgood"),
    (lambda b: shutil.rmtree(b), "no such folder"),
    (lambda b: shutil.rmtree(b / "runs"), "no runs/"),
    (lambda b: (shutil.rmtree(b), b.write_text("no archive")), "neither"),
])  # fmt: skip
def test_what_cannot_be_read_is_reported_in_one_line(refused, a, b, damage, words):
    damage(b)
    line = refused("verify", a, b)
    assert words.format(b=b) in line
    assert "\x1b" not in line


@each(("arguments", "words"), [
    *((["verify", "a", "b", "--tolerance", value], f"{value} is not a number from 0 up to 1")
      for value in ("much", "-1", "nan", "1")),
    (["chek", "study.yaml"], "unknown command 'chek'; did you mean 'check'?"),
    (["dance", "study.yaml"], "unknown command 'dance'; there are: check, clean,"),
])  # fmt: skip
def test_a_wrong_option_or_command_is_named_with_a_remedy(linclass, capsys, arguments, words):
    with pytest.raises(SystemExit) as ended:
        linclass(*arguments)
    assert ended.value.code == 2
    assert words in capsys.readouterr().err
