"""What a study left in its results folder, read when it is asked for.

Figures and the report take an outcome and nothing else, so each can be drawn anew from the
folder alone: predictions are the raw result, everything after them is derived.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl

from linclass_study.protocols import of_dataset

from linclass_study.results.method_styles import method_styles
from linclass_study.results.times import of_all_machines
from linclass_study.table_files import FIT as FIT
from linclass_study.table_files import frame

#: What a fit can end in. The first four give predictions, the others a row with a reason.
FITTED = ("converged", "max_iter", "separable", "rank_deficient")
UNFITTED = ("unavailable", "not_applicable", "failed", "timeout", "out_of_memory")
STATUSES = FITTED + UNFITTED


@dataclass(frozen=True)
class Outcome:
    """A results folder, with what the study asked for.

    results     the folder
    datasets    name → entry of the catalogue, in the study's order; likewise methods
    evaluation  folds, repeats, tune_metric, …; limits likewise
    positions   method → its place in the whole catalogue: the same look in every study (results/method_styles.py)
    part        a data set, where scores and fits are those of this one alone
    read        what was read of the runs already
    """

    results: Path
    datasets: Mapping[str, Mapping[str, Any]]
    methods: Mapping[str, Mapping[str, Any]]
    evaluation: Mapping[str, Any]
    limits: Mapping[str, Any] = field(default_factory=dict)
    positions: Mapping[str, int] = field(default_factory=dict)
    part: str = ""
    read: dict[str, Any] = field(default_factory=dict, init=False, compare=False, repr=False)

    @classmethod
    def of(cls, study: str) -> Outcome:
        """From what the Snakefile tells a job: the study's parts as JSON."""
        parts = json.loads(study)
        return cls(Path(parts.pop("results")), **parts)

    @property
    def metric(self) -> str:
        """The metric that tuning maximizes and methods are ranked by."""
        return self.evaluation["tune_metric"]

    def protocol(self, dataset: str) -> str:
        """The first of the study's protocols that the data set has: what the answer, ranks and figures are of."""
        return next(iter(of_dataset(self.evaluation, self.about(dataset))))

    def position(self, method: str) -> int:
        """Its look in figures and tables, which no other method of the study has."""
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
        return pl.read_parquet(self.results / path)

    def parts(self) -> dict[str, Outcome]:
        """Data set → an outcome of it whose scores, fits and times are its own: read once, divided once."""
        tables = {
            name: getattr(self, name).partition_by("dataset", as_dict=True, include_key=True)
            for name in ("scores", "fits", "times")
        }
        found = {}
        for dataset in self.datasets:
            own = replace(self)
            for name, parts in tables.items():
                empty = getattr(self, name).clear()
                own.__dict__[name] = parts.get((dataset,), empty)  # where cached_property keeps it
            found[dataset] = own
        return found

    @cached_property
    def times(self) -> pl.DataFrame:
        """Of each fit and machine: seconds and memory, which only one machine's are comparable."""
        return of_all_machines(self.fits, self.results)

    def about(self, dataset: str) -> dict[str, Any]:
        """results/data/{dataset}.json: classes, sizes, source, or why it is unavailable."""
        return json.loads((self.results / "data" / f"{dataset}.json").read_text(encoding="utf-8"))

    def checks(self, dataset: str) -> dict[str, Any]:
        """results/checks/{dataset}.json: what its rows and columns are like; {} of older results."""
        path = self.results / "checks" / f"{dataset}.json"
        return json.loads(path.read_text(encoding="utf-8")) if path.exists() else {}

    def kept(self, table: str, dataset: str, method: str) -> pl.DataFrame | None:
        """What a run kept beside its predictions: coefficients, tuning, paths or traces; None where it kept none."""
        path = self.results / "runs" / dataset / method / f"{table}.parquet"
        if not path.exists():
            return None
        return pl.concat([frame(table), pl.read_parquet(path)], how="diagonal")

    def boundary(
        self, dataset: str, method: str
    ) -> tuple[np.ndarray, np.ndarray, np.ndarray] | None:
        """Grid x (g,), y (g,), and the class code of each cell by each fold's fit (folds, g, g); if there is one."""
        path = self.results / "runs" / dataset / method / "boundary.npz"
        if not path.exists():
            return None
        with np.load(path) as arrays:
            return arrays["x"], arrays["y"], arrays["labels"]
