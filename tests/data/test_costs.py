"""The risk matrix by the names of the classes is the matrix in the order of their codes."""

from __future__ import annotations

import pytest
from cases import each

from linclass_study.config.schema import schema_problems
from linclass_study.data.cost_matrix import cost_matrix


def test_costs_by_names_are_the_matrix_of_actions_and_classes():
    """Duda, Hart & Stork (2001), §2.2: a row per action, a column per class."""
    by_name = {"a": {"b": 1, "c": 2}, "b": {"a": 3, "c": 4}, "c": {"a": 5, "b": 6, "c": 0.5}}
    matrix = cost_matrix({"costs": by_name}, ["c", "a", "b"])
    for true, row in by_name.items():
        for action, cost in row.items():
            assert matrix["cab".index(action)]["cab".index(true)] == cost
    assert [matrix[k][k] for k in (1, 2)] == [0, 0]


def test_numbers_name_the_classes_that_are_numbers():
    costs = {"costs": {0: {1: 5}, 1.0: {0: 1}}}
    assert cost_matrix(costs, ["0", "1"]) == [[0, 1], [5, 0]]
    keys_of_json = {"costs": {"0": {"1": 5}, "1.0": {"0": 1}}}
    assert cost_matrix(keys_of_json, ["0", "1"]) == [[0, 1], [5, 0]]


def test_yes_without_quotes_is_said_to_be_read_as_true():
    with pytest.raises(Exception, match="YAML reads a bare yes, no, on or off as true or false"):
        cost_matrix({"costs": {"true": {"false": 5}, "false": {"true": 1}}}, ["no", "yes"])


@each("costs", [[[0, 5], [1, 0]], {"ill": {"well": 5}, "well": {"ill": 1}}, {1: {0: 5}, 0: {1: 1}}])
def test_both_forms_fit_the_schema(costs):
    assert not [
        *schema_problems("datasets", {"d": {"source": {"sklearn": "iris"}, "costs": costs}})
    ]


def test_a_cost_that_is_no_number_does_not():
    entry = {"source": {"sklearn": "iris"}, "costs": {"ill": {"well": "a lot"}}}
    assert [*schema_problems("datasets", {"d": entry})] == [
        (["d", "costs", "ill", "well"], "'a lot' is not a number (a cost)")
    ]
