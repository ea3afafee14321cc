"""Tuning in results: chosen values, those at the ends of their grids, and candidates that failed."""

import json
import re
from dataclasses import replace
from html import unescape

import numpy as np
import polars as pl
import pytest
import studies
from cases import each
from matplotlib.text import Text
from studies import Data, Method, put_fits

from linclass.base.tables import Table
from linclass_study.analysis import answer, tuned_values
from linclass_study.analysis.aggregate import write_across
from linclass_study.analysis.fit_problems import failed_candidates
from linclass_study.analysis.outcome import Outcome
from linclass_study.analysis.tuned_values import write_tuned, write_tuned_table
from linclass_study.execution import fit_outcome
from linclass_study.files.tables import frame, write_table
from linclass_study.pipeline.fitted import Task
from linclass_study.pipeline.fitting import fit_method
from linclass_study.pipeline.method import Method as LinclassMethod
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
    keys = made.fits.select("method", "fold").rows()
    chosen = [json.dumps({"solver": "newton"} | CHOSEN[method][fold]) for method, fold in keys]
    failed = pl.when(method="inside", fold=3).then(pl.lit("failed")).otherwise("status")
    return put_fits(replace(made, methods=METHODS), params=pl.Series(chosen), status=failed)


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
    assert reported == {
        ("at_the_end", "strength", "highest", "100.0", "d"),
        ("two", "strength", "lowest", "0.2", "d"),
        ("two", "strength", "highest", "0.3", "d"),
        ("own", "shrink", "lowest", "0.0", "d"),
    }
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


@pytest.fixture
def narrow(make):
    """`narrow` chose the lowest of its strengths in all fits, on six of seven data sets."""
    data = {f"d{i}": Data(rows=40, seed=i) for i in range(7)}
    made = make(data, {"plain": Method(2.0), "narrow": Method(1.0), "other": Method(0.5)}, folds=3)
    entry = {"classifier": "linclass.Tuned", "tune": {"strength": GRID}}
    inside = pl.when(method="narrow", dataset="d6").then(pl.lit('{"strength": 1.0}'))
    chosen = inside.when(method="narrow").then(pl.lit('{"strength": 0.01}')).otherwise("params")
    return put_fits(replace(made, methods=made.methods | {"narrow": entry}), params=chosen)


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
    overall = ("ranks", "ratings", "pairwise", "heat", "cost")
    single = ("methods", "roc", "precision_recall", "calibration", "probabilities")
    part, inside = narrow.parts()["d0"], narrow.parts()["d6"]
    with style.settings():
        drawn = [FIGURES[name](narrow) for name in overall]
        drawn += [FIGURES[name](part, "d0") for name in single]
        plain = [FIGURES[name](inside, "d6") for name in single]
    for exhibit in drawn:
        texts = "\n".join(text.get_text() for text in exhibit.figure.findobj(Text)).split("\n")
        assert "narrow†" in texts, exhibit.title
        assert not {"narrow", "plain†"} & {*texts}, exhibit.title
        assert "† narrow chose the lowest strength of its grid on" in exhibit.caption, exhibit.title
    assert not any("†" in exhibit.caption for exhibit in plain)

    tables = narrow.results / "tables"
    made = make_tables(narrow)
    write_tables(made, narrow)

    def written(name):
        return (tables / name).read_text()

    for name in ("ranks", "pairwise", "sensitivity"):
        assert NAMED in written(f"{name}.md")
        assert "†" not in written(f"{name}.csv")
    for name in ("ranks", "compared", "performance-d0", "metrics-d0", "differences-d0", "cost"):
        assert "| narrow† |" in written(f"{name}.md"), name
    ends = pl.read_csv(tables / "ranks.csv").select("method", "grid_end").rows()
    assert sorted(ends) == [("narrow", True), ("other", False), ("plain", False)]
    assert "narrow &" not in written("sensitivity.tex")
    for name in ("ranks", "pairwise", "compared"):
        assert r"narrow\textdagger{} &" in written(f"{name}.tex"), name
        assert r"\textdagger{} narrow chose" in written(f"{name}.tex"), name
    assert "†" not in written("performance-d6.md")
    cells, table = PageCells(narrow, []), made["compared", ""]
    heads = [cells.head(table.columns[0], row[0]) for row in table.rows]
    assert [head.endswith("†</th>") for head in heads] == [False, True, False]


