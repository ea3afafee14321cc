"""tables/tuned.csv lists chosen values, and those at the ends of their grids."""

from __future__ import annotations

import json
import re

import polars as pl
import pytest
from studies import Data, Method

from linclass_study.results import answer, tuned
from linclass_study.results.tuned import write_tuned
from linclass_study.table_files import write_table

GRID = {"logspace": [-2, 2, 5]}
METHODS = {
    "plain": {"classifier": "linclass.plain"},
    "at_the_end": {"classifier": "linclass.Tuned", "tune": {"strength": GRID}},
    "inside": {"classifier": "linclass.Tuned", "tune": {"strength": GRID, "loss": ["a", "b", "c"]}},
    "at_its_limit": {"classifier": "linclass.Tuned", "tune": {"shrinkage": [0.0, 0.5, 1.0]}},
}
METHODS = {name: entry | {"params": {"solver": "newton"}} for name, entry in METHODS.items()}
CHOSEN = {
    "plain": [{}] * 4,
    "at_the_end": [{"strength": value} for value in (100.0, 100.0, 100.0, 0.01)],
    "inside": [{"strength": value, "loss": "a"} for value in (1.0, 10.0, 1.0, 100.0)],
    "at_its_limit": [{"shrinkage": 1.0}] * 4,
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
    write_tuned(outcome)
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


def test_what_most_fits_chose_at_the_end_of_a_grid_is_reported(outcome):
    """Not where the grid ends at the limit of the parameter."""
    (reported,) = tuned.at_the_edge(outcome)
    assert (reported["method"], reported["parameter"], reported["edge"]) == (
        "at_the_end",
        "strength",
        "highest",
    )
    assert (reported["value"], reported["datasets"]) == ("100.0", ["d"])


@pytest.mark.parametrize(
    ("value", "grid", "edge"),
    [
        (1, [3, 1, 2], "lowest"),
        (3, [3, 1, 2], "highest"),
        (2, [3, 1, 2], None),
        (1, [1, 2], None),
        ("a", ["a", "b", "c"], None),
        (True, [True, False, 1], None),
        (10.0, {"logspace": [-1, 1, 3]}, "highest"),
    ],
)
def test_only_a_grid_of_several_numbers_has_ends(value, grid, edge):
    assert tuned.edge(value, grid) == edge


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
