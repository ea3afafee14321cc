"""Columns: missing cells, constants and repetitions, against comparing values one by one."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from cases import each
from planted import numbers, random_table, values
from scipy import sparse

from linclass.base.tables import Table
from linclass_study.checks import column_checks
from linclass_study.checks.column_checks import constant_columns, missing_cells


@each("is_sparse", [False, True])
@each("seed", range(8))
def test_counts_are_those_of_looking_at_every_cell(seed: int, is_sparse: bool) -> None:
    table = random_table(seed, is_sparse=is_sparse)
    by_column = dict(zip(table.names, zip(*values(table), strict=True), strict=True))
    gaps = {name: cells.count(None) for name, cells in by_column.items() if None in cells}
    found = missing_cells(table)
    assert found["missing_values"] == sum(gaps.values())
    assert found["missing_by_column"] == gaps
    single = [name for name, cells in by_column.items() if len({*cells} - {None}) <= 1]
    assert constant_columns(table)["constant_column_names"] == single
    repeats = [
        name
        for i, (name, cells) in enumerate(by_column.items())
        if name not in table.levels
        and name not in single
        and any(cells == other for other in list(by_column.values())[:i])
    ]
    assert [*column_checks.duplicated(table)["duplicated_column_of"]] == repeats


@each(
    ("cells", "is_constant"),
    [
        ([2, 2, 2], True),
        ([2, np.nan, 2], True),
        ([np.nan, np.nan, np.nan], True),
        ([0, -0.0, 0], True),
        ([0, 0, 0], True),
        ([0, 2, 2], False),
        ([np.nan, 0, 2], False),
        ([0, np.nan, 0], True),
        ([-1, 0, 0], False),
    ],
)
@each("is_sparse", [False, True])
def test_a_constant_column_has_at_most_one_value_beside_gaps(cells, is_constant, is_sparse) -> None:
    table = numbers({"other": [1, 2, 3], "it": cells, "last": [3, 3, 1]})
    if is_sparse:
        table = replace(table, X=sparse.csr_array(table.X))
    assert constant_columns(table) == {
        "constant_columns": int(is_constant), "constant_column_names": ["it"] * is_constant
    }  # fmt: skip


def test_a_column_repeats_another_up_to_names_of_columns_and_levels() -> None:
    table = numbers(
        {
            "a": [1, 0, np.nan, 2], "b": [1, -0.0, np.nan, 2], "c": [1, 0, 0, 2],
            "colour": [0, 1, 1, np.nan], "farbe": [1, 0, 0, np.nan], "other": [0, 1, 0, np.nan],
            "number": [0, 1, 1, np.nan],
        },
        {"colour": ("red", "blue"), "farbe": ("blau", "rot"), "other": ("u", "v")},
    )  # fmt: skip
    assert column_checks.duplicated(table) == {
        "duplicated_columns": 2, "duplicated_column_of": {"b": "a", "farbe": "colour"}
    }  # fmt: skip


def test_long_lists_of_names_are_cut_and_counted() -> None:
    table = Table(np.ones((3, 250)), tuple(map(str, range(250))))
    assert constant_columns(table)["constant_columns"] == 250
    assert len(constant_columns(table)["constant_column_names"]) == column_checks.NAMED
    twice = Table(np.tile(np.arange(3.0)[:, None], 250), table.names)
    assert column_checks.duplicated(twice)["duplicated_columns"] == 249
    assert len(column_checks.duplicated(twice)["duplicated_column_of"]) == column_checks.NAMED


def test_columns_are_of_three_kinds() -> None:
    table = Table(
        np.zeros((2, 3)), ("a", "b", "c"), {"b": ("u",), "c": ("a text",)}, frozenset({"c"})
    )
    assert column_checks.kinds(table) == {"numeric": 1, "categorical": 1, "texts": 1}
