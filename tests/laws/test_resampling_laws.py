"""Laws of random partitions into folds, and of the subset of rows from which a solver starts."""

import subprocess
import sys
from pathlib import Path
from typing import ClassVar

import numpy as np
import pytest
from cases import each
from sklearn.base import clone
from sklearn.model_selection import GridSearchCV, GroupKFold
from sklearn.pipeline import Pipeline

import linclass as L
from linclass.base.messages import NotApplicable
from linclass.base.tables import Table
from linclass.linear.solvers.starts import spread_rows
from linclass.tuning import selection
from linclass.tuning.folds import hold_out, nested_order, seed_of, stratified_folds
from linclass_study.pipeline.fitted import Task
from linclass_study.pipeline.fitting import fit_method
from linclass_study.pipeline.method import Method


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


def labels(counts):
    rng = np.random.default_rng(sum(counts))
    return rng.permutation(np.repeat(np.arange(len(counts)), counts))


@each(("counts", "folds"), [
    ([50, 50, 50], 10), ([7, 7], 7), ([13, 29, 101], 5), ([3, 4, 5, 6, 7], 3), ([1000, 11], 11),
])  # fmt: skip
@each("seed", [1, 2, 3])
def test_folds_are_a_partition_of_equal_sizes_and_class_counts(counts, folds, seed):
    y = labels(counts)
    fold = stratified_folds(y, folds, seed)
    assert fold.shape == (sum(counts),)
    assert sorted(set(fold.tolist())) == list(range(folds))
    for rows_ in (fold, *(fold[y == k] for k in range(len(counts)))):
        assert np.ptp(np.bincount(rows_, minlength=folds)) <= 1


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


def test_seeds_are_the_same_in_every_process_and_differ_by_names():
    code = "from linclass.tuning.folds import seed_of; print(seed_of('iris', 'lda', 0))"
    for hash_seed in ("1", "2"):  # by which Python's own hash of a string would differ
        env = {"PYTHONHASHSEED": hash_seed, "PYTHONPATH": str(Path(__file__).parents[2])}
        run = subprocess.run([sys.executable, "-c", code], env=env, capture_output=True, check=True)
        assert int(run.stdout) == seed_of("iris", "lda", 0)
    others = [("lda", "iris", 0), ("iris", "lda", 1), ("irisl", "da", 0), ("iris", "lda0")]
    assert len({seed_of(*names) for names in [("iris", "lda", 0), *others]}) == 5


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


CASES = each(("n", "n_groups", "K", "folds"), [
    (60, 12, 2, 4), (200, 7, 3, 5), (500, 250, 2, 10), (97, 30, 4, 3),
])  # fmt: skip


def rows(n, n_groups, K, seed=0):
    """Groups of different sizes, with classes that depend on the group."""
    rng = np.random.default_rng(seed)
    groups = np.concatenate([np.arange(n_groups), rng.zipf(1.6, n - n_groups) % n_groups])
    y = (groups + rng.integers(0, 2, n) * rng.integers(0, K, n)) % K
    return y, groups


@CASES
@each("seed", range(3))
def test_folds_are_a_partition_that_keeps_groups_whole(n, n_groups, K, folds, seed):
    y, groups = rows(n, n_groups, K, seed)
    fold = stratified_folds(y, folds, seed, groups)
    assert sorted(set(fold.tolist())) == list(range(folds))
    for group in np.unique(groups):
        assert len(set(fold[groups == group].tolist())) == 1
    for k in range(folds):
        assert set(y[fold != k].tolist()) == set(y.tolist())  # no training set lacks a class


@CASES
def test_grouped_folds_follow_the_rows_into_any_order(n, n_groups, K, folds):
    y, groups = rows(n, n_groups, K)
    shuffled = np.random.default_rng(1).permutation(n)
    fold = stratified_folds(y, folds, 5, groups)
    assert np.array_equal(stratified_folds(y[shuffled], folds, 5, groups[shuffled]), fold[shuffled])
    held_out = hold_out(y, 0.3, 5, groups)
    assert np.array_equal(hold_out(y[shuffled], 0.3, 5, groups[shuffled]), held_out[shuffled])


