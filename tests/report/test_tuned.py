"""tables/tuned.csv lists chosen values, and those at the ends of their grids."""

import json
import re
from dataclasses import replace

import polars as pl
import pytest
from cases import each
from matplotlib.text import Text
from studies import Data, Method

from linclass_study.analysis import answer, tuned_values
from linclass_study.analysis.aggregate import write_across
from linclass_study.analysis.tuned_values import write_tuned, write_tuned_table
from linclass_study.files.tables import write_table
from linclass_study.report.cells import PageCells
from linclass_study.report.contents import FIGURES
from linclass_study.report.drawing import style
from linclass_study.report.table import make_tables
from linclass_study.report.table_files import write_tables

GRID = {"logspace": [-2, 2, 5]}
METHODS = {
    "plain": {"classifier": "linclass.plain"},
    "at_the_end": {"classifier": "linclass.Tuned", "tune": {"strength": GRID}},
    "inside": {"classifier": "linclass.Tuned", "tune": {"strength": GRID, "loss": ["a", "b", "c"]}},
    "at_its_limit": {"classifier": "linclass.Tuned", "tune": {"shrinkage": [0.0, 0.5, 1.0]}},
    "two": {"classifier": "linclass.Tuned", "tune": {"strength": [0.2, 0.3], "pooling": [0, 1]}},
    "own": {"classifier": "mine.Own", "tune": {"shrink": [0.0, 0.5], "fast": [False, True]}},
}
METHODS = {name: entry | {"params": {"solver": "newton"}} for name, entry in METHODS.items()}
CHOSEN = {
    "plain": [{}] * 4,
    "at_the_end": [{"strength": value} for value in (100.0, 100.0, 100.0, 0.01)],
    "inside": [{"strength": value, "loss": "a"} for value in (1.0, 10.0, 1.0, 100.0)],
    "at_its_limit": [{"shrinkage": 1.0}] * 4,
    "two": [{"strength": value, "pooling": 1} for value in (0.2, 0.2, 0.3, 0.3)],
    "own": [{"shrink": 0.0, "fast": True}] * 4,
}


@pytest.fixture
def outcome(make):
    made = make({"d": Data(rows=40)}, {name: Method() for name in METHODS}, folds=4)
    made = type(made)(made.results, made.datasets, METHODS, made.evaluation)
    params = [
        json.dumps({"solver": "newton"} | CHOSEN[method][fold])
        for method, fold in made.fits.select("method", "fold").iter_rows()
    ]
    status = [
        "failed" if p == ("inside", 3) else "converged"
        for p in made.fits.select("method", "fold").iter_rows()
    ]
    changed = made.fits.with_columns(params=pl.Series(params), status=pl.Series(status))
    write_table(changed, "fits", made.results / "fits.parquet")
    return type(made)(made.results, made.datasets, METHODS, made.evaluation)


def test_each_value_of_each_fit_is_a_row(outcome):
    write_tuned(outcome, "d")
    write_tuned_table(outcome)
    found = pl.read_csv(outcome.results / "tables" / "tuned.csv")
    assert found.columns == [
        "dataset", "method", "protocol", "repeat", "fold", "parameter", "value", "edge"
    ]  # fmt: skip
    of_end = found.filter(method="at_the_end")
    assert [json.loads(value) for value in of_end["value"]] == [100.0, 100.0, 100.0, 0.01]
    assert of_end["edge"].to_list() == ["highest", "highest", "highest", "lowest"]
    of_inside = found.filter(method="inside")
    assert of_inside["parameter"].to_list() == ["loss", "strength"] * 3  # the failed fit has none
    assert of_inside["edge"].null_count() == 6
    assert found.filter(method="plain").is_empty()


def test_parameters_at_the_end_of_their_grid_in_half_of_the_fits_are_reported(outcome):
    """Of two values both are ends. Not where a grid ends at the limit of the parameter, as its class states it."""
    reported = {
        (one["method"], one["parameter"], one["edge"], one["value"], *one["datasets"])
        for one in tuned_values.at_the_edge(outcome)
    }
    by_name = {
        ("at_the_end", "strength", "highest", "100.0", "d"),
        ("two", "strength", "lowest", "0.2", "d"),
        ("two", "strength", "highest", "0.3", "d"),
    }
    assert reported == by_name | {("own", "shrink", "lowest", "0.0", "d")}
    stated = replace(outcome, parameters={"own": {"limits": {"shrink": [0]}}})
    assert {one["method"] for one in tuned_values.at_the_edge(stated)} == {"at_the_end", "two"}
    of_half = (
        "two chose the highest strength of its grid on d and the lowest strength of its grid on d"
    )
    assert of_half in answer.answer(outcome, "report.html")


@each(("value", "grid", "edge"), [
    (1, [3, 1, 2], "lowest"),
    (3, [3, 1, 2], "highest"),
    (2, [3, 1, 2], None),
    (1, [1, 2], "lowest"),
    (1, [1, 1], None),
    (True, [True, False], None),
    ("a", ["a", "b", "c"], None),
    (True, [True, False, 1], None),
    (10.0, {"logspace": [-1, 1, 3]}, "highest"),
])  # fmt: skip
def test_only_a_grid_of_distinct_numbers_has_ends(value, grid, edge):
    assert tuned_values.edge(value, grid) == edge


