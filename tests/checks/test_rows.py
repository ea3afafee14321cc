"""Checks of rows within a data set and between data sets."""

from collections import Counter, defaultdict
from dataclasses import replace

import numpy as np
import pytest
from cases import each
from planted import numbers, random_table, values
from scipy import sparse

from linclass.base.tables import Table
from linclass_study.analysis.datasets_table import related_groups, sharing_pairs
from linclass_study.checks.rows import (
    features_digest,
    keys_by_kind,
    repeated_rows,
    rows_across_groups,
    rows_on_both_sides,
)
from linclass_study.checks.rows import keys_of_table as keys_of

# Rows are compared by keys: the counts are those of comparing them one by one


def row_keys(table, named=True):
    return keys_of(table, named).rows


@each("is_sparse", [False, True])
@each("seed", range(8))
def test_two_keys_are_equal_if_and_only_if_the_rows_are(seed, is_sparse):
    table = random_table(seed, is_sparse=is_sparse)
    rows, keys = values(table), row_keys(table)
    for i in range(len(rows)):
        for j in range(i):
            assert (rows[i] == rows[j]) == (keys[i] == keys[j])


@each("seed", range(4))
def test_keys_do_not_depend_on_storage_the_order_of_columns_or_columns_of_zeros(seed):
    table = random_table(seed)
    as_sparse = replace(table, X=sparse.csr_array(table.X))
    order = np.random.default_rng(seed).permutation(len(table.names))
    wider = Table(np.hstack([table.X, np.zeros((40, 1))]), (*table.names, "zero"), table.levels)
    for other in (as_sparse, table.columns(order), wider):
        for named in (True, False):
            assert np.array_equal(row_keys(table, named), row_keys(other, named))


def test_a_value_in_another_column_changes_the_row_but_not_its_set_of_values():
    a, b = numbers({"u": [1, 2], "v": [3, 4]}), numbers({"v": [1, 2], "u": [3, 4]})
    assert not np.isin(row_keys(a), row_keys(b)).any()
    assert np.array_equal(row_keys(a, named=False), row_keys(b, named=False))


def test_levels_are_compared_by_their_text_and_as_numbers_only_if_all_are():
    for levels in (("1", "1.0", "x"), ("1", "1.0")):
        keys = row_keys(numbers({"c": range(len(levels))}, {"c": levels}))
        assert len({*keys.tolist()}) == len(levels)
    text = numbers({"c": [0, 1, 2]}, {"c": ("5", "0", "7")})
    assert np.array_equal(row_keys(text), row_keys(numbers({"c": [5, 0, 7]})))


def test_large_tables_have_the_same_keys_as_their_parts():
    X = np.random.default_rng(0).integers(0, 3, size=(3000, 200)).astype(float)
    names = tuple(map(str, range(200)))
    whole = row_keys(Table(X, names))
    assert np.array_equal(whole[1700:1720], row_keys(Table(X[1700:1720], names)))


@each("seed", range(8))
def test_repeated_and_conflicting_rows_match_a_direct_count(seed):
    table = random_table(seed)
    rows, y = values(table), np.random.default_rng(seed).integers(0, 3, size=40)
    classes = defaultdict(Counter)
    for row, label in zip(rows, y.tolist(), strict=True):
        classes[row][label] += 1
    found = repeated_rows(row_keys(table), y)
    assert found["duplicated_rows"] == 40 - len(set(zip(rows, y.tolist(), strict=True)))
    assert found["conflicting_rows"] == sum(c.total() for c in classes.values() if len(c) > 1)
    errors = sum(c.total() - max(c.values()) for c in classes.values())
    assert found["least_errors"] == errors
    assert found["least_error"] == pytest.approx(errors / 40)


@each("seed", range(4))
def test_rows_on_both_sides_of_the_official_split_are_counted(seed):
    table = random_table(seed)
    rows, split = values(table), (np.arange(40) >= 25).astype(np.int8)
    train = set(rows[:25])
    expected = sum(row in train for row in rows[25:])
    keys = row_keys(table)
    assert rows_on_both_sides(keys, split) == {"test_rows_in_training": expected}
    assert rows_on_both_sides(keys, np.zeros(40, np.int8)) == {"test_rows_in_training": None}


@each("is_sparse", [False, True])
def test_columns_have_the_same_key_whatever_the_order_of_the_rows(is_sparse):
    table = random_table(3, is_sparse=is_sparse)
    columns = keys_of(table).columns
    shuffled = table.rows(np.random.default_rng(0).permutation(40))
    assert np.array_equal(keys_of(shuffled).columns, columns)
    assert len(set(columns.tolist())) == len(columns)  # names count: `again` is not x0
    values_alone = keys_of(table, named=False).columns
    assert values_alone[0] == values_alone[-1]


