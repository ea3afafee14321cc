"""What the runs on one data set share, read once: classes, folds, planned fits and the task."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from linclass_study.execution import run
from linclass_study.execution.earlier_fits import EarlierFits
from linclass_study.execution.fit_store import RunsOfDataset
from linclass_study.execution.folds import read_plan
from linclass_study.execution.row_digests import RowDigests
from linclass_study.execution.run import PlannedRun
from linclass_study.execution.run_files import RunInputs, digest_of, digest_of_file
from linclass_study.execution.run_spec import RunSpec
from linclass_study.execution.shared_child import limits_of_fit
from linclass_study.execution.unfinished_run import UnfinishedRun
from linclass_study.files.reading import read_about
from linclass_study.processes import environment

# of a method: its entry, digests of the code of its fits and of that of the tables, its foreign libraries with
# versions, the name of its features
MethodSpec = Mapping[str, Any]
OF_DATA = ("n_classes", "classes", "positive", "costs")  # of a task; how to tune is asked of a run


class SharedInputs:
    def __init__(self, results: Path, dataset: str, evaluation: Mapping[str, Any]):
        about = results / "data" / f"{dataset}.json"
        self.results, self.dataset, self.evaluation = results, dataset, evaluation
        self.about = read_about(about)
        self.folds = results / "folds" / f"{dataset}.parquet"
        self.plan = read_plan(str(self.folds), self.about, evaluation)
        self.task = run.task(self.about, evaluation)
        self.runs = RunsOfDataset(results, dataset)
        self._digests: dict[str, str] = {}
        self._rows: dict[str, RowDigests] = {}

    def folder(self, method: str) -> Path:
        """The folder of a run."""
        return self.results / "runs" / self.dataset / method

    def features(self, name: str) -> Path:
        """The file of features with this name."""
        return self.results / "features" / self.dataset / f"{name}.npz"

    def run_of(self, method: str, spec: MethodSpec) -> PlannedRun:
        """The run of a method, with all planned fits. Its environment is recorded first, as the job may be killed."""
        return PlannedRun(
            self.dataset,
            method,
            spec["entry"],
            str(self.features(spec["features"])),
            self.plan,
            self.task,
            self.evaluation["seed"],
            self.evaluation.get("traces", False),
            environment.record(self.results, spec.get("libraries")),
            self._specified(spec).recipe,
            self._row_digests(spec["features"]),
        )

    def earlier_fits(
        self, method: str, spec: MethodSpec, limits: Mapping[str, float], unfinished: UnfinishedRun
    ) -> EarlierFits:
        """Outcomes that the fits of a run may take over."""
        runs = self.runs.by_recipe(method, self._specified(spec).recipe)
        return EarlierFits(runs, spec["entry"], limits_of_fit(limits), unfinished)

    def inputs_of(self, spec: MethodSpec, limits: Mapping[str, float]) -> RunInputs:
        """Everything that the run of a method depends on."""
        asked = self._specified(spec, limits)
        rows = self._digest_of_rows(spec["features"])
        return RunInputs(
            asked.asked, rows, asked.recipe, asked.parts, asked.protocols, asked.tables
        )

    def _specified(self, spec: MethodSpec, limits: Mapping[str, float] | None = None) -> RunSpec:
        tables = spec.get("tables", "")
        return RunSpec(spec["entry"], spec["code"], self.evaluation, limits or {}, tables)

    def _row_digests(self, features: str) -> RowDigests:
        if features not in self._rows:
            of_data = {key: self.task[key] for key in OF_DATA}
            path, content = self.features(features), str(self.about.get("digest"))
            self._rows[features] = RowDigests(path, of_data, content)
        return self._rows[features]

    def _digest_of_rows(self, features: str) -> str:
        """Digest of everything that a run uses of the data set: rows, folds, classes and costs."""
        if features not in self._digests:
            paths = (self.features(features), self.folds)
            files = [digest_of_file(path) for path in paths]
            about = [self.about.get(key) for key in ("status", "reason", "digest")]
            of_data = {key: self.task[key] for key in OF_DATA}
            self._digests[features] = digest_of(files, about, of_data)
        return self._digests[features]
