"""The results folder of a study, read on demand.

Figures and the report depend on an Outcome alone, so each can be redrawn from the folder: predictions are the raw
results, and everything else is derived from them. Seconds of different machines are never added or averaged: a fit has
one row in fits.parquet, also after a merge, and the times of the same fit on other machines are in times.parquet.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from functools import cache, cached_property
from pathlib import Path
from typing import Any, TypeVar

import numpy as np
import polars as pl

from linclass_study.entries import Labels
from linclass_study.files.reading import opened_npz, read_about, read_mapping, read_parquet
from linclass_study.files.resolved_study import read_resolved
from linclass_study.files.tables import FIT, frame, table_schema
from linclass_study.protocols import CURVE, of_dataset, selected_protocols

T = TypeVar("T")
UNKNOWN = "unknown"  # machine of fits that name none


def class_digests(predictions: pl.DataFrame) -> dict[str, str]:
    """Protocol → digest of the predicted classes of a run, in the order of fits and rows."""
    ordered = predictions.sort(*FIT, "row").select("protocol", pl.col("y_pred").cast(pl.Int32))
    return {
        protocol: hashlib.sha256(rows["y_pred"].to_numpy().tobytes()).hexdigest()[:32]
        for (protocol,), rows in ordered.partition_by("protocol", as_dict=True).items()
    }


def run_digests(table: pl.DataFrame) -> dict[tuple[str, str], dict[str, str | None]]:
    """Run → protocol → digest of the predicted classes, from the table `digests`."""
    digests: dict[tuple[str, str], dict[str, str | None]] = {}
    for *run, protocol, digest in table.select(list(table_schema("digests"))).iter_rows():
        digests.setdefault((run[0], run[1]), {})[protocol] = digest
    return digests


def times_of_machines(fits: pl.DataFrame, results: Path) -> pl.DataFrame:
    """One row for each fit and machine that made it, without fits that took no time."""
    columns = list(table_schema("times"))
    parts, others = [fits.select(columns)], results / "times.parquet"
    if others.exists():
        of_fits = read_parquet(others).select(columns)
        parts.append(of_fits.join(fits, on=list(FIT), how="semi"))
    machine = pl.col("machine").fill_null(UNKNOWN)
    return pl.concat(parts).filter(pl.col("fit_seconds").is_not_null()).with_columns(machine)


def median_seconds(times: pl.DataFrame) -> dict[tuple[str, str], float]:
    """(data set, method) → median seconds of a fit, on the machine that made most fits, without learning curves."""
    whole = ~pl.col("protocol").str.starts_with(f"{CURVE}@")  # their fits use fewer rows
    times = times.filter(pl.col("fit_seconds").is_not_null(), whole)
    if times.is_empty():
        return {}
    fits = times.group_by("machine").len().sort("len", "machine", descending=[True, False])
    of_first = times.join(fits.head(1), on="machine", how="semi").group_by("dataset", "method")
    medians = of_first.agg(pl.col("fit_seconds").median().clip(1e-9))
    return {(dataset, method): seconds for dataset, method, seconds in medians.iter_rows()}


def times_table(times: pl.DataFrame) -> pl.DataFrame:
    """tables/times.csv: cost of a run on a machine; fit_seconds and predict_seconds are sums."""
    seconds, keys = pl.col("fit_seconds"), ("dataset", "method", "machine")
    costs = times.group_by(keys).agg(
        fits=pl.len(),
        fit_seconds=seconds.sum(),
        median_fit_seconds=seconds.median(),
        predict_seconds=pl.col("predict_seconds").sum(),
        peak_rss_mb=pl.col("peak_rss_mb").max(),
    )
    return costs.sort(keys)


@dataclass(frozen=True)
class PlaneGrid:
    """The grid x (g,), y (h,) and what is predicted at its points.

    labels      classes (fits, h, g), −1 without a prediction
    margins     of the scores (fits, K, h, g) (data/plane.py), NaN away from boundaries and for fits
                without scores; None if no fit has any
    """

    x: np.ndarray
    y: np.ndarray
    labels: np.ndarray
    margins: np.ndarray | None = None

    @classmethod
    def read(cls, path: Path) -> PlaneGrid:
        with opened_npz(path) as arrays:
            return cls(arrays["x"], arrays["y"], arrays["labels"], arrays.get("margins"))

    def select_fits(self, some: np.ndarray) -> PlaneGrid:
        margins = None if self.margins is None else self.margins[some]
        return replace(self, labels=self.labels[some], margins=margins)

    def from_classes(self) -> np.ndarray:
        """Whether the boundaries of each fit (fits,) are known by its classes alone."""
        several = np.any(self.labels != self.labels[:, :1, :1], axis=(1, 2))
        if self.margins is None:
            return several
        return several & np.isnan(self.margins).all(axis=(1, 2, 3))

    def fields(self, fit: int, n_classes: int) -> np.ndarray:
        """Fields (K, h, g) of one fit: positive in the region of a class, negative outside, linear in between.

        Without scores they are the regions themselves, blurred to smooth the steps of the grid.
        """
        inside = self.labels[fit] == np.arange(n_classes)[:, None, None]
        margins = None if self.margins is None else self.margins[fit]
        if margins is not None and not np.isnan(margins).all():
            return np.where(np.isnan(margins), np.where(inside, 1.0, -1.0), margins)
        rows, columns = map(_blur, inside.shape[1:])
        return rows @ inside @ columns.T - 0.5


@cache
def _blur(size: int) -> np.ndarray:
    """Matrix (size, size) of a Gaussian filter that extends a row of values by its ends; SciPy's is slow to import."""
    offsets = np.arange(-6, 7)
    shares = np.exp(-0.5 * (offsets / 1.5) ** 2)
    matrix, places = np.zeros((size, size)), np.arange(size)
    for offset, share in zip(offsets, shares / shares.sum(), strict=True):
        matrix[places, np.clip(places + offset, 0, size - 1)] += share
    return matrix


