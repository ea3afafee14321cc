"""Laws of random partitions into folds, and of the subset of rows from which a solver starts."""

import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from cases import each

from linclass.base.messages import NotApplicable
from linclass.linear.solvers.base import spread_rows
from linclass.tuning.folds import nested_order, seed_of, stratified_folds


@each("counts", [[100, 30, 3], [5, 5, 5], [60, 2], [7, 40, 13, 1]])
def test_a_nested_order_begins_with_a_row_of_each_class_and_then_all_classes_grow_alike(counts):
    """Each beginning has a share q of every class, to within one of its rows."""
    n, y = np.array(counts), np.repeat(np.arange(len(counts)), counts)
    for seed in range(5):
        order = nested_order(y, seed)
        assert sorted(order) == list(range(len(y)))
        assert {*y[order[: len(n)]]} == {*range(len(n))}
        for m in range(len(n), len(y)):
            own = np.bincount(y[order[:m]])
            assert ((own - 1) / n).max() <= ((own + 1) / n).min(), (seed, m)


# Laws of random partitions into folds


def labels(counts):
    rng = np.random.default_rng(sum(counts))
    return rng.permutation(np.repeat(np.arange(len(counts)), counts))


@each(("counts", "folds"), [
    ([50, 50, 50], 10),
    ([7, 7], 7),
    ([13, 29, 101], 5),
    ([3, 4, 5, 6, 7], 3),
    ([1000, 11], 11),
])  # fmt: skip
def test_folds_are_a_partition_of_equal_sizes_and_class_counts(counts, folds):
    fold = stratified_folds(labels(counts), folds, seed=1)
    assert fold.shape == (sum(counts),)
    assert sorted(set(fold.tolist())) == list(range(folds))
    sizes = np.bincount(stratified_folds(labels(counts), folds, seed=2), minlength=folds)
    assert np.ptp(sizes) <= 1
    y = labels(counts)
    fold = stratified_folds(y, folds, seed=3)
    for k in range(len(counts)):
        assert np.ptp(np.bincount(fold[y == k], minlength=folds)) <= 1


def test_folds_depend_on_labels_and_seed_and_larger_ones_are_random():
    y = labels([40, 60])
    first = stratified_folds(y, 10, seed=4)
    assert np.array_equal(first, stratified_folds(y, 10, seed=4))
    assert not np.array_equal(first, stratified_folds(y, 10, seed=5))
    y = labels([6, 7])  # 13 rows in 5 folds: three of the folds are larger
    sizes = [np.bincount(stratified_folds(y, 5, seed), minlength=5) for seed in range(200)]
    larger = np.mean(np.array(sizes) == 3, axis=0)
    # each fold is larger with probability 3/5; 200 draws keep within five standard errors
    assert np.abs(larger - 3 / 5).max() < 5 * np.sqrt(0.6 * 0.4 / 200)


def test_more_folds_than_rows_of_a_class_are_refused_with_the_remedy():
    with pytest.raises(NotApplicable, match=r"class 1 has 4\. Use at most 4 folds"):
        stratified_folds(labels([20, 4]), 5, seed=0)
    with pytest.raises(ValueError, match="folds is 1; cross-validation needs at least 2"):
        stratified_folds(labels([5, 5]), 1, seed=0)


def test_seeds_are_the_same_in_every_process_and_differ_by_names():
    code = "from linclass.tuning.folds import seed_of; print(seed_of('iris', 'lda', 0))"
    path = str(Path(__file__).parents[2])
    for hash_seed in ("1", "2"):  # by which Python's own hash of a string would differ
        env = {"PYTHONHASHSEED": hash_seed, "PYTHONPATH": path}
        run = subprocess.run([sys.executable, "-c", code], env=env, capture_output=True, check=True)
        assert int(run.stdout) == seed_of("iris", "lda", 0)
    others = [("lda", "iris", 0), ("iris", "lda", 1), ("irisl", "da", 0), ("iris", "lda0")]
    assert len({seed_of(*names) for names in [("iris", "lda", 0), *others]}) == 5


# The rows of a subset from which a solver starts

N = 40_000


@each("period", [2, 3, 4, 5, 10, 20])
def test_classes_in_turn_are_all_there_in_their_shares(period):
    """Every 20th of rows 0, 1, 0, 1, ... has one class."""
    y = np.arange(N) % period
    counts = np.bincount(y[spread_rows(y, 20)], minlength=period)
    assert counts.min() > 0.7 * counts.mean()


@each("kind", [int, float])
def test_a_subset_contains_rare_classes_at_any_position(kind):
    y = np.zeros(N, kind)
    y[12_345], y[-1] = 1, 2
    assert {*y[spread_rows(y, 20)].tolist()} == {0, 1, 2}
    y = np.sort(y)
    rows = spread_rows(y, 20)
    assert {*y[rows].tolist()} == {0, 1, 2}
    assert len({*rows.tolist()}) == len(rows)
