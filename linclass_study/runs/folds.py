"""Which rows train and which are held out: dealt once per data set and shared by every method.

protocol cv         repeated stratified k-fold over all rows
protocol official   the data set's own split, where it has one
The seed is a function of the study's seed, the data set's name and the repeat: never of order or time.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
import polars as pl

from linclass.resampling import seed_of, stratified_folds
from linclass_study import tables

if TYPE_CHECKING:
    from linclass_study.data.dataset import Dataset

Fold = tuple[str, int, int]  # protocol, repeat, fold
Rows = tuple[np.ndarray, np.ndarray]  # train, test
REASON = "linclass.cv"  # key of the file's metadata: why there are no folds


@dataclass(frozen=True)
class Plan:
    """Every planned fit with its rows, which are none where they could not be dealt or had, and why."""

    folds: dict[Fold, Rows]
    undealt: str = ""
    unavailable: str = ""


def deal(
    data: Dataset, dataset: str, folds: int, repeats: int, seed: int
) -> tuple[pl.DataFrame, str]:
    """(table of folds, why there is no k-fold: '' when there is)."""
    parts, reason = [], ""
    counts = np.bincount(data.y, minlength=len(data.classes))
    if len(counts) and folds > counts.min():
        least, name = counts.min(), data.classes[int(counts.argmin())]
        fewer = f"set evaluation.folds to at most {least}, or " if least > 1 else ""
        reason = (
            f"{folds} folds need {folds} rows of every class, and class '{name}' has {least}; "
            f"{fewer}leave the class out with `classes:`"
        )
    elif len(counts):  # an unavailable data set has no classes, and no rows to deal
        for repeat in range(repeats):
            fold = stratified_folds(data.y, folds, seed_of(seed, dataset, "cv", repeat))
            parts += [_part("cv", repeat, k, fold == k) for k in range(folds)]
    if data.split.any():
        parts.append(_part("official", 0, 0, data.split == 1))
    return pl.concat([tables.frame("folds"), *parts]), reason


def write(folds: pl.DataFrame, reason: str, path: str) -> None:
    tables.write(folds, "folds", path, metadata={REASON: reason})


def read(path: str, about: Mapping[str, Any], folds: int, repeats: int) -> Plan:
    """The fits that a study plans on a data set; `about` is its results/data/{dataset}.json."""
    nothing = np.empty(0, np.int64)
    plan = {("cv", r, k): (nothing, nothing) for r in range(repeats) for k in range(folds)}
    held_out = pl.col("role") == "test"
    dealt = (
        pl.read_parquet(path)
        .group_by("protocol", "repeat", "fold", maintain_order=True)
        .agg(train=pl.col("row").filter(~held_out), test=pl.col("row").filter(held_out))
    )
    rows = zip(dealt["train"], dealt["test"], strict=True)
    names = dealt.select("protocol", "repeat", "fold").iter_rows()
    for name, (train, test) in zip(names, rows, strict=True):
        plan[name] = train.to_numpy(), test.to_numpy()
    unavailable = about["reason"] if about["status"] == "unavailable" else ""
    return Plan(plan, pl.read_parquet_metadata(path).get(REASON, ""), unavailable)


def _part(protocol: str, repeat: int, fold: int, held_out: np.ndarray) -> pl.DataFrame:
    rows = np.arange(len(held_out))
    return pl.DataFrame({"row": rows, "role": np.where(held_out, "test", "train")}).select(
        pl.lit(protocol).alias("protocol"),
        pl.lit(repeat, pl.Int32).alias("repeat"),
        pl.lit(fold, pl.Int32).alias("fold"),
        pl.col("row").cast(pl.Int64),
        "role",
    )