def test_the_answer_is_of_the_first_protocol_that_a_data_set_has(make):
    data = {"split": Data(rows=60, official=30), "whole": Data(rows=60)}
    made = make(data, {"m": Method()}, folds=3)
    evaluation = {**made.evaluation, "protocols": ["official", "cv"]}
    other = type(made)(made.results, made.datasets, made.methods, evaluation)
    assert [other.protocol(name) for name in data] == ["official", "cv"]
    title, split, whole = answer.best_lines(other)
    assert title == "Best accuracy (the official test set):"
    assert re.fullmatch(r"  split  0\.\d\d\d          m", split)  # one value has no spread
    assert whole.endswith(" m (mean ± sd, 3 folds)")


@pytest.fixture
def narrow(make):
    """`narrow` chose the lowest of its strengths in all fits, on six of seven data sets."""
    data = {f"d{i}": Data(rows=40, seed=i) for i in range(7)}
    made = make(data, {"plain": Method(2.0), "narrow": Method(1.0), "other": Method(0.5)}, folds=3)
    entries = made.methods | {
        "narrow": {"classifier": "linclass.Tuned", "tune": {"strength": GRID}}
    }
    chosen = pl.when(dataset="d6").then(pl.lit('{"strength": 1.0}'))
    chosen = chosen.otherwise(pl.lit('{"strength": 0.01}'))
    params = pl.when(method="narrow").then(chosen).otherwise("params")
    changed = made.fits.with_columns(params=params)
    write_table(changed, "fits", made.results / "fits.parquet")
    return replace(made, methods=entries)


NAMED = (
    "narrow chose the lowest strength of its grid on 6 of 7 data sets: its score may be too low."
)


def test_a_method_at_an_end_of_its_grid_is_named_in_the_answer(narrow):
    assert f"\n{NAMED}\n" in answer.answer(narrow, "report.html")
    alone = replace(narrow, methods={"narrow": narrow.methods["narrow"]})
    alone.__dict__["scores"] = narrow.scores.filter(method="narrow")
    assert all(line.endswith("narrow†") for line in answer.best_lines(alone)[1:])
    losses = replace(narrow, evaluation=narrow.evaluation | {"tune_metric": "log_loss"})
    assert NAMED.replace("low.", "high.") in answer.answer(losses, "report.html")
    path = {"narrow": {"classifier": "linclass.Tuned", "tune": {"strength": "path"}}}
    extended = replace(narrow, methods=narrow.methods | path)
    extended.read["grid_ends"] = {}
    said = answer.answer(extended, "report.html")
    assert "chose" not in said
    assert "\n0 of 1 tuned method at an end of a path or grid.\n" in said


@pytest.mark.full
def test_a_method_at_an_end_of_its_grid_is_marked_in_all_comparisons(narrow):
    """In all figures and tables, with an explanation; not on the data set where it chose a value inside."""
    write_across(narrow)
    overall = [FIGURES[name] for name in ("ranks", "ratings", "pairwise", "heat", "cost")]
    single = [
        FIGURES[name]
        for name in ("methods", "roc", "precision_recall", "calibration", "probabilities")
    ]
    part, inside = narrow.parts()["d0"], narrow.parts()["d6"]
    with style.settings():
        drawn = [draw(narrow) for draw in overall]
        drawn += [draw(part, "d0") for draw in single]
        plain = [draw(inside, "d6") for draw in single]
    for exhibit in drawn:
        texts = [text.get_text().split("\n") for text in exhibit.figure.findobj(Text)]
        texts = {line for lines in texts for line in lines}
        assert "narrow†" in texts, exhibit.title
        assert "narrow" not in texts
        assert "plain†" not in texts
        assert "† narrow chose the lowest strength of its grid on" in exhibit.caption, exhibit.title
    assert not any("†" in exhibit.caption for exhibit in plain)

    tables = narrow.results / "tables"
    for name in ("ranks", "pairwise", "sensitivity"):
        assert NAMED in (tables / f"{name}.md").read_text()
        assert "†" not in (tables / f"{name}.csv").read_text()
    assert "| narrow† |" in (tables / "ranks.md").read_text()
    ends = pl.read_csv(tables / "ranks.csv").select("method", "grid_end").rows()
    assert sorted(ends) == [("narrow", True), ("other", False), ("plain", False)]
    made = make_tables(narrow)
    write_tables(made, narrow)
    assert "narrow &" not in (tables / "sensitivity.tex").read_text()
    for name in ("ranks", "pairwise", "compared"):
        latex = (tables / f"{name}.tex").read_text()
        assert r"narrow\textdagger{} &" in latex, name
        assert r"\textdagger{} narrow chose" in latex, name
    for name in ("compared", "performance-d0", "metrics-d0", "differences-d0", "cost"):
        assert "| narrow† |" in (tables / f"{name}.md").read_text(), name
    assert "†" not in (tables / "performance-d6.md").read_text()
    cells = PageCells(narrow, [])
    table = made["compared", ""]
    heads = [cells.head(table.columns[0], row[0]) for row in table.rows]
    assert [head.endswith("†</th>") for head in heads] == [False, True, False]
