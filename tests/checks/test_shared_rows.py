"""Data sets that share rows are found by their rows, and count once."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from cases import each
from planted import numbers, random_table, values
from scipy import sparse

from linclass.base.tables import Table
from linclass_study.checks.row_keys import by_kind
from linclass_study.checks.shared_rows import pairs, related_groups


def keys_of(**tables: Table):
    return {name: by_kind(table) for name, table in tables.items()}


def measured(seed: int = 0, rows: int = 100, names: str = "abcd") -> Table:
    X = np.random.default_rng(seed).normal(size=(rows, len(names)))
    return Table(X, tuple(names))


def test_the_same_rows_in_another_order_are_shared() -> None:
    table = measured()
    shuffled = table.rows(np.random.default_rng(1).permutation(100))
    assert pairs(keys_of(one=table, other=shuffled, third=measured(5))) == {("one", "other"): 1.0}


def test_columns_of_other_names_in_another_order_and_sparse_rows_do_not_hide_it() -> None:
    table = measured()
    renamed = Table(sparse.csr_array(table.X[:, [2, 0, 3, 1]]), ("u", "v", "w", "x"))
    assert pairs(keys_of(one=table, other=renamed)) == {("one", "other"): 1.0}


@each(("common", "expected"), [(80, {("a", "b"): 0.8}), (30, {})])
def test_a_large_share_of_the_smaller_ones_rows_is_needed(common: int, expected: dict) -> None:
    a, b = measured(0, 1000), measured(1, 100)
    b.X[:common] = a.X[:common]
    assert pairs(keys_of(a=a, b=b)) == expected


@each("seed", range(5))
def test_the_share_is_that_of_the_distinct_rows(seed: int) -> None:
    a, b = random_table(seed, rows=200), random_table(seed, rows=150)
    left, right = set(values(a)), set(values(b))
    share = len(left & right) / min(len(left), len(right))
    found = pairs(keys_of(a=a, b=b)).get(("a", "b"))
    if found is not None:
        assert found == pytest.approx(share)
    else:
        assert share < 0.5 or len(left & right) < 20


@each("change", ["one dropped", "one made", "half are others"])
def test_other_columns_beside_the_same_ones_hide_nothing(change: str) -> None:
    table, others = measured(names="abcdef"), measured(1, names="ghijkl")
    X, Z = table.X, others.X
    changed = {
        "one dropped": Table(X[:, 1:], tuple("bcdef")),
        "one made": Table(np.hstack([Z[:, :1], X]), tuple("gabcdef")),
        "half are others": Table(np.hstack([X[:, :3], Z[:, :3]]), tuple("abcghi")),
    }[change]
    shuffled = changed.rows(np.random.default_rng(2).permutation(100))
    assert list(pairs(keys_of(one=table, other=shuffled))) == [("one", "other")]
    fewer = changed.rows(np.arange(99))
    assert pairs(keys_of(one=table, other=fewer)) == {}


def test_a_column_in_common_is_no_evidence() -> None:
    table, others = measured(names="abcdef"), measured(1, names="ghijkl")
    mixed = Table(np.hstack([table.X[:, :2], others.X]), tuple("abghijkl"))
    assert pairs(keys_of(one=table, other=mixed)) == {}


def test_a_few_rows_of_a_small_grid_are_no_evidence_unless_they_are_all() -> None:
    grid = numbers({"x1": [0, 0, 1, 1], "x2": [0, 1, 0, 1]})
    wider = numbers({"x1": [0, 0, 1, 1, 2], "x2": [0, 1, 0, 1, 2]})
    assert pairs(keys_of(a=grid, b=wider)) == {}
    assert pairs(keys_of(a=grid, b=replace(grid))) == {("a", "b"): 1.0}


def test_one_data_set_shares_nothing() -> None:
    assert pairs(keys_of(a=measured())) == {}
    assert pairs({}) == {}


def test_groups_are_chains_of_related_names_in_the_first_order() -> None:
    related = [("a", "c"), ("d", "c"), ("x", "a")]
    assert related_groups(["c", "b", "a", "e", "d"], related) == [["c", "a", "d"], ["b"], ["e"]]
    assert related_groups([], []) == []
