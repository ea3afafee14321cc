"""The results folder of a study, read on demand.

Figures and the report depend on an Outcome alone, so each can be redrawn from the folder: predictions are the raw
results, and everything else is derived from them.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import Path
from typing import Any

import polars as pl

from linclass_study.analysis.method_styles import method_styles
from linclass_study.analysis.plane_grid import PlaneGrid
from linclass_study.analysis.times import of_all_machines
from linclass_study.files.reading import read_about, read_mapping, read_parquet
from linclass_study.files.resolved_study import read_resolved
from linclass_study.files.tables import frame
from linclass_study.pipeline.protocols import of_dataset, selected_protocols


@dataclass(frozen=True)
class Outcome:
    """A results folder with the configuration of its study.

    results     the folder
    datasets    name → entry of the catalogue, in the study's order; likewise methods
    evaluation  folds, repeats, tune_metric, …; limits likewise
    positions   method → its position in the catalogue, which determines its style (analysis/method_styles.py)
    parameters  method → facts of its class that the entry does not have, such as natural limits
    part        name of the data set, if scores and fits are restricted to one
    read        cache of what was read of the runs, and of what is asked for again and again
    """

    results: Path
    datasets: Mapping[str, Mapping[str, Any]]
    methods: Mapping[str, Mapping[str, Any]]
    evaluation: Mapping[str, Any]
    limits: Mapping[str, Any] = field(default_factory=dict)
    positions: Mapping[str, int] = field(default_factory=dict)
    parameters: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)
    part: str = ""
    read: dict[str, Any] = field(default_factory=dict, init=False, compare=False, repr=False)

    @classmethod
    def of(cls, results: str, part: str = "") -> Outcome:
        """Of the study that the jobs of Snakemake read; `part` restricts it to one data set."""
        study = read_resolved(results)
        datasets = {part: study["datasets"][part]} if part else study["datasets"]
        names = ("methods", "evaluation", "limits", "positions", "parameters")
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
        own = {dataset: self.protocol(dataset) for dataset in self.datasets}
        found = {
            protocol: [dataset for dataset in own if own[dataset] == protocol]
            for protocol in selected_protocols(self.evaluation)
        }
        return {protocol: datasets for protocol, datasets in found.items() if datasets}

    def position(self, method: str) -> int:
        """Number of the method's style in figures and tables."""
        return self._method_styles[method]

    @cached_property
    def _method_styles(self) -> dict[str, int]:
        return method_styles(self.methods, self.positions)

    @cached_property
    def scores(self) -> pl.DataFrame:
        return self._table("scores")

    @cached_property
    def fits(self) -> pl.DataFrame:
        return self._table("fits")

    def _table(self, name: str) -> pl.DataFrame:
        path = f"{name}/{self.part}.parquet" if self.part else f"{name}.parquet"
        return read_parquet(self.results / path)

    def parts(self) -> dict[str, Outcome]:
        """Data set → an Outcome restricted to its scores, fits and times, which are read and partitioned once."""
        if "parts" not in self.read:
            self.read["parts"] = self._parts()
        return dict(self.read["parts"])

    def _parts(self) -> dict[str, Outcome]:
        tables = {
            name: getattr(self, name).partition_by("dataset", as_dict=True, include_key=True)
            for name in ("scores", "fits", "times")
        }
        found = {}
        for dataset in self.datasets:
            own = replace(self)
            for name, parts in tables.items():
                empty = getattr(self, name).clear()
                own.__dict__[name] = parts.get((dataset,), empty)  # the cache of cached_property
            found[dataset] = own
        return found

    @cached_property
    def times(self) -> pl.DataFrame:
        """Seconds and memory of each fit on each machine; they are comparable within one machine only."""
        return of_all_machines(self.fits, self.results)

    def about(self, dataset: str) -> dict[str, Any]:
        """results/data/{dataset}.json: classes, sizes, source, or why it is unavailable."""
        return read_about(self.results / "data" / f"{dataset}.json")

    def checks(self, dataset: str) -> dict[str, Any]:
        """results/checks/{dataset}.json: facts about rows and columns; {} for older results."""
        path = self.results / "checks" / f"{dataset}.json"
        return read_mapping(path) if path.exists() else {}

    def kept(self, table: str, dataset: str, method: str) -> pl.DataFrame | None:
        """An optional table of a run: coefficients, tuning, paths or traces; None if it is missing."""
        path = self.results / "runs" / dataset / method / f"{table}.parquet"
        if not path.exists():
            return None
        return pl.concat([frame(table), read_parquet(path)], how="diagonal")

    def boundary(self, dataset: str, method: str) -> PlaneGrid | None:
        """What each fold predicts on the plane of the data set; None without a plane."""
        path = self.results / "runs" / dataset / method / "boundary.npz"
        return PlaneGrid.read(path) if path.exists() else None
