"""A column that alone predicts nearly every class is named, with its accuracy, as a question."""

import numpy as np
import pytest
from cases import each

from linclass.base.tables import Table
from linclass_study.analysis.data_warnings import findings, serious
from linclass_study.checks.columns import one_rule
from linclass_study.report import data_card

N = 400


def found(values, y, split=None, levels=None):
    X = np.column_stack([values, np.random.default_rng(1).standard_normal(len(y))])
    table = Table(X, ("own", "noise"), levels or {})
    split = np.zeros(len(y), np.int8) if split is None else split
    return one_rule(table, y, split)["one_rule_columns"]


@pytest.fixture
def y():
    return (np.random.default_rng(0).random(N) < 0.4).astype(np.int32)


def test_a_threshold_with_one_percent_errors_is_reported(y):
    values = y + np.random.default_rng(2).uniform(0, 0.9, N)
    values[:4] = 1.95 - values[:4]  # four rows are on the other side
    (right, most) = found(values, y)["own"]
    assert right == pytest.approx(1 - 4 / N, abs=0.01)
    assert most == np.bincount(y).max() / N


def test_a_category_whose_levels_predict_the_class_is_reported(y):
    codes = (2 * y + np.random.default_rng(2).integers(0, 2, N)).astype(float)
    codes[:3] = 3 - codes[:3]
    assert "own" in found(codes, y, levels={"own": ("a", "b", "c", "d")})


@each("error", [0.05, 0.2, 0.5])
def test_good_predictors_with_more_errors_are_not_reported(y, error):
    flipped = np.random.default_rng(3).random(N) < error
    assert not found(np.where(flipped, 1 - y, y) + np.random.default_rng(2).random(N) / 2, y)


def test_predicting_the_most_frequent_class_is_not_reported():
    y = (np.arange(N) < 8).astype(np.int32)
    assert not found(np.random.default_rng(2).random(N), y)


def test_row_numbers_of_sorted_rows_and_names_of_rows_are_judged_by_intervals(y):
    assert not found(np.arange(N, dtype=float), y)
    names = tuple(f"{i:03}" for i in range(N))
    assert not found(np.arange(N, dtype=float), y, levels={"own": names})


def test_official_test_rows_are_not_used_for_the_one_rule_check(y):
    split = (np.arange(N) >= N // 2).astype(np.int8)
    values = np.where(split, np.random.default_rng(2).random(N), y)
    assert "own" in found(values, y, split)
    assert not found(values, y)


def test_too_few_rows_are_not_reported():
    y = np.tile([0, 1], 4).astype(np.int32)
    assert not found(y + np.arange(8) / 100, y)


def test_several_columns_are_reported_in_one_warning():
    facts = {"one_rule_columns": {"paid": [0.985, 0.62], "due": [1.0, 0.62]}, "rows": 200}
    (sentence,) = serious(facts)
    assert sentence == (
        "single columns predict the class, 'paid' for 98.5 % of the rows, 'due' for 100 % of the rows, where the most "
        "frequent class has 62 %: are they known before the class is? If not, leave them out with `drop: [paid, due]`"
    )


def test_the_warning_asks_and_gives_both_accuracies():
    facts = {"one_rule_columns": {"paid": [0.985, 0.62]}, "rows": 200, "sparse": False}
    (sentence,) = findings(facts)
    assert sentence == (
        "single columns predict the class, 'paid' for 98.5 % of the rows, where the most frequent class has 62 %: "
        "are they known before the class is? If not, leave them out with `drop: [paid]`"
    )
    assert serious(facts) == [sentence]  # so it is among the terminal's last lines
    described = {"numeric": 1, "categorical": 0, "texts": 0, "unchecked": {}} | facts
    assert (
        data_card.card(described)["Columns"]
        == "predicts the class almost perfectly on its own: paid"
    )
    assert not findings(facts | {"target_like_columns": {}, "one_rule_columns": {}})