@dataclass(frozen=True)
class Outcome:
    """A results folder with the configuration of its study.

    results     the folder
    datasets    name → entry of the catalogue, in the study's order; likewise methods
    evaluation  folds, repeats, tune_metric, …; limits likewise
    parameters  method → facts of its class that the entry does not have, such as natural limits
    figure_style  width and font of figures
    part        name of the data set, if scores and fits are restricted to one
    read        cache of `cached` and of the predictions of some runs
    """

    results: Path
    datasets: Mapping[str, Mapping[str, Any]]
    methods: Mapping[str, Mapping[str, Any]]
    evaluation: Mapping[str, Any]
    limits: Mapping[str, Any] = field(default_factory=dict)
    parameters: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)
    figure_style: Mapping[str, str] = field(default_factory=dict)
    part: str = ""
    read: dict[str, Any] = field(default_factory=dict, init=False, compare=False, repr=False)

    @classmethod
    def of(cls, results: str, part: str = "") -> Outcome:
        """Outcome of the study that Snakemake's jobs read; `part` restricts it to one data set."""
        study = read_resolved(results)
        datasets = {part: study["datasets"][part]} if part else study["datasets"]
        names = ("methods", "evaluation", "limits", "parameters", "figure_style")
        parts = {name: study[name] for name in names}
        return cls(Path(results), datasets, **parts, part=part)

    @property
    def metric(self) -> str:
        """The metric by which tuning chooses and methods are ranked."""
        return self.evaluation["tune_metric"]

    def protocol(self, dataset: str) -> str:
        """The main protocol of a data set, on which answer, ranks and figures are based: its first one."""
        return next(iter(of_dataset(self.evaluation, self.about(dataset))))

    @cached_property
    def main_protocols(self) -> dict[str, list[str]]:
        """Main protocol → its data sets, in the order of the study's protocols."""
        datasets_of: dict[str, list[str]] = {
            name: [] for name in selected_protocols(self.evaluation)
        }
        for dataset in self.datasets:
            datasets_of[self.protocol(dataset)].append(dataset)
        return {protocol: datasets for protocol, datasets in datasets_of.items() if datasets}

    @cached_property
    def labels(self) -> Labels:
        return Labels.of(self.methods, self.datasets)

    @cached_property
    def scores(self) -> pl.DataFrame:
        return self._table("scores")

    @cached_property
    def fits(self) -> pl.DataFrame:
        return self._table("fits")

    def _table(self, name: str) -> pl.DataFrame:
        path = f"{name}/{self.part}.parquet" if self.part else f"{name}.parquet"
        return read_parquet(self.results / path)

    def cached(self, key: str, make: Callable[[], T]) -> T:
        """What `make` returns, which is called once."""
        if key not in self.read:
            self.read[key] = make()
        value: T = self.read[key]
        return value

    def parts(self) -> dict[str, Outcome]:
        """Data set → an Outcome restricted to its scores, fits and times, which are read and partitioned once."""

        def restricted() -> dict[str, Outcome]:
            part_of = {
                name: replace(self, datasets={name: entry}) for name, entry in self.datasets.items()
            }
            for own in part_of.values():  # unique among those of all data sets
                own.__dict__["labels"] = self.labels
            for name in ("scores", "fits", "times"):
                table = getattr(self, name)
                parts, empty = table.partition_by("dataset", as_dict=True), table.clear()
                for dataset, rows in part_of.items():  # the cache of cached_property
                    rows.__dict__[name] = parts.get((dataset,), empty)
            return part_of

        return self.cached("parts", restricted)

    @cached_property
    def times(self) -> pl.DataFrame:
        """Seconds and memory of each fit on each machine; they are comparable within one machine only."""
        return times_of_machines(self.fits, self.results)

    @cached_property
    def digests(self) -> dict[tuple[str, str], dict[str, str | None]]:
        """Runs without predictions → protocol → digest of the predicted classes."""
        path = self.results / "digests.parquet"
        return run_digests(read_parquet(path)) if path.exists() else {}

    def about(self, dataset: str) -> dict[str, Any]:
        """results/data/{dataset}.json: classes, sizes, source, or why it is unavailable."""
        path = self.results / "data" / f"{dataset}.json"
        return self.cached(f"about {dataset}", lambda: read_about(path))

    def checks(self, dataset: str) -> dict[str, Any]:
        """results/checks/{dataset}.json: facts about rows and columns; {} if they are missing."""
        path = self.results / "checks" / f"{dataset}.json"
        return read_mapping(path) if path.exists() else {}

    def run_table(self, table: str, dataset: str, method: str) -> pl.DataFrame | None:
        """An optional table of a run: coefficients, tuning, paths or traces; None if it is missing."""
        path = self.results / "runs" / dataset / method / f"{table}.parquet"
        if not path.exists():
            return None
        return pl.concat([frame(table), read_parquet(path)], how="diagonal")

    def boundary(self, dataset: str, method: str) -> PlaneGrid | None:
        """What each fold predicts on the plane of the data set; None without a plane."""
        path = self.results / "runs" / dataset / method / "boundary.npz"
        return PlaneGrid.read(path) if path.exists() else None
