"""The work of the jobs that fit: compute the runs of a bundle that are not up to date, or a shard of a heavy run.

A heavy run is distributed to several jobs and gathered afterwards. Its fits are independent and have their own seeds,
so the files of the run are those of the undivided run, byte for byte.

shards/{dataset}@{method}@{shards}/{shard}.npz    outcomes of its fits; deleted when the run's files exist

A job on a cluster may outlive its Snakemake or its node's connection to Slurm; its work is then submitted again. So a
process locks one byte of runs/{dataset}/.claims while it computes a run, and a second one waits. POSIX locks work on
file systems shared by several hosts, and are released when their process ends in any way.
"""

from __future__ import annotations

import fcntl
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from functools import cache
from pathlib import Path
from typing import Any

from linclass_study.errors import StudyError
from linclass_study.execution import fit_run, fit_store, run_files
from linclass_study.execution.features import axes_and_reason
from linclass_study.execution.fit_run import (
    PlannedRun,
    RowDigests,
    SharedChild,
    fit_and_predict,
    owner_of,
)
from linclass_study.execution.fit_store import UNFINISHED, EarlierFits, RunsOfDataset, UnfinishedRun
from linclass_study.execution.folds import ensure_folds, read_plan
from linclass_study.execution.slurm import enough_memory
from linclass_study.files import environment
from linclass_study.files.digests import digest_of_file, short_digest
from linclass_study.files.logs import KeptLog, print_kept_log
from linclass_study.files.reading import read_about
from linclass_study.files.resolved_study import read_fits
from linclass_study.files.tables import FIT
from linclass_study.files.writing import atomic_write, refuse_for_full_disk

# entry of a method, digests of the code of its fits and of its tables, its foreign libraries with versions, the name of
# its features
MethodSpec = Mapping[str, Any]
CLAIMS = ".claims"
# keys of a task that describe the data, not how to tune
OF_DATA = ("n_classes", "classes", "positive", "costs")


class SharedInputs:
    """Inputs that the runs on a data set share."""

    def __init__(
        self,
        results: Path,
        dataset: str,
        evaluation: Mapping[str, Any],
        limits: Mapping[str, float],
    ):
        self.results, self.dataset = results, dataset
        self.evaluation, self.limits = evaluation, limits
        self.about = read_about(results / "data" / f"{dataset}.json")
        self.folds = results / "folds" / f"{dataset}.parquet"
        self.plan = read_plan(str(self.folds), self.about, evaluation)
        self.task = fit_run.task(self.about, evaluation)
        self.runs = RunsOfDataset(results, dataset)
        of_data = {key: self.task[key] for key in OF_DATA}
        status = [self.about.get(key) for key in ("status", "reason", "digest")]
        # everything that a run uses of the data set: rows, folds, classes and costs
        self._data = cache(
            lambda file: run_files.digest_of(
                [digest_of_file(file), digest_of_file(self.folds)], status, of_data
            )
        )
        self._rows = cache(lambda file: RowDigests(file, of_data, str(self.about.get("digest"))))

    def folder(self, method: str) -> Path:
        return self.results / "runs" / self.dataset / method

    def features(self, spec: MethodSpec) -> Path:
        return self.results / "features" / self.dataset / f"{spec['features']}.npz"

    def run_of(self, method: str, spec: MethodSpec) -> PlannedRun:
        """The run of a method, with all planned fits. Its environment is recorded first, as the job may be killed."""
        return PlannedRun(
            self.dataset,
            method,
            spec["entry"],
            str(self.features(spec)),
            self.plan,
            self.task,
            self.evaluation["seed"],
            self.evaluation.get("traces", False),
            environment.record(self.results, spec.get("libraries")),
            self.specified(spec).recipe,
            self._rows(self.features(spec)),
        )

    def fit(
        self,
        method: str,
        spec: MethodSpec,
        child: SharedChild,
        unfinished: UnfinishedRun,
        part: tuple[int, int] = (1, 1),
    ) -> run_files.Records:
        """Outcomes of the fits of a run, or of a part of them; earlier ones that are still valid are reused."""
        runs = self.runs.by_recipe(method, self.specified(spec).recipe)
        earlier = EarlierFits(runs, spec["entry"], run_files.Limits.of(self.limits), unfinished)
        with enough_memory():
            records = fit_and_predict(self.run_of(method, spec), child, part, earlier)
        refuse_for_full_disk(records.reasons(), unfinished.path.parent)
        return records

    def inputs_of(self, spec: MethodSpec) -> run_files.RunInputs:
        """Everything that the run of a method depends on."""
        return self.specified(spec).inputs(self._data(self.features(spec)))

    def specified(self, spec: MethodSpec) -> run_files.RunSpec:
        tables = spec.get("tables", "")
        return run_files.RunSpec(spec["entry"], spec["code"], self.evaluation, self.limits, tables)

    def save(self, method: str, records: run_files.Records, inputs: run_files.RunInputs) -> None:
        """Write the files of a run; fits that only the previous files contained stay in the store."""
        fit_store.replace(self.results, self.dataset, method)
        records.write(self.folder(method), inputs)
        fit_store.forget_contained(self.results, self.dataset, inputs["recipe"], records.added)


