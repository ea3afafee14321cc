"""Compute the runs of a job that are not up to date, or a shard of a heavy run.

A heavy run is distributed to several jobs and gathered afterwards. Its fits are independent (jobs.py) and have their
own seeds, so the files of the run are those of the undivided run, byte for byte.

shards/{dataset}@{method}@{shards}/{shard}.npz    outcomes of its fits; deleted when the run's files exist

A job on a cluster may outlive its Snakemake or its node's connection to Slurm; its work is then submitted again. So a
process locks one byte of runs/{dataset}/.claims while it computes a run, and a second one waits. POSIX locks work on
file systems shared by several hosts, and are released when their process ends in any way.
"""

from __future__ import annotations

import fcntl
import hashlib
import os
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from linclass_study.errors import StudyError
from linclass_study.execution import earlier_fits, feature_file, fit_store, run
from linclass_study.execution.earlier_fits import EarlierFits, UnfinishedRun
from linclass_study.execution.fit_store import RunsOfDataset
from linclass_study.execution.folds import read_plan
from linclass_study.execution.records import Added, Records, outcomes_from_bytes, outcomes_to_bytes
from linclass_study.execution.run import (
    PlannedRun,
    RowDigests,
    SharedChild,
    fit_and_predict,
    limits_of_fit,
    owner_of,
)
from linclass_study.execution.run_files import (
    RunInputs,
    RunSpec,
    current_run,
    digest_of,
    digest_of_file,
    recorded_run,
    rewrite_inputs,
)
from linclass_study.execution.slurm import enough_memory
from linclass_study.files.logs import KeptLog, print_kept_log
from linclass_study.files.reading import read_about
from linclass_study.files.tables import FIT
from linclass_study.files.writing import atomic_write, refuse_for_full_disk
from linclass_study.processes import environment

# of a method: its entry, digests of the code of its fits and of that of the tables, its foreign libraries with
# versions, the name of its features
MethodSpec = Mapping[str, Any]
CLAIMS = ".claims"
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


Methods = Mapping[str, MethodSpec]


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
            shared = SharedInputs(results, dataset, evaluation)
            for method in by_child(methods):
                print(f"== {dataset} × {method}", flush=True)
                record = computed_run(shared, method, methods[method], limits, child)
                made[f"{dataset}/{method}"] = record
    total = sum(os.times()[:4])  # of this process and its ended children
    print(
        f"== processor time: {child.fitting:.2f} s in fits, {total - child.fitting:.2f} s in all else"
    )
    return made


def computed_run(
    shared: SharedInputs,
    method: str,
    spec: MethodSpec,
    limits: Mapping[str, float],
    child: SharedChild,
) -> dict[str, Any]:
    """run_files.recorded_run of the run, which is computed first if its files had other inputs."""
    folder, inputs = shared.folder(method), shared.inputs_of(spec, limits)
    with run_lock(folder):
        if (record := current_run(folder, inputs)) is not None:
            print("   is up to date", flush=True)
            print_kept_log(folder)
            return record
        log = KeptLog(folder)
        unfinished = UnfinishedRun(folder / earlier_fits.UNFINISHED)
        run = shared.run_of(method, spec)
        earlier = shared.earlier_fits(method, spec, limits, unfinished)
        made = [fit.made for fit in run.fits(child.limits_of_fit)]
        if (same := earlier.covering(folder, made)) and same.record["tables"] == inputs.tables:
            print("   none of its fits has changed", flush=True)
            rewrite_inputs(folder, inputs, same.made)
        else:
            with enough_memory():
                records = fit_and_predict(run, child, earlier=earlier)
            refuse_for_full_disk(records.reasons(), folder)
            fit_store.replace(shared.results, shared.dataset, method, records.added)
            log.keep(failed=bool(records.reasons()))
            records.write(folder, inputs)
            fit_store.forget_contained(shared.results, shared.dataset, inputs.recipe, records.added)
        unfinished.forget()
    record = recorded_run(folder)
    assert record is not None
    return record


