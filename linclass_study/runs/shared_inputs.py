"""What the runs on one data set share, read once: classes, folds, planned fits and the task."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from linclass_study import environment
from linclass_study.runs import run, run_files
from linclass_study.runs.folds import read_plan
from linclass_study.runs.run import PlannedRun

# of a method: its entry, the digest of its code, its foreign libraries with versions, the name of its features
MethodSpec = Mapping[str, Any]
OF_DATA = ("n_classes", "classes", "positive", "costs")  # of a task; how to tune is asked of a run


class SharedInputs:
    def __init__(self, results: Path, dataset: str, evaluation: Mapping[str, Any]):
        about = results / "data" / f"{dataset}.json"
        self.results, self.dataset, self.evaluation = results, dataset, evaluation
        self.about = json.loads(about.read_text(encoding="utf-8"))
        self.folds = results / "folds" / f"{dataset}.parquet"
        self.plan = read_plan(str(self.folds), self.about, evaluation)
        self.task = run.task(self.about, evaluation)
        self._digests: dict[str, str] = {}

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
        )

    def inputs_of(self, spec: MethodSpec, limits: Mapping[str, float]) -> run_files.RunInputs:
        """Digests of everything that the run of a method depends on."""
        specified = spec["entry"], spec["code"], self.evaluation, limits
        return run_files.RunInputs(
            run_files.asked_of(*specified),
            self._digest_of_rows(spec["features"]),
            run_files.parts_of(*specified),
        )

    def _digest_of_rows(self, features: str) -> str:
        """Digest of everything that a fit uses of the data set: rows, folds, classes and costs."""
        if features not in self._digests:
            paths = (self.features(features), self.folds)
            files = [run_files.digest_of_file(path) for path in paths]
            about = [self.about.get(key) for key in ("status", "reason", "digest")]
            of_data = {key: self.task[key] for key in OF_DATA}
            self._digests[features] = run_files.digest_of(files, about, of_data)
        return self._digests[features]
