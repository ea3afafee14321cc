"""Columns that number or name the rows are found; measurements, however fine, are not."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from cases import each
from planted import numbers
from scipy import sparse

from linclass_study.checks.identifiers import identifiers

N = 400


def found(values, levels=None, name="it", split=None) -> dict[str, list[int]]:
    n = len(values)
    generator = np.random.default_rng(0)
    columns = {"measured": generator.normal(size=n), name: values, "z": generator.integers(0, 5, n)}
    table = numbers(columns, {name: levels} if levels else None)
    split = np.zeros(n, np.int8) if split is None else split
    return identifiers(table, split)["identifier_columns"]


def drawn(seed: int = 0) -> np.random.Generator:
    return np.random.default_rng(seed)


IDENTIFIERS = {
    "row numbers": np.arange(N),
    "from 1000 on, shuffled": drawn().permutation(N) + 1000,
    "steps of a thousand": 1000 * np.arange(N),
    "a third of the rows of a numbered file": np.sort(drawn().choice(3 * N, N, replace=False)),
    "numbers with a few gaps in them": np.where(np.arange(N) % 50 == 0, np.nan, np.arange(N)),
    "few rows": np.arange(12),
}
MEASUREMENTS = {
    "real": drawn().normal(size=N),
    "rounded to a tenth": np.round(drawn().normal(size=N), 1),
    "drawn from a range as wide as the rows": drawn().integers(0, N, N),
    "from a range ten times as wide": drawn().integers(0, 10 * N, N),
    "amounts of money": np.round(np.exp(drawn().normal(8, 1, N))),
    "ages of few": np.array([34, 51, 47, 62, 29, 58, 44, 66, 38, 55]),
    "constant": np.full(N, 3.0),
    "empty": np.full(N, np.nan),
    "counts": drawn().poisson(3, N),
    "wide and all different": drawn().choice(10**9, N, replace=False),
}


@each("kind", IDENTIFIERS)
def test_whole_numbers_that_never_repeat_in_a_narrow_range_number_the_rows(kind: str) -> None:
    values = IDENTIFIERS[kind]
    n = int((~np.isnan(values)).sum())
    assert found(values) == {"it": [n, n]}


@each("kind", MEASUREMENTS)
def test_measurements_are_no_identifiers(kind: str) -> None:
    assert found(MEASUREMENTS[kind]) == {}


@each("name", ["id", "ID", "customerId", "patient_id", "Sample.ID", "uuid"])
def test_where_the_range_is_wide_the_name_decides(name: str) -> None:
    assert found(MEASUREMENTS["wide and all different"], name=name) == {name: [N, N]}


@each("name", ["width", "idle", "solid", "acid", "x1"])
def test_a_name_that_only_holds_the_letters_decides_nothing(name: str) -> None:
    assert found(MEASUREMENTS["wide and all different"], name=name) == {}


def test_a_number_that_repeats_is_no_identifier_whatever_its_name() -> None:
    assert found(np.repeat(np.arange(N // 2), 2), name="id") == {}


def test_a_category_with_a_level_for_nearly_every_row_is_one() -> None:
    """3,178 names in 3,190 rows: the splice file."""
    codes = np.append(np.arange(3178), np.arange(12))
    levels = tuple(f"ATRINS-DONOR-{code}" for code in range(3178))
    assert found(codes, levels) == {"it": [3178, 3190]}
    few = np.arange(3190) % 2000
    assert found(few, levels[:2000]) == {}


def test_a_test_set_that_is_numbered_anew_changes_nothing() -> None:
    """Both parts of the vowel data begin at row 1."""
    values = np.append(np.arange(528), np.arange(462))
    assert found(values, split=(np.arange(990) >= 528).astype(np.int8)) == {"it": [528, 528]}


def test_texts_are_no_identifiers() -> None:
    table = numbers({"post": np.arange(30)}, {"post": tuple(f"text {i}" for i in range(30))})
    table = replace(table, texts=frozenset({"post"}))
    assert identifiers(table, np.zeros(30, np.int8)) == {"identifier_columns": {}}


def test_sparse_columns_are_looked_at_too() -> None:
    table = numbers({"a": np.arange(N) % 3, "it": np.arange(N) + 1, "b": np.arange(N) % 7 == 0})
    table = replace(table, X=sparse.csr_array(table.X))
    assert identifiers(table, np.zeros(N, np.int8))["identifier_columns"] == {"it": [N, N]}
