"""Compare the fits and predictions of one run in two results.

The difference of numbers is  |a − b| / max(1, |a|, |b|), so it is relative for large numbers. Other values (predicted
class, status, tuned value, held-out rows) are equal or not.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from itertools import zip_longest
from pathlib import Path
from typing import IO

import numpy as np
import polars as pl

from linclass.base.messages import counted
from linclass_study.command.results_folder import ResultsFolder, Run
from linclass_study.files.reading import parsed_json
from linclass_study.files.tables import FIT

ROW = ("protocol", "repeat", "fold", "row")
ROUNDING = 1e-9  # smaller differences are rounding
SAME_DATA = ("digest", "classes", "positive", "costs")  # of results/data/{dataset}.json
SAME_FITS = ("status", "params", "seed", "n_train", "n_test")


@dataclass(frozen=True)
class Agreement:
    """Result for one run: sentences about differences, and the largest difference of numbers."""

    run: Run
    differences: list[str] = field(default_factory=list)
    largest: float = 0.0
    rows: int = 0  # rows of predictions whose numbers differ

    @property
    def identical(self) -> bool:
        return not self.differences and self.largest == 0

    def within(self, tolerance: float) -> bool:
        return not self.differences and self.largest <= tolerance

    def sentence(self) -> str:
        """One line."""
        numbers = f"numbers differ by at most {self.largest:.1e}"
        if self.rows:
            numbers += f" in {counted(self.rows, 'row')}"
        return "; ".join([*self.differences, *([numbers] if self.largest else [])])


def compare_run(run: Run, a: ResultsFolder, b: ResultsFolder) -> Agreement:
    """Compare a run in both folders."""
    fits = compare_fits(a.run_table("fits", run), b.run_table("fits", run))
    if same_bytes(*(folder.path(run, "predictions.parquet") for folder in (a, b))):
        return Agreement(run, *fits)
    differences, largest, rows = compare_predictions(
        a.run_table("predictions", run), b.run_table("predictions", run)
    )
    return Agreement(run, [*differences, *fits[0]], max(largest, fits[1]), rows)


def compare_predictions(a: pl.DataFrame, b: pl.DataFrame) -> tuple[list[str], float, int]:
    """(differences, largest difference of numbers, number of rows with different numbers)."""
    a, b = a.sort(ROW), b.sort(ROW)
    repeated = pl.all_horizontal(pl.col(column) == pl.col(column).shift(1) for column in ROW).any()
    differences = [
        f"a row is predicted twice in {name}"
        for name, rows in (("A", a), ("B", b))
        if rows.select(repeated).item()
    ]
    if differences:
        return differences, np.inf, 0
    differences = _alone(a, b)
    if differences:
        a, b = a.join(b, on=ROW, how="semi"), b.join(a, on=ROW, how="semi")
    for column, what in (("y_true", "true classes"), ("y_pred", "predicted classes")):
        places = a[column].ne_missing(b[column]).arg_true()
        if len(places):
            values = f": {a[column][places[0]]} in A and {b[column][places[0]]} in B"
            where = _first(a[places[0], :], values)
            differences.append(
                f"{what} differ in {len(places):,} of {counted(a.height, 'row')}{where}"
            )
    largest, moved = 0.0, np.zeros(a.height, bool)
    for column in ("score", "log_proba"):
        widths = a[column].list.len()
        places = widths.ne_missing(b[column].list.len()).arg_true()
        if len(places):
            where = _first(a[places[0], :])
            differences.append(
                f"{column} has other entries in {counted(len(places), 'row')}{where}"
            )
            continue
        widths = widths.fill_null(0)
        by = difference(*(x[column].filter(widths > 0).explode() for x in (a, b)))
        largest = max(largest, float(by.max(initial=0.0)))
        moved[np.repeat(np.arange(a.height), widths.to_numpy())[by > 0]] = True
    return differences, largest, int(moved.sum())


def compare_fits(a: pl.DataFrame, b: pl.DataFrame) -> tuple[list[str], float]:
    """(differences, largest difference of objectives)."""
    differences: list[str] = []
    compared = [*FIT, *SAME_FITS, "objective"]
    if a.select(compared).equals(b.select(compared)):
        return differences, 0.0
    for name, one, other in (("A", a, b), ("B", b, a)):
        alone = one.join(other, on=FIT, how="anti").height
        if alone:
            differences.append(f"{alone} of {counted(one.height, 'fit')} in {name} alone")
    a, b = a.join(b, on=FIT, how="semi").sort(FIT), b.join(a, on=FIT, how="semi").sort(FIT)
    if a.height != b.height:
        return [*differences, "a fit is there twice"], np.inf
    by = difference(a["objective"], b["objective"])
    for column in SAME_FITS:
        places = a[column].ne_missing(b[column]).arg_true().to_numpy()
        if column == "params" and len(places):
            moved = np.array(
                [_parameter_difference(a[column][i], b[column][i]) for i in places.tolist()]
            )
            by = np.append(by, moved[moved <= ROUNDING])
            places = places[moved > ROUNDING]
        if len(places):
            first = int(places[0])
            values = f"'{a[column][first]}' in A and '{b[column][first]}' in B"
            differences.append(
                f"{column} of {len(places)} of {counted(a.height, 'fit')} differs ({values})"
            )
    return differences, float(by.max(initial=0.0))


def _parameter_difference(a: str | None, b: str | None) -> float:
    """The largest relative difference of numbers, as an estimator may choose them; inf if anything else differs."""
    if a is None or b is None:
        return np.inf
    mine, other = parsed_json(a), parsed_json(b)
    names = [name for name in mine if mine[name] != other.get(name)]
    pairs = [(mine[name], other.get(name)) for name in names]
    if list(mine) != list(other) or not all(isinstance(v, float) for pair in pairs for v in pair):
        return np.inf
    return max((abs(x - y) / max(abs(x), abs(y)) for x, y in pairs), default=0.0)


def difference(a: pl.Series, b: pl.Series) -> np.ndarray:
    """|a − b| / max(1, |a|, |b|) of each pair; 0 for equal values, nan and null included; inf if one is missing."""
    x, y = (s.cast(pl.Float64).fill_null(np.nan).to_numpy() for s in (a, b))
    same = (x == y) | (np.isnan(x) & np.isnan(y))
    with np.errstate(invalid="ignore", over="ignore"):
        by = np.abs(x - y) / np.maximum(1, np.maximum(np.abs(x), np.abs(y)))
    return np.where(same, 0.0, np.where(np.isfinite(by), by, np.inf))


def same_bytes(a: Path, b: Path) -> bool:
    """Whether both files exist with the same content."""
    if not (a.exists() and b.exists()) or a.stat().st_size != b.stat().st_size:
        return False
    with a.open("rb") as one, b.open("rb") as other:
        chunks = zip_longest(_chunks(one), _chunks(other))
        return all(left == right for left, right in chunks)


def same_folds(dataset: str, a: ResultsFolder, b: ResultsFolder) -> bool:
    """Whether both have the same folds of a data set, or one has none."""
    files = [results.folder / "folds" / f"{dataset}.parquet" for results in (a, b)]
    if not all(file.exists() for file in files) or same_bytes(*files):
        return True
    one, other = (x.table("folds", file) for x, file in zip((a, b), files, strict=True))
    return one.sort(pl.all()).equals(other.sort(pl.all()))


def _chunks(file: IO[bytes]) -> Iterator[bytes]:
    while chunk := file.read(1 << 20):
        yield chunk


def _alone(a: pl.DataFrame, b: pl.DataFrame) -> list[str]:
    """Sentences about rows that only one side has."""
    if a.select(ROW).equals(b.select(ROW)):
        return []
    sides = [("A", a.join(b, on=ROW, how="anti")), ("B", b.join(a, on=ROW, how="anti"))]
    message = "{} predicted in {} alone{}"
    return [
        message.format(counted(x.height, "row"), name, _first(x)) for name, x in sides if x.height
    ]


def _first(rows: pl.DataFrame, more: str = "") -> str:
    protocol, repeat, fold, row = rows.select(ROW).row(0)
    return f" (first: {protocol}, repeat {repeat}, fold {fold}, row {row}{more})"
