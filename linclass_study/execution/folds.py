"""Training and test rows of every fit: assigned once per data set and shared by all methods.

protocols.py describes the protocols. The seed is a function of the study's seed, the data set's name, the protocol
and the repeat, never of order or time.

The file has one line for each row and repeat: the fold in which the row is tested, -1 if it only trains, -2 if it is
not used. Lines are sorted by row, so that Parquet stores each row number once and the folds in a few bits.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl

from linclass.base.messages import NotApplicable, counted_have
from linclass.tuning.folds import hold_out, nested_order, seed_of, stratified_folds
from linclass_study.data.dataset import Dataset, load_classes
from linclass_study.files import tables as table_files
from linclass_study.files.reading import read_about, read_metadata, read_parquet
from linclass_study.files.tables import table_schema, write_table
from linclass_study.protocols import (
    CURVE,
    Options,
    divides_test_rows,
    kind,
    planned_fits,
    selected_protocols,
    size_of,
)

FoldAssignment = dict[tuple[str, int], np.ndarray]  # (protocol, repeat) → the test fold of each row
UNUSED = -2  # the test fold of a row in neither the training nor the test set
REASONS_KEY = "linclass.undealt"  # key of the file's metadata: protocol → why it has no folds


@dataclass(frozen=True)
class Planned:
    """A planned fit. Its rows are computed on demand: those of all fits would fill memory."""

    protocol: str
    repeat: int
    fold: int
    fold_of_row: np.ndarray  # the test fold of each row in this repeat; empty if there are no folds
    no_folds_reason: str = ""  # why there are no folds

    @property
    def name(self) -> tuple[str, int, int]:
        return self.protocol, self.repeat, self.fold

    @property
    def is_leave_one_out(self) -> bool:
        """Whether this fit covers all folds of the repeat (leave-one-out, where a fold is a row or a group)."""
        return self.protocol == "leave_one_out"

    @property
    def used(self) -> np.ndarray:
        """The training and test rows; neither has official test rows, or those beyond a part of a learning curve."""
        return np.flatnonzero(self.fold_of_row != UNUSED)

    @property
    def train(self) -> np.ndarray:
        return np.flatnonzero((self.fold_of_row != self.fold) & (self.fold_of_row != UNUSED))

    @property
    def test(self) -> np.ndarray:
        return self.used if self.is_leave_one_out else np.flatnonzero(self.fold_of_row == self.fold)

    @property
    def n_train(self) -> int:
        """Number of training rows; for leave-one-out, of the smallest training set."""
        if self.is_leave_one_out:
            units = self.fold_of_row[self.used]
            return len(units) - int(np.bincount(units).max(initial=0))
        return len(self.train)

    @property
    def n_test(self) -> int:
        return len(self.test)


@dataclass(frozen=True)
class Plan:
    """All planned fits on a data set, in order; the reason, if it is unavailable."""

    fits: tuple[Planned, ...]
    unavailable: str = ""

    @property
    def on_plane(self) -> str:
        """The protocol whose first repeat is drawn on the plane: the first one that has folds."""
        return next((fit.protocol for fit in self.fits if not fit.is_leave_one_out), "")

    @classmethod
    def of(cls, test_folds: FoldAssignment) -> Plan:
        """One planned fit for every fold of each repeat."""
        fits = (
            Planned(protocol, repeat, fold, of_row)
            for (protocol, repeat), of_row in test_folds.items()
            for fold in range(of_row.max(initial=-1) + 1)
        )
        return cls(tuple(fits))


def make_folds(
    data: Dataset, dataset: str, evaluation: Mapping[str, Any]
) -> tuple[FoldAssignment, dict[str, str]]:
    """(test fold of each row, protocol → why it has no folds); empty for unavailable data."""
    test_folds: FoldAssignment = {}
    reasons: dict[str, str] = {}
    training = (data.split == 0) | divides_test_rows(evaluation)
    for name, options in selected_protocols(evaluation).items() if len(data.y) else ():
        if kind(name) == CURVE and "cv" in reasons:
            reasons[name] = reasons["cv"]
            continue
        rows = training if name != "official" else np.ones(len(data.y), bool)
        # protocols read nothing else, so the features are not copied
        groups = None if data.groups is None else data.groups[rows]
        divided = replace(data, y=data.y[rows], split=data.split[rows], groups=groups)
        try:
            for repeat in range(size_of(name, options)[0]):
                seed = seed_of(evaluation["seed"], dataset, kind(name), repeat)
                held_out = [test_folds["cv", 0][rows] == repeat] if kind(name) == CURVE else []
                of_row = np.full(len(data.y), UNUSED)
                of_row[rows] = ASSIGN[kind(name)](divided, options, seed, *held_out)
                test_folds[name, repeat] = of_row
        except NotApplicable as reason:
            reasons[name] = str(reason)
    return test_folds, reasons


# The test fold of each row in one repeat: −1 for rows that only train, UNUSED for rows that are not used.
# `data` has the rows that are divided.


def _k_fold(data: Dataset, options: Options, seed: int) -> np.ndarray:
    folds = options["folds"]
    if data.groups is None:
        counts = np.bincount(data.y, minlength=len(data.classes))
        if folds > counts.min():
            least, name = counts.min(), data.classes[int(counts.argmin())]
            fewer = f"set evaluation.folds to at most {least}, or " if least > 1 else ""
            raise NotApplicable(
                f"{folds} folds need {folds} rows of every class, and class '{name}' has {least}; "
                f"{fewer}leave the class out with `classes:`"
            )
    return stratified_folds(data.y, folds, seed, data.groups, data.classes)


def _hold_out(data: Dataset, options: Options, seed: int) -> np.ndarray:
    held_out = hold_out(data.y, options["test_share"], seed, data.groups, data.classes)
    return np.where(held_out, 0, -1)


def _official(data: Dataset, options: Options, seed: int) -> np.ndarray:
    if not data.split.any():
        raise NotApplicable("the data set has no official split; add cv to evaluation.protocols")
    if data.groups is not None:
        both = np.intersect1d(data.groups[data.split == 0], data.groups[data.split == 1])
        if len(both):
            raise NotApplicable(
                f"{counted_have(len(both), 'group')} rows on both sides of the official split; leave "
                "`group:` out, or official out of evaluation.protocols"
            )
    return np.where(data.split == 1, 0, -1)


def _leave_one_out(data: Dataset, options: Options, seed: int) -> np.ndarray:
    """Every row, or group, is a fold; one planned fit covers all of them."""
    units = np.arange(len(data.y)) if data.groups is None else data.groups
    counts = np.zeros(len(data.classes), dtype=int)
    np.add.at(counts, np.unique(np.stack([data.y, units]), axis=1)[0], 1)
    if counts.min() < 2:
        unit = "row" if data.groups is None else "group"
        raise NotApplicable(
            f"class '{data.classes[int(counts.argmin())]}' has one {unit}, so the model of all others "
            "never sees the class; leave the class out with `classes:`"
        )
    return units


def _learning_curve(data: Dataset, options: Options, seed: int, held_out: np.ndarray) -> np.ndarray:
    """The first rows of one random order of the training rows, so that the subsets are nested."""
    rows, size = np.flatnonzero(~held_out), options["size"]
    m = round(size * len(rows)) if size <= 1 else int(size)
    if m > len(rows):
        raise NotApplicable(
            f"{m} training rows are requested, but a training set has {len(rows)}; "
            "leave that size out of learning_curve"
        )
    groups = None if data.groups is None else data.groups[rows]
    order = nested_order(data.y[rows], seed, groups)
    part = order[:m]
    if groups is not None and m < len(rows) and groups[order[m]] == groups[part[-1]]:
        part = part[groups[part] != groups[part[-1]]]  # the last group is incomplete
    lacking = np.flatnonzero(np.bincount(data.y[rows[part]], minlength=len(data.classes)) == 0)
    if len(lacking):
        raise NotApplicable(
            f"a part of {m} training rows has none of class '{data.classes[int(lacking[0])]}'; "
            "give learning_curve larger sizes"
        )
    fold = np.full(len(data.y), UNUSED)
    fold[held_out], fold[rows[part]] = 0, -1
    return fold


ASSIGN: Mapping[str, Callable[..., np.ndarray]] = {
    "cv": _k_fold,
    "official": _official,
    "hold_out": _hold_out,
    "leave_one_out": _leave_one_out,
    CURVE: _learning_curve,
}


def ensure_folds(results: Path, dataset: str, evaluation: Mapping[str, Any]) -> None:
    """Write folds/{dataset}.parquet if it is missing or other folds are due.

    Each job that fits on the data set does so: they all make the same file.
    """
    about = read_about(results / "data" / f"{dataset}.json")
    data = load_classes(results / "data" / f"{dataset}.npz")
    data = replace(data, classes=about.get("classes", []))
    test_folds, reasons = make_folds(data, dataset, evaluation)
    path, table = results / "folds" / f"{dataset}.parquet", _table(test_folds)
    with suppress(ValueError):  # missing or unreadable
        if read_metadata(path, REASONS_KEY) == reasons and read_parquet(path).equals(table):
            return
    write_folds(test_folds, reasons, str(path))


def write_folds(test_folds: FoldAssignment, reasons: Mapping[str, str], path: str) -> None:
    write_table(_table(test_folds), "folds", path, metadata={REASONS_KEY: json.dumps(reasons)})


def read_plan(path: str, about: Mapping[str, Any], evaluation: Mapping[str, Any]) -> Plan:
    """Read the planned fits on a data set; `about` is its results/data/{dataset}.json."""
    parts = read_parquet(path).partition_by("protocol", "repeat", as_dict=True, maintain_order=True)
    reasons = read_metadata(path, REASONS_KEY) or {}
    nothing, fits = pl.DataFrame({"fold": np.empty(0, np.int32)}), []
    for name, repeat, fold in planned_fits(evaluation, about):
        of_row = parts.get((name, repeat), nothing)["fold"].to_numpy()
        fits.append(Planned(name, repeat, fold, of_row, reasons.get(name, "")))
    return Plan(tuple(fits), about["reason"] if about["status"] == "unavailable" else "")


def _table(test_folds: FoldAssignment) -> pl.DataFrame:
    columns, parts = table_schema("folds"), [table_files.frame("folds")]
    for (protocol, repeat), of_row in test_folds.items():
        part = pl.DataFrame({"row": np.arange(len(of_row)), "fold": of_row})
        part = part.with_columns(protocol=pl.lit(protocol), repeat=pl.lit(repeat))
        parts.append(part.select(list(columns)).cast(columns))
    return pl.concat(parts).sort("protocol", "row", "repeat")
