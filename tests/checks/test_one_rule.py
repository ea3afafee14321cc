"""A column that alone predicts nearly every class is named, with its accuracy, as a question."""

import numpy as np
import pytest
from cases import each

from linclass.base.tables import Table
from linclass_study.analysis.data_warnings import findings, serious
from linclass_study.checks.columns import one_rule
from linclass_study.report import data_card

N = 400
Y = (np.random.default_rng(0).random(N) < 0.4).astype(np.int32)
UNIFORM, CHANCE = np.random.default_rng(2).random((2, N))
NUMBERS = np.arange(N, dtype=float)
LATER = (np.arange(N) >= N // 2).astype(np.int8)


def found(values, y=Y, levels=None, split=None):
    X = np.column_stack([values, np.random.default_rng(1).standard_normal(len(y))])
    table = Table(X, ("own", "noise"), {"own": levels} if levels else {})
    split = np.zeros(len(y), np.int8) if split is None else split
    return one_rule(table, y, split)["one_rule_columns"]


def edited(values, rows, new):
    values = np.array(values, float)
    values[:rows] = new - values[:rows]
    return values


def test_a_threshold_with_one_percent_errors_is_reported():
    (right, most) = found(edited(Y + 0.9 * UNIFORM, 4, 1.95))["own"]  # four on the other side
    assert right == pytest.approx(1 - 4 / N, abs=0.01)
    assert most == np.bincount(Y).max() / N
    pairs = edited(2 * Y + (UNIFORM < 0.5), 3, 3)
    assert "own" in found(pairs, levels=("a", "b", "c", "d"))
    assert "own" in found(np.where(LATER, UNIFORM, Y), split=LATER)


@each("arguments", [
    *((np.where(error > CHANCE, 1 - Y, Y) + UNIFORM / 2,) for error in (0.05, 0.2, 0.5)),
    (UNIFORM, (np.arange(N) < 8).astype(np.int32)),
    (NUMBERS,),
    (NUMBERS, Y, tuple(f"{i:03}" for i in range(N))),
    (np.where(LATER, UNIFORM, Y),),
    (np.tile([0, 1], 4) + np.arange(8) / 100, np.tile([0, 1], 4).astype(np.int32)),
], ids=[
    "5 % errors", "20 % errors", "50 % errors", "a rare class", "sorted rows", "names of rows",
    "right in half the rows", "too few rows",
])  # fmt: skip
def test_columns_that_predict_worse_or_by_chance_are_not_reported(arguments):
    assert not found(*arguments)


def test_one_warning_asks_about_all_columns_and_gives_their_accuracies():
    facts = {"one_rule_columns": {"paid": [0.985, 0.62], "due": [1.0, 0.62]}, "rows": 200}
    (sentence,) = findings(facts | {"sparse": False})
    assert sentence == (
        "single columns predict the class, 'paid' for 98.5 % of the rows, 'due' for 100 % of the rows, where the most "
        "frequent class has 62 %: are they known before the class is? If not, leave them out with `drop: [paid, due]`"
    )
    assert serious(facts) == [sentence]  # so it is among the terminal's last lines
    described = {"numeric": 1, "categorical": 0, "texts": 0, "unchecked": {}} | facts
    card = "predicts the class almost perfectly on its own: paid, due"
    assert data_card.card(described)["Columns"] == card