WHY = "InvalidParameterError: C must be a float in the range (0, inf)."


def put_candidates(outcome, dataset, failures):
    """tuning.parquet of svm in two folds: candidate C → why it failed in each fold, or None."""
    rows = [
        {
            "dataset": dataset, "method": "svm", "protocol": "cv", "repeat": 0, "fold": fold,
            "params": json.dumps({"C": C}), "mean": None if why[fold] else 0.8, "n": 5, "chosen": C == 1.0,
            "failure": why[fold],
        }
        for fold in range(2)
        for C, why in failures.items()
    ]  # fmt: skip
    path = outcome.results / "runs" / dataset / "svm" / "tuning.parquet"
    write_table(frame("tuning", rows), "tuning", path)


def test_a_candidate_that_raises_keeps_its_reason():
    rng = np.random.default_rng(0)
    y = np.arange(60) % 2
    table = Table(rng.normal(size=(60, 2)) + y[:, None], ("a", "b"))
    entry = {"classifier": "sklearn.svm.LinearSVC", "tune": {"C": [-1.0, 1.0]}}
    fitted = fit_method(LinclassMethod.from_entry(entry), table, y, Task(2, 1), 0)
    columns = fit_outcome.tuning(fitted.candidates)
    assert columns["chosen"] == [False, True]
    assert columns["mean"][0] is None
    assert columns["failure"][0].startswith("InvalidParameterError: The 'C' parameter of LinearSVC")
    assert columns["failure"][1] is None


@pytest.fixture
def svm(make):
    """Two candidates of three failed in all fits of svm on d and e."""
    outcome = make({"d": Data(), "e": Data()}, {"svm": Method(), "lda": Method()}, folds=2)
    for dataset in ("d", "e"):
        put_candidates(outcome, dataset, {-2.0: (WHY, WHY), -1.0: (WHY, WHY), 1.0: (None, None)})
    return outcome


def test_failed_candidates_are_on_the_page_and_in_the_terminal(svm):
    (found,) = failed_candidates(svm)
    assert (found.methods, found.candidates) == (("svm",), ("C=-2.0", "C=-1.0"))
    assert (found.datasets, found.fits, found.reason) == (("d", "e"), 4, WHY)
    assert (
        f"left out of the tuning: C=-2.0, C=-1.0 of svm on d, e (4 fits): {WHY}"
        in answer.answer(svm, "").splitlines()
    )
    page = " ".join(unescape(re.sub("<[^>]+>", " ", studies.finish(svm))).split())
    assert "Candidates of the tuning failed: svm tuned over the remaining candidates." in page
    table = page[page.rindex("Candidates of the tuning that failed") :]
    assert table.index("C=-2.0; C=-1.0") < table.index(WHY)


def test_reasons_that_differ_in_numbers_are_one_and_other_reasons_another(svm):
    put_candidates(svm, "d", {1.0: ("5 rows", "6 rows"), 2.0: ("no rows", None)})
    found = {one.reason: one.fits for one in failed_candidates(replace(svm))}
    assert found == {"5 rows": 2, "no rows": 1, WHY: 2}


def test_tuning_of_a_run_is_read_once_for_answer_and_page(svm, monkeypatch):
    read, kept = [], Outcome.run_table
    monkeypatch.setattr(
        Outcome, "run_table", lambda self, *given: read.append(given) or kept(self, *given)
    )
    for dataset in ("d", "e"):
        write_tuned(replace(svm), dataset)
    write_tuned_table(replace(svm))
    assert WHY in answer.answer(replace(svm), "report.html")
    assert WHY in unescape(studies.finish(replace(svm)))
    tables = [given[1:] for given in read if given[0] == "tuning"]
    assert sorted(tables) == [("d", "lda"), ("d", "svm"), ("e", "lda"), ("e", "svm")]