def test_groups_are_dealt_by_seed_like_rows_of_their_sizes():
    """40 groups of 5 rows, 24 of one class and 16 of the other: in 8 folds, 3 and 2 of each. A fold with a group of
    half the rows gets no other rows, and the rest is divided evenly.
    """
    y, groups = rows(500, 250, 2)
    first = stratified_folds(y, 5, 1, groups)
    assert np.array_equal(first, stratified_folds(y, 5, 1, groups))
    assert not np.array_equal(first, stratified_folds(y, 5, 2, groups))
    y, groups = np.repeat(np.arange(40) >= 24, 5).astype(int), np.repeat(np.arange(40), 5)
    fold = stratified_folds(y, 8, 3, groups)
    counts = np.stack([np.bincount(fold[y == k], minlength=8) for k in (0, 1)])
    assert (counts == [[15], [10]]).all()
    y = np.arange(200) % 2
    groups = np.concatenate([np.zeros(100, int), 1 + np.arange(100) // 2])
    sizes = np.sort(np.bincount(stratified_folds(y, 5, 0, groups)))
    assert sizes.tolist() == [24, 24, 26, 26, 100]


@each("share", [0.1, 0.25, 0.5])
def test_a_hold_out_takes_its_share_of_each_class(share):
    y = np.repeat([0, 1, 2], [100, 37, 3])
    held_out = hold_out(y, share, 7)
    for k, n in enumerate([100, 37, 3]):
        assert abs(held_out[y == k].sum() - share * n) <= 1
        assert 0 < held_out[y == k].sum() < n
    assert not np.array_equal(held_out, hold_out(y, share, 8))
    y, groups = rows(500, 250, 2)
    of_groups = hold_out(y, share, 7, groups)
    assert not set(groups[of_groups]) & set(groups[~of_groups])
    largest = np.bincount(groups).max()
    assert abs(of_groups.sum() - share * 500) <= largest


@each(("y", "groups", "words"), [
    ([0, 1, 0, 1, 0, 1], [0, 0, 1, 1, 2, 2], "need 4 groups, and there are 3; use at most 3"),
    ([0, 0, 0, 0, 1, 1], [0, 1, 2, 3, 4, 4], "class 'b' are in one group"),
])  # fmt: skip
def test_folds_incompatible_with_groups_are_refused_with_the_remedy(y, groups, words):
    y, groups = np.array(y), np.array(groups)
    with pytest.raises(NotApplicable, match=words):
        stratified_folds(y, 4, 0, groups, ["a", "b"])
    with pytest.raises(NotApplicable, match=words.replace("'b'", "1")):  # codes have no quotes
        stratified_folds(y, 4, 0, groups)
    enough = np.array([0, 0, 0, 0, 1, 1, 2, 3])
    assert len(set(stratified_folds(np.arange(8) % 2, 4, 0, enough).tolist())) == 4


class Watching(L.MajorityClass):
    """Records the groups it was fitted on and those it predicted; a row contains its group."""

    seen: ClassVar[list[tuple[set, set]]] = []

    def __init__(self, strength: float = 1.0):
        self.strength = strength

    def fit(self, X, y):
        self.fitted_on = set(X[:, 0].tolist())
        return super().fit(X, y)

    def predict(self, X):
        Watching.seen.append((self.fitted_on, set(X[:, 0].tolist())))
        return super().predict(X)


class Weighed(Watching):
    def fit(self, X, y, sample_weight=None):
        return super().fit(X, y)


def assert_groups_are_whole(fit):
    """No group is on both sides where rows are held out."""
    Watching.seen.clear()
    fit()
    assert Watching.seen
    assert all(not fitted & asked for fitted, asked in Watching.seen)


def test_inner_folds_keep_groups_whole():
    y, groups = rows(97, 30, 4)
    table = Table(groups[:, None].astype(float), ("group",))
    method = Method(Watching, tune={"strength": [1.0, 2.0]})
    task = Task(n_classes=4, positive=1, inner_folds=3)
    assert_groups_are_whole(lambda: fit_method(method, table, y, task, 1, groups))
    assert len(Watching.seen) == 6
    Watching.seen.clear()
    fit_method(method, table, y, task, 1)
    assert any(fitted & asked for fitted, asked in Watching.seen)


GRID = {"param_grid": {"strength": [1.0, 2.0]}, "strengths": None, "cv": 3}
MAPS = {"param_grid": {"method": ["sigmoid", "isotonic"]}, "strengths": None}
INSIDE = {
    "alone": L.Calibrated(Watching()),
    "one versus rest": L.OneVsRest(L.Calibrated(Watching())),
    "one versus one": L.OneVsOne(L.Calibrated(Watching())),
    "output codes": L.ErrorCorrectingOutputCodes(L.Calibrated(Watching())),
    "tuned in calibrated": L.Calibrated(L.TunedClassifier(Watching(), **GRID)),
    "calibrated in tuned": L.TunedClassifier(L.Calibrated(Watching()), **MAPS),
    "pipeline": Pipeline([("same", "passthrough"), ("last", L.Calibrated(Watching()))]),
    "search": GridSearchCV(Watching(), {"strength": [1.0, 2.0]}, cv=GroupKFold(3)),
}


@each("inside", INSIDE)
def test_groups_reach_a_base_estimator_that_holds_rows_out(inside):
    y, groups = rows(97, 30, 2)
    table = Table(groups[:, None].astype(float), ("group",))
    made = clone(INSIDE[inside])
    method, task = Method(type(made), made.get_params(deep=False)), Task(n_classes=2, positive=1)
    assert_groups_are_whole(lambda: fit_method(method, table, y, task, 1, groups))


def test_groups_of_rows_of_weight_zero_are_left_out():
    """Also of the pairs of three classes, each on the rows of two."""
    y, groups = rows(97, 30, 3)
    X, weights = groups[:, None].astype(float), (np.arange(97) % 7 > 0).astype(float)
    model = L.OneVsOne(L.Calibrated(Weighed(), method="isotonic"))
    assert_groups_are_whole(lambda: model.fit(X, y, weights, groups))


STRENGTHS = [{"strength": s, "power": p} for p in (1, 2) for s in (0.1, 1.0, 10.0, 100.0)]


def chosen(scores, rule, options=STRENGTHS):
    """scores[fold][option]"""

    def judge(options):
        return np.array(scores), {}

    return selection.search(options, judge, rule, None, lambda *_: []).option


def test_the_strongest_penalty_within_one_standard_error_is_chosen_by_name():
    """The best, strength 1 at power 1, scores 0.9 ± sd/√4: sd of (0.8, 0.9, 0.9, 1.0) is 0.0816, so the bound is
    0.859. Strength 10 has 0.86, strength 100 has 0.85; another power does not count.
    """
    folds = [0.8, 0.9, 0.9, 1.0]
    scores = [[0.7, value, 0.86, 0.85, 0.7, 0.7, 0.7, 0.89] for value in folds]
    assert chosen(scores, "best") == {"strength": 1.0, "power": 1}
    assert chosen(scores, "one_standard_error") == {"strength": 10.0, "power": 1}
    options = [{"power": p} for p in (1, 2, 3)]
    scores = [[0.89, value, 0.9] for value in (0.8, 1.0)]
    scores[0][1] += 0.02
    assert chosen(scores, "one_standard_error", options) == {"power": 2}
    options = [{"C": c} for c in (0.01, 1.0, 100.0)]
    scores = [[0.91, 0.9, 0.9], [0.91, 0.8, 1.0]]  # the best is 0.95 ± 0.05
    assert chosen(scores, "best", options) == {"C": 100.0}
    assert chosen(scores, "one_standard_error", options) == {"C": 0.01}


@each("failure", [NotApplicable, ZeroDivisionError])
def test_tuning_falls_back_to_single_fits_only_if_the_joint_path_refuses(failure):
    """Other exceptions in joint fits are bugs and must be raised."""

    class Refusing(Watching):
        def fit_many(self, *_):
            raise failure("in joint fits")

    y, groups = rows(97, 30, 2)
    table = Table(groups[:, None].astype(float), ("group",))
    method = Method(Refusing, tune={"strength": [1.0, 2.0]})
    task = Task(n_classes=2, positive=1, inner_folds=3)
    if failure is NotApplicable:
        assert fit_method(method, table, y, task, 1).chosen["strength"] in (1.0, 2.0)
    else:
        with pytest.raises(failure, match="in joint fits"):
            fit_method(method, table, y, task, 1)


def test_an_invalid_candidate_does_not_exclude_others():
    y, groups = rows(60, 60, 2)
    table = Table(np.random.default_rng(0).normal(size=(60, 2)) + y[:, None], ("a", "b"))
    method = Method(L.LogisticRegression, {}, tune={"strength": [-1.0, 0.1]})
    fitted = fit_method(method, table, y, Task(n_classes=2, positive=1), 1, groups)
    assert fitted.chosen["strength"] == 0.1
