"""Compute the runs of a job that are not up to date."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from linclass_study.disk_space import refuse_for_full_disk
from linclass_study.runs import run, run_files, unfinished_run
from linclass_study.runs.folds import read_plan
from linclass_study.runs.run import fit_and_predict
from linclass_study.runs.run_files import recorded_run
from linclass_study.runs.run_lock import run_lock
from linclass_study.runs.shared_child import SharedChild, owner_of
from linclass_study.runs.slurm_memory import enough_memory
from linclass_study.runs.unfinished_run import UnfinishedRun

Methods = Mapping[str, Mapping[str, Any]]  # method → its entry, code and name of features


def compute_bundle(
    results: Path,
    bundle: Mapping[str, Methods],
    evaluation: Mapping[str, Any],
    limits: Mapping[str, float],
) -> dict[str, dict[str, Any]]:
    """dataset/method → run_files.recorded_run of its run, after computing it if necessary.

    `bundle` maps a data set to its methods.
    """
    made: dict[str, dict[str, Any]] = {}
    with SharedChild(limits) as child:
        for dataset, methods in bundle.items():
            data = Data(results, dataset, evaluation)
            for method in in_turn(methods):
                print(f"== {dataset} × {method}", flush=True)
                record = up_to_date(data, method, methods[method], limits, child)
                made[f"{dataset}/{method}"] = record
    total = sum(os.times()[:4])  # of this process and its ended children
    print(f"== processor time: {child.fitting:.2f} s in fits, {total - child.fitting:.2f} s beside")
    return made


class Data:
    """What the runs on one data set share, read once."""

    def __init__(self, results: Path, dataset: str, evaluation: Mapping[str, Any]):
        about = results / "data" / f"{dataset}.json"
        self.results, self.dataset, self.evaluation = results, dataset, evaluation
        self.about = json.loads(about.read_text(encoding="utf-8"))
        self.folds = results / "folds" / f"{dataset}.parquet"
        self.plan = read_plan(str(self.folds), self.about, evaluation)
        self.task = run.task(self.about, evaluation)
        self._digests: dict[str, str] = {}

    def features(self, name: str) -> Path:
        return self.results / "features" / self.dataset / f"{name}.npz"

    def folder(self, method: str) -> Path:
        return self.results / "runs" / self.dataset / method

    def made_of(self, about: Mapping[str, Any], limits: Mapping[str, float]) -> run_files.RunInputs:
        asked = asked_of(about["entry"], about["code"], self.evaluation, limits)
        return run_files.RunInputs(asked, self.digest(about["features"]))

    def digest(self, features: str) -> str:
        """Digest of everything that a fit uses of the data set: rows, folds, classes and costs."""
        if features not in self._digests:
            files = [
                run_files.digest_of_file(path) for path in (self.features(features), self.folds)
            ]
            about = [self.about.get(key) for key in ("status", "reason", "digest")]
            self._digests[features] = run_files.digest_of(files, about, self.task)
        return self._digests[features]


def up_to_date(
    data: Data,
    method: str,
    about: Mapping[str, Any],
    limits: Mapping[str, float],
    child: SharedChild,
) -> dict[str, Any]:
    """run_files.recorded_run of the run, which is computed first if its files had other inputs."""
    folder, made_of = data.folder(method), data.made_of(about, limits)
    with run_lock(folder):
        if (record := current(folder, made_of)) is not None:
            print("   is up to date", flush=True)
            return record
        unfinished = UnfinishedRun(folder / unfinished_run.FILE, made_of)
        with enough_memory():
            records = fit_and_predict(
                dataset=data.dataset,
                method=method,
                entry=about["entry"],
                features=str(data.features(about["features"])),
                plan=data.plan,
                task=data.task,
                seed=data.evaluation["seed"],
                limits=limits,
                child=child,
                traces=data.evaluation.get("traces", False),
                unfinished=unfinished,
            )
        refuse_for_full_disk(records.reasons(), folder)
        records.write(folder, made_of)
        unfinished.forget()
    record = recorded_run(folder)
    assert record is not None
    return record


def current(folder: Path, made_of: run_files.RunInputs) -> dict[str, Any] | None:
    record = recorded_run(folder)
    same = record is not None and run_files.RunInputs(record["asked"], record["rows"]) == made_of
    return record if same else None


def asked_of(
    entry: Mapping[str, Any],
    code: str,
    evaluation: Mapping[str, Any],
    limits: Mapping[str, float],
) -> str:
    """Digest of everything that a study specifies for a run; known before the data."""
    return run_files.digest_of(entry, code, evaluation, limits)


def in_turn(methods: Methods) -> Iterator[str]:
    """Methods ordered so that those with the same child and feature file follow each other."""

    def turn(method: str) -> tuple[str, str]:
        about = methods[method]
        return owner_of(method, about["entry"]), about["features"]

    yield from sorted(methods, key=turn)
