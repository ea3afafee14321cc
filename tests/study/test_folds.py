"""The fold file: small, complete, and read back as written."""

from dataclasses import replace

import numpy as np
import polars as pl
from cases import each

from linclass.base.tables import Table
from linclass_study.data.dataset import Dataset, save_dataset
from linclass_study.execution import folds
from linclass_study.execution.folds import read_plan, write_folds

EVALUATION = {"protocols": ["cv", "official"], "folds": 3, "repeats": 2, "seed": 1}


def data(counts, test_rows=0):
    y = np.repeat(np.arange(len(counts)), counts).astype(np.int32)
    split = np.zeros(len(y), np.int8)
    split[len(y) - test_rows :] = 1
    classes = [f"c{k}" for k in range(len(counts))]
    return Dataset(Table(np.zeros((len(y), 1)), ("x",)), y, split, classes)


def written_and_read(data, path, evaluation=EVALUATION, status="available", reason=""):
    write_folds(*folds.make_folds(data, "name", evaluation), str(path))
    about = {"status": status, "reason": reason, "test_rows": int(data.split.sum())}
    return read_plan(str(path), about, evaluation)


def test_the_file_gives_back_every_fit_and_folds_without_rows_give_the_reason(tmp_path):
    small = data([7, 8], test_rows=3)
    plan = written_and_read(small, tmp_path / "folds.parquet")
    names = [(fit.protocol, fit.repeat, fit.fold) for fit in plan.fits]
    assert names == [("cv", r, k) for r in range(2) for k in range(3)] + [("official", 0, 0)]
    for fit in plan.fits:
        n = 15 if fit.protocol == "official" else 12
        assert sorted([*fit.train, *fit.test]) == fit.used.tolist() == list(range(n))
        assert (fit.n_train, fit.n_test) == (len(fit.train), len(fit.test))
    assert plan.fits[-1].test.tolist() == [12, 13, 14]
    assert sorted(np.concatenate([fit.test for fit in plan.fits[:3]])) == list(range(12))
    plan = written_and_read(data([7, 2]), tmp_path / "folds.parquet")
    assert [fit.n_test for fit in plan.fits] == [0] * 6
    assert "class 'c1' has 2; set evaluation.folds to at most 2" in plan.fits[0].no_folds_reason
    gone = {"status": "unavailable", "reason": "no such file"}
    plan = written_and_read(data([]), tmp_path / "folds.parquet", **gone)
    assert plan.unavailable == "no such file"
    assert [fit.n_test for fit in plan.fits] == [0] * 6


def test_ten_times_ten_folds_of_adult_stay_far_below_a_megabyte(tmp_path):
    """48,842 rows, 11,687 of them in one class: Kohavi's census data of 1994."""
    path = tmp_path / "folds.parquet"
    evaluation = {"protocols": ["cv"], "folds": 10, "repeats": 10, "seed": 1}
    write_folds(*folds.make_folds(data([48_842 - 11_687, 11_687]), "adult", evaluation), str(path))
    # a fold of ten is log2(10) = 3.3 bits, so no file of 488,420 of them is below 203 kB
    assert path.stat().st_size < 500_000
    table = pl.read_parquet(path)
    assert table.columns == ["protocol", "repeat", "row", "fold"]
    assert table.height == 488_420


GROUPS = np.arange(15) % 6


def planned(data, tmp_path, *protocols):
    evaluation = EVALUATION | {"protocols": list(protocols)}
    return written_and_read(data, tmp_path / "folds.parquet", evaluation).fits


def test_hold_outs_and_leave_one_out_are_planned_as_single_fits(tmp_path):
    asked = {"hold_out": {"test_share": 0.4, "repeats": 3}}
    fits = planned(data([10, 5]), tmp_path, asked, "cv")
    assert [(fit.protocol, fit.repeat, fit.fold) for fit in fits[:4]] == [
        ("hold_out", 0, 0), ("hold_out", 1, 0), ("hold_out", 2, 0), ("cv", 0, 0)
    ]  # fmt: skip
    assert [(fit.n_train, fit.n_test) for fit in fits[:3]] == [(9, 6)] * 3
    assert len({tuple(fit.test) for fit in fits[:3]}) > 1
    assert [fit.n_test for fit in planned(data([10, 5]), tmp_path, "hold_out")] == [3] * 10
    (fit,) = planned(data([10, 5]), tmp_path, "leave_one_out")
    assert (fit.protocol, fit.repeat, fit.fold) == ("leave_one_out", 0, 0)
    assert (fit.n_train, fit.n_test) == (14, 15)
    assert fit.test.tolist() == list(range(15))
    assert pl.read_parquet(tmp_path / "folds.parquet").height == 15


def test_every_protocol_keeps_groups_whole(tmp_path):
    grouped = replace(data([10, 5]), groups=GROUPS)
    for fit in planned(grouped, tmp_path, "cv", "hold_out"):
        assert not {*GROUPS[fit.train]} & {*GROUPS[fit.test]}
    (fit,) = planned(grouped, tmp_path, "leave_one_out")
    assert fit.fold_of_row.tolist() == GROUPS.tolist()
    assert (fit.n_train, fit.n_test) == (12, 15)  # the largest groups have 3 rows


