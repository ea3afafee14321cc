"""Training and test rows of every fit: assigned once per data set and shared by all methods.

The protocols are those of protocols.py. The seed is a function of the study's seed, the data set's name, the protocol
and the repeat, never of order or time.

The file has one line for each row and repeat: the fold in which the row is tested, -1 if it only trains, -2 if it is
not used. Lines are sorted by row, so that Parquet stores each row number once and the folds in a few bits.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import polars as pl

from linclass.base.messages import NotApplicable
from linclass.tuning.folds import seed_of
from linclass_study.data.dataset import load_classes
from linclass_study.files import tables as table_files
from linclass_study.files.reading import read_about, read_metadata, read_parquet
from linclass_study.files.tables import table_schema, write_table
from linclass_study.pipeline.protocols import (
    UNUSED,
    divides_test_rows,
    kind,
    planned_fits,
    protocol_named,
    selected_protocols,
)

if TYPE_CHECKING:
    from linclass_study.data.dataset import Dataset

FoldAssignment = dict[tuple[str, int], np.ndarray]  # (protocol, repeat) → the test fold of each row
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
        return int(np.count_nonzero(self.fold_of_row != UNUSED)) - self.n_test

    @property
    def n_test(self) -> int:
        tested = self.fold_of_row == self.fold
        return int(
            np.count_nonzero(self.fold_of_row != UNUSED if self.is_leave_one_out else tested)
        )


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
        return cls(
            tuple(
                Planned(protocol, repeat, fold, of_row)
                for (protocol, repeat), of_row in test_folds.items()
                for fold in range(of_row.max(initial=-1) + 1)
            )
        )


def make_folds(
    data: Dataset, dataset: str, evaluation: Mapping[str, Any]
) -> tuple[FoldAssignment, dict[str, str]]:
    """(test fold of each row, protocol → why it has no folds); empty for unavailable data."""
    test_folds: FoldAssignment = {}
    reasons: dict[str, str] = {}
    training = data.split == 0
    if divides_test_rows(evaluation):
        training[:] = True
    for name, options in selected_protocols(evaluation).items() if len(data.y) else ():
        protocol = protocol_named(name)
        if protocol.within in reasons:
            reasons[name] = reasons[protocol.within]
            continue
        rows = training if name != "official" else np.ones(len(data.y), bool)
        # protocols read nothing else, so the features are not copied
        groups = None if data.groups is None else data.groups[rows]
        divided = replace(data, y=data.y[rows], split=data.split[rows], groups=groups)
        try:
            for repeat in range(protocol.size(options)[0]):
                seed = seed_of(evaluation["seed"], dataset, kind(name), repeat)
                held_out = []
                if protocol.within:
                    held_out.append(test_folds[protocol.within, 0][rows] == repeat)
                of_row = np.full(len(data.y), UNUSED)
                of_row[rows] = protocol.assign_folds(divided, options, seed, *held_out)
                test_folds[name, repeat] = of_row
        except NotApplicable as reason:
            reasons[name] = str(reason)
    return test_folds, reasons


def ensure_folds(results: Path, dataset: str, evaluation: Mapping[str, Any]) -> None:
    """Write folds/{dataset}.parquet if it is missing or other folds are due.

    Each job that fits on the data set does so: they all make the same file.
    """
    about = read_about(results / "data" / f"{dataset}.json")
    data = load_classes(results / "data" / f"{dataset}.npz")
    data = replace(data, classes=about.get("classes", []))
    test_folds, reasons = make_folds(data, dataset, evaluation)
    path = results / "folds" / f"{dataset}.parquet"
    with suppress(ValueError):  # missing or unreadable
        if read_metadata(path, REASONS_KEY) == reasons and read_parquet(path).equals(
            _table(test_folds)
        ):
            return
    path.parent.mkdir(parents=True, exist_ok=True)
    write_folds(test_folds, reasons, str(path))


def write_folds(test_folds: FoldAssignment, reasons: Mapping[str, str], path: str) -> None:
    write_table(_table(test_folds), "folds", path, metadata={REASONS_KEY: json.dumps(reasons)})


def read_plan(path: str, about: Mapping[str, Any], evaluation: Mapping[str, Any]) -> Plan:
    """Read the planned fits on a data set; `about` is its results/data/{dataset}.json."""
    parts = read_parquet(path).partition_by("protocol", "repeat", as_dict=True, maintain_order=True)
    reasons = read_metadata(path, REASONS_KEY) or {}
    nothing = pl.DataFrame({"fold": np.empty(0, np.int32)})
    fits = tuple(
        Planned(
            name,
            repeat,
            fold,
            parts.get((name, repeat), nothing)["fold"].to_numpy(),
            reasons.get(name, ""),
        )
        for name, repeat, fold in planned_fits(evaluation, about)
    )
    return Plan(fits, about["reason"] if about["status"] == "unavailable" else "")


def _table(test_folds: FoldAssignment) -> pl.DataFrame:
    parts = [
        pl.DataFrame({"row": np.arange(len(of_row)), "fold": of_row}).with_columns(
            protocol=pl.lit(protocol), repeat=pl.lit(repeat)
        )
        for (protocol, repeat), of_row in test_folds.items()
    ]
    columns = table_schema("folds")
    parts = [part.select(list(columns)).cast(columns) for part in parts]
    return pl.concat([table_files.frame("folds"), *parts]).sort("protocol", "row", "repeat")
