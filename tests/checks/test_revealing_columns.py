"""Columns that reveal the class are reported: copies of it, and rules by one column; good measurements are not."""

from dataclasses import replace
from itertools import combinations

import numpy as np
import pytest
from cases import each
from planted import numbers
from scipy import sparse

from linclass_study.analysis.data_warnings import findings, serious
from linclass_study.checks.columns import log_chance, one_rule, target_like
from linclass_study.report import data_card

N = 300
DRAWN = np.random.default_rng(0)
TWO = np.sort(DRAWN.permutation(N) % 2)
THREE = np.sort(DRAWN.permutation(N) % 3)
RARE = (np.arange(N) < 12).astype(int)
NOISE = DRAWN.normal(size=N)


def found(values, y, n_levels=0, is_sparse=False, split=None):
    columns = {"measured": NOISE[: len(y)], "it": values, "other": np.arange(len(y)) % 4}
    table = numbers(columns, {"it": tuple(map(str, range(n_levels)))} if n_levels else None)
    if is_sparse:
        table = replace(table, X=sparse.csr_array(table.X))
    split = np.zeros(len(y), np.int8) if split is None else split
    return target_like(table, np.asarray(y), split)["target_like_columns"]


def flipped(y, rows):
    values = np.asarray(y, float).copy()
    values[rows] = 1 - values[rows]
    return values


THIRDS = 3 * TWO + np.arange(N) % 3
RAGGED = np.concatenate([THREE[:-1], [3]])
TWICE = np.arange(N) // 2
REPORTED = {  # values, classes, number of levels
    "the code": ("copy", THREE, THREE),
    "other numbers": ("copy", np.array([5.0, -1.0, 9.5])[THREE], THREE),
    "of a rare class": ("copy", RARE, RARE),
    "of a class of one row": ("copy", RAGGED, RAGGED),
    "with one error in a hundred": ("copy", flipped(TWO, [3, 250]), TWO),
    "with little noise": ("shifted", THREE + 0.01 * NOISE, THREE),
    "missing in one class": ("missing", np.where(TWO == 1, NOISE, np.nan), TWO),
    "each level of one class": ("function", THIRDS, TWO, 6),
    "each patient twice, with one diagnosis": ("function", TWICE, TWICE % 2, N),
}
FAIR = {
    "a threshold between the classes": (DRAWN.uniform(0, 1, N) + 3 * TWO, TWO),
    "rounded, a threshold between": (np.round(DRAWN.uniform(0, 1, N) + 3 * TWO, 1), TWO),
    "right in 97 of 100": (flipped(TWO, np.arange(0, N, 33)), TWO),
    "mostly 0 as is the class": ((np.arange(N) < 6).astype(float), RARE),
    "two of a hundred rows of the other class at the value of a rare one": (flipped(RARE, [50, 60]), RARE),
    "constant": (np.zeros(N), RARE),
    "two of three classes": (np.minimum(THREE, 1), THREE),
    "four values, two of each class": (2 * TWO + np.arange(N) % 2, TWO),
    "with more noise": (THREE + 0.1 * NOISE, THREE),
    "missing by chance": (np.where(DRAWN.random(N) < 0.5, NOISE, np.nan), TWO),
    "a level of two classes": (np.append(5, THIRDS[1:]), TWO, 6),
    "a level for each row": (np.arange(N), TWO, N),
    "too few rows": (np.array([0, 0, 1, 1]), np.array([0, 0, 1, 1])),
    "a single class": (np.zeros(N), np.zeros(N, int)),
    "a class for each row": (NOISE + 10, np.arange(N)),
}  # fmt: skip


@each("is_sparse", [False, True])
@each("kind", REPORTED)
def test_a_column_that_reveals_the_class_is_reported(kind, is_sparse):
    how, *arguments = REPORTED[kind]
    assert found(*arguments, is_sparse=is_sparse) == {"it": how}


@each("is_sparse", [False, True])
@each("kind", FAIR)
def test_predictive_numbers_are_not_reported_as_copies_of_the_class(kind, is_sparse):
    assert found(*FAIR[kind], is_sparse=is_sparse) == {}