def test_the_digest_of_features_depends_on_every_row_but_not_on_order_or_classes():
    keys = row_keys(random_table(2))
    digest = features_digest(keys)
    assert features_digest(np.random.default_rng(0).permutation(keys)) == digest
    assert features_digest(keys[1:]) != digest
    assert features_digest(np.append(keys, keys[0])) != digest


def test_repetitions_within_a_group_are_never_in_both_training_and_test_rows():
    rng = np.random.default_rng(4)
    x, y, groups = (rng.integers(0, top, 60) for top in (4, 2, 8))
    keys = row_keys(numbers({"x": x}))
    group_of = {}
    for i in range(60):
        group_of.setdefault((x[i], y[i]), groups[i])
    expected = sum(groups[i] != group_of[x[i], y[i]] for i in range(60))
    assert rows_across_groups(keys, y, groups) == {"repeated_across_groups": expected}
    within = 2 * x + y  # each kind of row is a group
    assert rows_across_groups(keys, y, within) == {"repeated_across_groups": 0}
    assert rows_across_groups(keys, y, None) == {"repeated_across_groups": None}


# Data sets that share rows are found by their rows, and count once


def keys_by_name(**tables):
    return {name: keys_by_kind(table) for name, table in tables.items()}


def measured(seed=0, rows=100, names="abcd"):
    X = np.random.default_rng(seed).normal(size=(rows, len(names)))
    return Table(X, tuple(names))


def test_shared_rows_are_found_despite_another_order_renamed_columns_and_sparse_storage():
    table = measured()
    shuffled = table.rows(np.random.default_rng(1).permutation(100))
    renamed = Table(sparse.csr_array(table.X[:, [2, 0, 3, 1]]), ("u", "v", "w", "x"))
    for other in (shuffled, renamed):
        pairs = sharing_pairs(keys_by_name(one=table, other=other, third=measured(5)))
        assert pairs == {("one", "other"): 1.0}
    assert sharing_pairs(keys_by_name(a=table)) == sharing_pairs({}) == {}


@each(("common", "expected"), [(80, {("a", "b"): 0.8}), (30, {})])
def test_data_sets_share_rows_only_if_most_rows_of_the_smaller_one_match(common, expected):
    a, b = measured(0, 1000), measured(1, 100)
    b.X[:common] = a.X[:common]
    assert sharing_pairs(keys_by_name(a=a, b=b)) == expected


@each("seed", range(5))
def test_the_share_of_shared_rows_counts_distinct_rows(seed):
    a, b = random_table(seed, rows=200), random_table(seed, rows=150)
    left, right = set(values(a)), set(values(b))
    share = len(left & right) / min(len(left), len(right))
    found = sharing_pairs(keys_by_name(a=a, b=b)).get(("a", "b"))
    if found is not None:
        assert found == pytest.approx(share)
    else:
        assert share < 0.5 or len(left & right) < 20


def test_shared_rows_are_found_despite_additional_columns_but_not_by_few_common_ones():
    table, others = measured(names="abcdef"), measured(1, names="ghijkl")
    X, Z = table.X, others.X
    for changed in (
        Table(X[:, 1:], tuple("bcdef")),
        Table(np.hstack([Z[:, :1], X]), tuple("gabcdef")),
        Table(np.hstack([X[:, :3], Z[:, :3]]), tuple("abcghi")),
    ):
        shuffled = changed.rows(np.random.default_rng(2).permutation(100))
        assert [*sharing_pairs(keys_by_name(one=table, other=shuffled))] == [("one", "other")]
        fewer = changed.rows(np.arange(99))
        assert sharing_pairs(keys_by_name(one=table, other=fewer)) == {}
    few = Table(np.hstack([X[:, :2], Z]), tuple("abghijkl"))
    assert sharing_pairs(keys_by_name(one=table, other=few)) == {}


def test_few_rows_of_a_small_grid_are_evidence_only_if_all_match():
    grid = numbers({"x1": [0, 0, 1, 1], "x2": [0, 1, 0, 1]})
    wider = numbers({"x1": [0, 0, 1, 1, 2], "x2": [0, 1, 0, 1, 2]})
    assert sharing_pairs(keys_by_name(a=grid, b=wider)) == {}
    assert sharing_pairs(keys_by_name(a=grid, b=replace(grid))) == {("a", "b"): 1.0}


def test_related_data_sets_form_groups_in_the_given_order():
    related = [("a", "c"), ("d", "c"), ("x", "a")]
    assert related_groups(["c", "b", "a", "e", "d"], related) == [["c", "a", "d"], ["b"], ["e"]]
    assert related_groups([], []) == []