def fit_bundle(results: Path, bundle: str, out: Path) -> None:
    """The job of a bundle: folds, the files of its runs, and their manifest."""
    runs, evaluation, limits = read_fits(results, bundle)
    for dataset in runs:
        ensure_folds(results, dataset, evaluation)
    run_files.write_manifest(out, compute_bundle(results, runs, evaluation, limits))


def only_run(results: Path, bundle: str) -> tuple[SharedInputs, str, MethodSpec]:
    """The heavy run of a bundle that has no other."""
    runs, evaluation, limits = read_fits(results, bundle)
    ((dataset, methods),) = runs.items()
    ((method, spec),) = methods.items()
    ensure_folds(results, dataset, evaluation)
    return SharedInputs(results, dataset, evaluation, limits), method, spec


def compute_bundle(
    results: Path,
    bundle: Mapping[str, Mapping[str, MethodSpec]],
    evaluation: Mapping[str, Any],
    limits: Mapping[str, float],
) -> dict[str, dict[str, Any]]:
    """dataset/method → run_files.recorded_run of its run, after computing it if necessary.

    `bundle` maps a data set to its methods. Those with the same child and feature file follow each other.
    """
    recorded: dict[str, dict[str, Any]] = {}
    with SharedChild(limits) as child:
        for dataset, methods in bundle.items():
            shared = SharedInputs(results, dataset, evaluation, limits)
            owners = {m: (owner_of(m, s["entry"]), s["features"]) for m, s in methods.items()}
            for method in sorted(methods, key=owners.__getitem__):
                print(f"== {dataset} × {method}", flush=True)
                recorded[f"{dataset}/{method}"] = computed_run(
                    shared, method, methods[method], child
                )
    return recorded


def computed_run(
    shared: SharedInputs, method: str, spec: MethodSpec, child: SharedChild
) -> dict[str, Any]:
    """run_files.recorded_run of the run, which is computed first if its files had other inputs."""
    folder, inputs = shared.folder(method), shared.inputs_of(spec)
    with run_lock(folder):
        if (record := run_files.current_run(folder, inputs)) is not None:
            print("   is up to date", flush=True)
            print_kept_log(folder)
            return record
        log = KeptLog(folder)
        unfinished = UnfinishedRun(folder / UNFINISHED)
        records = shared.fit(method, spec, child, unfinished)
        shared.save(method, records, inputs)
        log.keep(failed=bool(records.reasons()))  # the log of the previous files went with them
        unfinished.forget()
    return _recorded(folder)


def _recorded(folder: Path) -> dict[str, Any]:
    record = run_files.recorded_run(folder)
    assert record is not None
    return record


def compute_shard(
    shared: SharedInputs, method: str, spec: MethodSpec, part: tuple[int, int], out: Path
) -> None:
    """The job of a shard: compute the fits of `part`, (number, total), of a run; none if its files are up to date."""
    with run_lock(out):
        added: list[run_files.Added] | None = None
        unfinished = UnfinishedRun(out.with_name(f"{out.stem}.{UNFINISHED}"))
        if run_files.current_run(shared.folder(method), shared.inputs_of(spec)) is None:
            with SharedChild(shared.limits) as child:
                added = shared.fit(method, spec, child, unfinished, part).added
        with atomic_write(out) as partial:
            partial.write_bytes(run_files.outcomes_to_bytes(added))
        unfinished.forget()


def gather(
    shared: SharedInputs, method: str, spec: MethodSpec, parts: Iterable[Path]
) -> dict[str, dict[str, Any]]:
    """The job after all shards: write the run's files from theirs; return its entry in the manifest."""
    inputs, folder = shared.inputs_of(spec), shared.folder(method)
    shards = {part: run_files.outcomes_from_bytes(part, part.read_bytes()) for part in parts}
    with run_lock(folder):
        if run_files.current_run(folder, inputs) is None:
            # a shard made no fits if the run's files were up to date
            if empty := [part for part, added in shards.items() if added is None]:
                for part in empty:
                    part.unlink()
                raise StudyError(
                    f"{shared.dataset} × {method}: its files were deleted meanwhile; run again to fit it again"
                )
            added = [outcome for outcomes in shards.values() for outcome in outcomes or ()]
            by_fit = {tuple(outcome[0][name] for name in FIT[2:]): outcome for outcome in added}
            axes, _ = axes_and_reason(shared.features(spec))
            records = run_files.Records(axes, shared.plan.on_plane)
            for rows in shared.plan.fits:  # in the order of the undivided run
                records.add(*by_fit[rows.name])
            shared.save(method, records, inputs)
    return {f"{shared.dataset}/{method}": _recorded(folder)}


@contextmanager
def run_lock(run: Path) -> Iterator[None]:
    """Hold the lock of the run in this folder, runs/{dataset}/{method}: a byte of a file that stays empty."""
    run.parent.mkdir(parents=True, exist_ok=True)
    place = int(short_digest(run.name, size=7), 16)
    with open(run.parent / CLAIMS, "ab") as file:  # closing releases the lock
        try:
            fcntl.lockf(file, fcntl.LOCK_EX | fcntl.LOCK_NB, 1, place)
        except (BlockingIOError, PermissionError):
            print(f"{run}: another process computes this run; waiting until it ends", flush=True)
            fcntl.lockf(file, fcntl.LOCK_EX, 1, place)
        except OSError as error:
            none = f"this file system has no locks ({error.strerror})"
            print(f"{run}: {none}; going on without", flush=True)
        yield