@each("sizes", [(6, 4), (4, 3, 3), (2, 2, 2, 2, 2), (9, 1), (5, 1, 1, 1, 2)])
@each("positive", [2, 4, 5])
def test_pure_shuffles_are_at_most_as_frequent_as_the_bound(sizes, positive):
    level_of = np.repeat(np.arange(len(sizes)), sizes)
    pure = shuffles = 0
    for chosen in combinations(range(10), positive):
        y = np.isin(np.arange(10), chosen)
        share = np.bincount(level_of, y) / sizes
        shuffles += 1
        pure += int(np.isin(share, [0, 1]).all())
    assert np.log(max(pure, 0.5) / shuffles) <= log_chance(
        np.array([10 - positive, positive]), len(sizes)
    )


def test_official_test_rows_are_not_used_to_find_copies_of_the_class():
    values = np.where(np.arange(N) < 200, TWO, NOISE)
    assert found(values, TWO) == {}
    order = DRAWN.permutation(N)
    y, split = TWO[order], (np.arange(N) >= 200).astype(np.int8)
    values = np.where(split == 0, y, NOISE)
    assert found(values, y, split=split) == {"it": "copy"}


def test_a_copy_of_few_rows_among_many_columns_is_not_reported():
    """All 2¹² columns of twelve bits include the classes and their complement, for any classes."""
    y = np.arange(12) % 2
    bits = (np.arange(2**12)[None, :] >> np.arange(12)[:, None]) & 1
    every = numbers({f"x{j}": column for j, column in enumerate(bits.T.astype(float))}, None)
    nobody = np.zeros(12, np.int8)
    assert target_like(every, y, nobody)["target_like_columns"] == {}
    gaps = replace(every, X=np.where(every.X > 0, np.nan, NOISE[:12, None]))
    assert target_like(gaps, y, nobody)["target_like_columns"] == {}
    alone = numbers({"it": y.astype(float)}, None)
    assert target_like(alone, y, nobody)["target_like_columns"] == {"it": "copy"}


# A column that alone predicts nearly every class is named, with its accuracy, as a question

Y = (np.random.default_rng(0).random(400) < 0.4).astype(np.int32)
UNIFORM, CHANCE = np.random.default_rng(2).random((2, 400))
LATER = (np.arange(400) >= 200).astype(np.int8)


def predicting(values, y=Y, levels=None, split=None):
    """Whether and how well the column predicts the class."""
    columns = {"own": values, "noise": np.random.default_rng(1).standard_normal(len(y))}
    table = numbers(columns, {"own": levels} if levels else None)
    split = np.zeros(len(y), np.int8) if split is None else split
    return one_rule(table, y, split)["one_rule_columns"]


def edited(values, rows, new):
    values = np.array(values, float)
    values[:rows] = new - values[:rows]
    return values


def test_a_threshold_with_one_percent_errors_is_reported():
    (right, most) = predicting(edited(Y + 0.9 * UNIFORM, 4, 1.95))["own"]  # four on the other side
    assert right == pytest.approx(1 - 4 / 400, abs=0.01)
    assert most == np.bincount(Y).max() / 400
    pairs = edited(2 * Y + (UNIFORM < 0.5), 3, 3)
    assert "own" in predicting(pairs, levels=("a", "b", "c", "d"))
    assert "own" in predicting(np.where(LATER, UNIFORM, Y), split=LATER)


@each("arguments", [
    *((np.where(error > CHANCE, 1 - Y, Y) + UNIFORM / 2,) for error in (0.05, 0.2, 0.5)),
    (UNIFORM, (np.arange(400) < 8).astype(np.int32)),
    (np.arange(400),),
    (np.arange(400), Y, tuple(f"{i:03}" for i in range(400))),
    (np.where(LATER, UNIFORM, Y),),
    (np.tile([0, 1], 4) + np.arange(8) / 100, np.tile([0, 1], 4).astype(np.int32)),
], ids=[
    "5 % errors", "20 % errors", "50 % errors", "a rare class", "sorted rows", "names of rows",
    "right in half the rows", "too few rows",
])  # fmt: skip
def test_columns_that_predict_worse_or_by_chance_are_not_reported(arguments):
    assert not predicting(*arguments)


def test_one_warning_asks_about_all_columns_and_gives_their_accuracies():
    rare = {"one_rule_columns": {"paid": [0.9996, 0.996]}, "rows": 9000, "sparse": False}
    assert (
        "'paid' for 99.96 % of the rows, where the most frequent class has 99.6 %"
        in findings(rare)[0]
    )
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
