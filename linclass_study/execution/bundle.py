"""Compute the runs of a job that are not up to date."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from linclass_study.execution import fit_store, unfinished_run
from linclass_study.execution.kept_log import KeptLog, print_kept_log
from linclass_study.execution.run import fit_and_predict
from linclass_study.execution.run_files import current_run, recorded_run, rewrite_inputs
from linclass_study.execution.run_lock import run_lock
from linclass_study.execution.shared_child import SharedChild, owner_of
from linclass_study.execution.shared_inputs import MethodSpec, SharedInputs
from linclass_study.execution.slurm_memory import enough_memory
from linclass_study.execution.unfinished_run import UnfinishedRun
from linclass_study.files.disk_space import refuse_for_full_disk

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
        unfinished = UnfinishedRun(folder / unfinished_run.FILE)
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
