"""Run all planned fits of one method on one data set; each becomes a row, whatever its outcome.

The fits happen in a guarded child (worker.py); this process plans them and records their outcomes. Consecutive runs of
a job share the child, as starting Python and importing libraries costs more than most light runs. linclass and
scikit-learn keep no state between fits, so their methods share a child; any other estimator gets its own, because the
state of its module must not reach the fits of another method.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, replace
from itertools import groupby
from pathlib import Path
from typing import Any

import numpy as np

from linclass.tuning.folds import seed_of
from linclass_study.config.code import modules_named
from linclass_study.entries import Entry
from linclass_study.execution import run_files
from linclass_study.execution.features import axes_and_reason, digest_of_bytes
from linclass_study.execution.fit_store import EarlierFits
from linclass_study.execution.folds import Plan, Planned
from linclass_study.files.environment import machine
from linclass_study.files.reading import json_of, opened_npz
from linclass_study.files.tables import FIT
from linclass_study.processes.guard import Guard, GuardedResult

WORKER = "linclass_study.execution.worker:Worker"
STATELESS = {"linclass", "sklearn"}


class SharedChild:
    """Context manager of the child process that consecutive runs share."""

    def __init__(self, limits: Mapping[str, float]):
        self.limits, self.owner = limits, ""
        self._guard: Guard | None = None

    def __enter__(self) -> SharedChild:
        return self

    def __exit__(self, *_: object) -> None:
        if self._guard is not None:
            self._guard.__exit__()
            self._guard = None

    def guard_for(self, run: str, features: str, entry: Entry, task: Any) -> Guard:
        """The guard of the child, ready for the fits of this method on these features."""
        owner = owner_of(run, entry)
        arguments = {"features": features, "entry": entry, "task": task}
        if self._guard is None or owner != self.owner:
            self.__exit__()
            seconds, memory_mb, start = run_files.Limits.of(self.limits)
            self._guard = Guard(WORKER, arguments, seconds, memory_mb, start_seconds=start)
            self.owner = owner
        self._guard.use(arguments, f"importing {entry['classifier']} and loading the data")
        return self._guard


def owner_of(run: str, entry: Entry) -> str:
    """Owner of the child: linclass, if all classes of the entry belong to libraries without state; else the run."""
    modules = modules_named({**entry, "features": []})  # which another job computes
    packages = {module.partition(".")[0] for module in modules}
    return "linclass" if packages <= STATELESS else run


class RowDigests:
    """Digests of the rows of the fits on one file of features.

    shared    what the fits depend on in addition to the rows, such as costs
    content   digest of the data set, which stands for rows that stay in their file
    """

    def __init__(self, features: Path, shared: Any, content: str):
        with opened_npz(features) as arrays:
            about = json_of(arrays["keys_about"])
            columns = [arrays[name] for name in ("row_keys", "y", "groups") if name in arrays]
        self.grid = str(about["grid"])
        self.rows = np.column_stack([np.asarray(column).astype(np.uint64) for column in columns])
        kind = about["columns"], self.rows.shape[1], content if about["in_file"] else ""
        self._shared = json.dumps([shared, kind], default=str).encode()
        self._digests: dict[tuple[str, int, int], str] = {}

    def of_fit(self, planned: Planned) -> str:
        if planned.name not in self._digests:
            parts = [self.rows[planned.train], self.rows[planned.test]]
            if planned.is_leave_one_out:
                used = planned.used
                parts = [self.rows[used], planned.fold_of_row[used].astype(np.int64)]
            digest = digest_of_bytes(self._shared, *(part.tobytes() for part in parts))
            self._digests[planned.name] = digest
        return self._digests[planned.name]


@dataclass(frozen=True)
class PlannedRun:
    """A method on a data set, with everything that its fits depend on.

    entry         entry of the method, as in the catalogue
    features      path of the feature file
    task          classes, costs and how to tune, from the function `task`
    traces        whether to record the steps of solvers that support it
    environment   id of the environment of the fits
    recipe        digest of what all fits depend on, except their rows and seeds (run_files.py)
    digests       digests of the rows of the fits
    """

    dataset: str
    method: str
    entry: Entry
    features: str
    plan: Plan
    task: Mapping[str, Any]
    seed: int
    traces: bool = False
    environment: str | None = None
    recipe: str = ""
    digests: RowDigests | None = None

    def fits(self, limits: run_files.Limits, has_plane: bool = True) -> list[Fit]:
        """All planned fits under these limits; without `digests`, `has_plane` says whether there is a plane to predict.

        The seed of a fit does not depend on the method: all methods are tuned on the same inner folds.
        """
        points = "points" if has_plane else ""
        if self.digests:
            points = self.digests.grid
        traced = self.task["tune_metric"] if self.traces else ""
        fits = []
        for rows in self.plan.fits:
            seed = seed_of(self.seed, self.dataset, *rows.name)
            row = dict(zip(FIT, (self.dataset, self.method, *rows.name), strict=True)) | {
                "n_train": rows.n_train,
                "n_test": rows.n_test,
                "seed": seed,
                "machine": machine(),
                "environment": self.environment,
            }
            extras = run_files.extras_of(self.entry, traced, self.plan.on_plane, rows.name, points)
            key = ""
            if self.digests and self.digests.rows.size and rows.n_test:
                key = run_files.digest_of(self.recipe, self.digests.of_fit(rows), seed)
            fits.append(Fit(row, rows, run_files.Made(key, limits, extras)))
        return fits


@dataclass(frozen=True)
class Fit:
    """A planned fit: known columns of its row, its training and test rows, and what its outcome depends on."""

    row: dict[str, Any]
    rows: Planned
    made: run_files.Made

    @property
    def fold(self) -> tuple[np.ndarray, np.ndarray, int, bool]:
        """Arguments of the worker: used rows, test rows, seed, whether to predict the points of the plane."""
        return self.rows.used, self.rows.test, self.row["seed"], self.made.on_plane

    @property
    def details(self) -> tuple[str, ...]:
        names = (extra.partition(" ")[0] for extra in self.made.extras)
        return tuple(name for name in names if name in run_files.TABLES)


def fit_and_predict(
    run: PlannedRun,
    child: SharedChild,
    part: tuple[int, int] = (1, 1),
    earlier: EarlierFits | None = None,
) -> run_files.Records:
    """Fit and predict every fold of the plan.

    child     child process for the fits
    part      (i, n): only every n-th planned fit, starting with the i-th
    earlier   outcomes that are not computed again
    """
    plan, earlier = run.plan, earlier or EarlierFits()
    axes, unfit = axes_and_reason(run.features)
    records = run_files.Records(axes, plan.on_plane)
    fits = run.fits(run_files.Limits.of(child.limits), len(axes[0]) > 0)[part[0] - 1 :: part[1]]
    guard = child.guard_for(f"{run.dataset}/{run.method}", run.features, run.entry, run.task)
    for (_, _, has_rows), repeat in groupby(
        fits, key=lambda fit: (*fit.rows.name[:2], fit.rows.n_test > 0)
    ):
        if has_rows and not (plan.unavailable or unfit):
            _add_repeat(records, guard, [*repeat], earlier, jointly=not run.entry.get("tune"))
            continue
        for fit in repeat:
            reason = plan.unavailable or unfit or fit.rows.no_folds_reason
            status = "unavailable" if plan.unavailable else "not_applicable"
            row = fit.row | {"status": status, "reason": reason}
            records.add(row, fit.rows.test, None, replace(fit.made, key=""))
    return records


def _add_repeat(
    records: run_files.Records, guard: Guard, fits: list[Fit], earlier: EarlierFits, jointly: bool
) -> None:
    """Add the outcomes of all folds of a repeat: earlier ones, and those that are computed now.

    Folds are fitted jointly with all folds of their repeat, even if some outcomes are known. So a fit has the same last
    digits whatever repeats and protocols were computed before. The joint fit sees no rows but those that the folds
    divide, and has the time limit of one fit. It is an optimization: a fold that fails is fitted again alone.
    """
    earlier_outcomes = [earlier.find(fit.made.key, fit.made.extras) for fit in fits]
    joint: list[dict[str, Any] | None] = [None] * len(fits)
    if jointly and None in earlier_outcomes and len(fits) > 1 and not fits[0].rows.is_leave_one_out:
        answer = guard.call("folds", *(fit.fold for fit in fits))
        joint = answer.value if answer.kind == "ok" else joint
    new: dict[str, run_files.Added] = {}
    for fit, earlier_outcome, outcome in zip(fits, earlier_outcomes, joint, strict=True):
        if earlier_outcome is not None:
            row, returned, made = earlier_outcome
            names = {column: fit.row[column] for column in FIT}
            records.add(row | names, fit.rows.test, returned, made)
            continue
        if outcome is None or _add_outcome(records, guard, fit, outcome).kind != "ok":
            _fit_single(records, guard, fit)
        new[fit.made.key] = records.added[-1]
        if not any(
            joint
        ):  # an interrupted run keeps all outcomes of a joint fit or none, but each single fit
            earlier.keep(new)
            new = {}
    earlier.keep(new)


def _fit_single(records: run_files.Records, guard: Guard, fit: Fit) -> None:
    """Make one fit, and add its outcome or the reason why it failed."""
    if fit.rows.is_leave_one_out:
        used = fit.rows.used
        answer = guard.call("leave_one_out", used, fit.rows.fold_of_row[used], fit.row["seed"])
    else:
        answer = guard.call("folds", fit.fold)
    if answer.kind == "ok":
        (outcome,) = [answer.value] if fit.rows.is_leave_one_out else answer.value
        answer = _add_outcome(records, guard, fit, outcome)
    if answer.kind != "ok":
        timed_out = answer.kind == "timeout" and guard.has_begun
        seconds = guard.seconds if timed_out else None  # without the start of a new child
        failure = {"status": answer.kind, "reason": answer.value, "fit_seconds": seconds}
        records.add(fit.row | failure, fit.rows.test, None, fit.made)


def _add_outcome(
    records: run_files.Records, guard: Guard, fit: Fit, outcome: dict[str, Any]
) -> GuardedResult:
    """Add the outcome of a fit and its details to the records, or return why it does not fit into the tables."""
    if fit.details:
        answer = guard.call("details", fit.fold, outcome["chosen"], fit.details)
        details = answer.value if answer.kind == "ok" else {}  # a limit was exceeded
        outcome["kept"] |= {name: columns for name, columns in details.items() if columns}
    try:
        records.add(fit.row | outcome, fit.rows.test, outcome, fit.made)
    except Exception as error:
        text = f"{type(error).__name__}: {' '.join(str(error).split())}"
        return GuardedResult("failed", f"its output has an invalid form ({text})")
    return GuardedResult("ok", outcome)


def task(about: Mapping[str, Any], evaluation: Mapping[str, Any]) -> dict[str, Any]:
    """The task of every fit of a run: classes and costs of the data, and how to tune."""
    classes = about.get("classes") or []
    return {
        "n_classes": len(classes),
        "classes": classes,
        "positive": classes.index(about["positive"]) if classes else 0,
        "costs": about.get("costs"),
        "inner_folds": evaluation["inner_folds"],
        "tune_metric": evaluation["tune_metric"],
        "tune_rule": evaluation["tune_rule"],
    }