def by_child(methods: Methods) -> Iterator[str]:
    """Methods ordered so that those with the same child and feature file follow each other."""

    def key(method: str) -> tuple[str, str]:
        spec = methods[method]
        return owner_of(method, spec["entry"]), spec["features"]

    yield from sorted(methods, key=key)


def compute_shard(
    shared: SharedInputs,
    method: str,
    spec: MethodSpec,
    limits: Mapping[str, float],
    part: tuple[int, int],
    out: Path,
) -> None:
    """Compute the fits of `part`, (number, total), of a run; none if its files are up to date."""
    inputs = shared.inputs_of(spec, limits)
    with run_lock(out):
        added: list[Added] | None = None
        unfinished = UnfinishedRun(out.with_name(f"{out.stem}.{earlier_fits.UNFINISHED}"))
        if current_run(shared.folder(method), inputs) is None:
            earlier = shared.earlier_fits(method, spec, limits, unfinished)
            with enough_memory(), SharedChild(limits) as child:
                records = fit_and_predict(shared.run_of(method, spec), child, part, earlier)
            refuse_for_full_disk(records.reasons(), out)
            added = records.added
        with atomic_write(out) as partial:
            partial.write_bytes(outcomes_to_bytes(added))
        unfinished.forget()


def gather(
    shared: SharedInputs,
    method: str,
    spec: MethodSpec,
    limits: Mapping[str, float],
    parts: Iterable[Path],
) -> dict[str, dict[str, Any]]:
    """Write the run's files from those of its shards; return its entry in the manifest."""
    inputs, folder = shared.inputs_of(spec, limits), shared.folder(method)
    found = {part: outcomes_from_bytes(part, part.read_bytes()) for part in parts}
    with run_lock(folder):
        if current_run(folder, inputs) is None:
            _refuse_without_fits(found, f"{shared.dataset} × {method}")
            axes, _ = feature_file.axes_and_reason(shared.features(spec["features"]))
            records = _in_order(
                [one for part in found.values() for one in part or ()], shared, axes
            )
            fit_store.replace(shared.results, shared.dataset, method, records.added)
            records.write(folder, inputs)
            fit_store.forget_contained(shared.results, shared.dataset, inputs.recipe, records.added)
    record = recorded_run(folder)
    assert record is not None
    return {f"{shared.dataset}/{method}": record}


def _refuse_without_fits(found: Mapping[Path, list[Added] | None], run: str) -> None:
    """Refuse shards without fits: the run's files were up to date then, and have been deleted since."""
    if without := [part for part, added in found.items() if added is None]:
        for part in without:
            part.unlink()
        raise StudyError(f"{run}: its files were deleted meanwhile; run again to fit it again")


def _in_order(added: list[Added], shared: SharedInputs, axes: Any) -> Records:
    """Records in the order of the undivided run."""
    by_fit = {tuple(one[0][name] for name in FIT[2:]): one for one in added}
    records = Records(axes, shared.plan.on_plane)
    for rows in shared.plan.fits:
        records.add(*by_fit[rows.protocol, rows.repeat, rows.fold])
    return records


@contextmanager
def run_lock(run: Path) -> Iterator[None]:
    """Hold the lock of the run in this folder, runs/{dataset}/{method}."""
    run.parent.mkdir(parents=True, exist_ok=True)
    file = os.open(run.parent / CLAIMS, os.O_RDWR | os.O_CREAT, 0o666)
    try:
        _lock(file, run)
        yield
    finally:
        os.close(file)  # releases the lock


def _lock(file: int, run: Path) -> None:
    place = _place(run.name)
    try:
        fcntl.lockf(file, fcntl.LOCK_EX | fcntl.LOCK_NB, 1, place)
    except (BlockingIOError, PermissionError):
        print(f"{run}: another process computes this run; waiting until it ends", flush=True)
        fcntl.lockf(file, fcntl.LOCK_EX, 1, place)
    except OSError as error:
        print(
            f"{run}: this file system has no locks ({error.strerror}); going on without", flush=True
        )


def _place(method: str) -> int:
    """Position of the byte that represents a method; the file itself stays empty."""
    return int.from_bytes(hashlib.blake2b(method.encode(), digest_size=7).digest())