SPLIT = np.repeat([0, 1], [9, 6]).astype(np.int8)


@each(("changes", "protocol", "words"), [
    ({"groups": GROUPS % 2}, "cv", "3 folds of whole groups need 3 groups, and there are 2"),
    ({"groups": np.repeat([0, 1, 2, 3], [4, 3, 3, 5])}, "cv", "class 'c1' are in one group"),
    ({"groups": np.repeat([0, 1, 2], [5, 5, 5])}, "leave_one_out", "class 'c1' has one group"),
    ({"y": (np.arange(15) == 3).astype(np.int32)}, "hold_out", "class 'c1' has 1"),
    ({"y": (np.arange(15) == 3).astype(np.int32)}, "leave_one_out", "class 'c1' has one row"),
    ({"groups": GROUPS, "split": SPLIT}, "official", "6 groups have rows on both sides"),
    ({"groups": np.arange(15) // 2, "split": SPLIT}, "official", "1 group has rows on both"),
    ({}, "official", "no official split; add cv"),
])  # fmt: skip
def test_folds_that_cannot_be_assigned_are_planned_with_the_reason(
    tmp_path, changes, protocol, words
):
    fits = planned(replace(data([10, 5]), **changes), tmp_path, protocol)
    assert fits
    for fit in fits:
        assert words in fit.no_folds_reason
        assert fit.n_test == 0


CURVE = {"learning_curve": {"sizes": [0.1, 0.5, 12, 1.0]}}


@each("groups", [None, np.arange(60) % 20])
def test_learning_curves_train_on_nested_parts_of_the_training_rows_of_cv(tmp_path, groups):
    rows = replace(data([36, 24]), groups=groups)
    fits = planned(rows, tmp_path, "cv", CURVE)
    cv = {fit.fold: fit for fit in fits if fit.protocol == "cv" and fit.repeat == 0}
    for one, other in zip(planned(rows, tmp_path, "cv"), fits, strict=False):
        assert one.fold_of_row.tolist() == other.fold_of_row.tolist(), "without a curve"
    sizes = {"0.1": 0.1, "12": 12, "0.5": 0.5, "1": 1.0}
    before = {}
    for size, asked in sizes.items():
        parts = [fit for fit in fits if fit.protocol == f"learning_curve@{size}"]
        assert [(fit.repeat, fit.fold) for fit in parts] == [(0, 0), (1, 0), (2, 0)]
        for fit in parts:
            whole = cv[fit.repeat]
            part = {*fit.train.tolist()}
            assert fit.test.tolist() == whole.test.tolist()
            assert before.get(fit.repeat, set()) <= part <= {*whole.train.tolist()}
            assert fit.n_train == len(part)
            m = round(asked * whole.n_train) if asked <= 1 else asked
            if groups is None:
                assert len(part) == m
                assert abs(np.count_nonzero(rows.y[fit.train] == 1) - m * 24 / 60) <= 1.5
            else:
                assert m - 3 < len(part) <= m
                others = [k for k in whole.train if k not in part]
                assert not {*groups[fit.train]} & {*groups[others]}
            before[fit.repeat] = part


@each(("sizes", "words"), [
    ([2], "a part of 2 training rows has none of class 'c2'"),
    ([100], "100 training rows are requested, but a training set has 20"),
])  # fmt: skip
def test_sizes_that_are_not_available_are_planned_and_give_the_reason(tmp_path, sizes, words):
    fits = planned(data([18, 6, 6]), tmp_path, "cv", {"learning_curve": {"sizes": sizes}})
    for fit in fits[6:]:
        assert words in fit.no_folds_reason
        assert fit.n_test == 0
    assert all(fit.n_test for fit in fits[:6])


def test_folds_are_made_once_and_again_when_they_are_lost_or_other_ones_are_due(tmp_path):
    """By whichever job fits on the data set first; a broken file is replaced."""
    path = tmp_path / "folds" / "d.parquet"
    (tmp_path / "data").mkdir()
    save_dataset(data([20, 10]), tmp_path / "data" / "d.npz", tmp_path / "data" / "d.json")

    def rewritten(**changes):
        before = path.stat().st_ino if path.exists() else None
        folds.ensure_folds(tmp_path, "d", EVALUATION | changes)
        return path.stat().st_ino != before

    assert rewritten()
    whole = path.read_bytes()
    assert not rewritten()
    assert rewritten(seed=99)
    assert rewritten()
    assert path.read_bytes() == whole
    path.write_bytes(whole[:-9])
    assert rewritten()
    assert path.read_bytes() == whole


def test_folds_depend_on_the_data_set_the_seed_and_the_repeat():
    def made(dataset="one", **changes):
        assigned, _ = folds.make_folds(data([20, 20]), dataset, EVALUATION | changes)
        return [of_row.tolist() for (protocol, _), of_row in assigned.items() if protocol == "cv"]

    assert made() == made()
    different = [*made(), *made("other"), *made(seed=2)]
    assert all(different.count(one) == 1 for one in different)
