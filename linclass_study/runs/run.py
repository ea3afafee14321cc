"""Run all planned fits of one method on one data set; each becomes a row, whatever its outcome.

The fits happen in a guarded child (worker.py); this process plans them and records their outcomes.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from linclass.resampling.folds import seed_of
from linclass_study.guard import Guard, GuardedResult
from linclass_study.machine import machine
from linclass_study.protocols import UNUSED
from linclass_study.runs import feature_file
from linclass_study.runs.fit_details import FitDetails, details_of, is_detailed
from linclass_study.runs.folds import Plan, Planned
from linclass_study.runs.leave_one_out_fits import LeaveOneOutRequest
from linclass_study.runs.records import Records
from linclass_study.runs.shared_child import SharedChild
from linclass_study.runs.unfinished_run import UnfinishedRun
from linclass_study.table_files import FIT

TOGETHER = "together"  # name of the outcomes of the joint fit in an unfinished run


@dataclass(frozen=True)
class PlannedRun:
    """A method on a data set, with everything that its fits depend on.

    entry      of the method, as in the catalogue
    features   path of the feature file
    task       classes, costs and how to tune, as of `task`
    traces     whether to record the steps of solvers that support it
    environment   id of the environment of its fits
    """

    dataset: str
    method: str
    entry: Mapping[str, Any]
    features: str
    plan: Plan
    task: Mapping[str, Any]
    seed: int
    traces: bool = False
    environment: str | None = None


@dataclass(frozen=True)
class Fit:
    """A planned fit: known columns of its row, its training and test rows, whether it predicts the grid of the plane,
    and the details that are computed for it (fit_details.py)."""

    row: dict[str, Any]
    rows: Planned
    grid: bool
    details: tuple[str, ...] = ()

    @property
    def name(self) -> tuple[Any, ...]:
        return tuple(self.row[column] for column in FIT)


def fit_and_predict(
    run: PlannedRun,
    child: SharedChild,
    part: tuple[int, int] = (1, 1),
    unfinished: UnfinishedRun | None = None,
) -> Records:
    """Fit and predict every fold of the plan.

    child        child process for the fits
    part         (i, n): only every n-th planned fit, starting with the i-th
    unfinished   what an interrupted run has computed; its fits are not repeated
    """
    plan = run.plan
    axes, unfit = feature_file.axes_and_reason(run.features)
    records = Records(axes, plan.on_plane)
    fits = []
    for rows in plan.fits[part[0] - 1 :: part[1]]:
        names = (run.dataset, run.method, rows.protocol, rows.repeat, rows.fold)
        identity = dict(zip(FIT, names, strict=True))
        row = identity | {"n_train": rows.n_train, "n_test": rows.n_test}
        on_grid = len(axes[0]) > 0 and rows.protocol == plan.on_plane and not rows.repeat
        # not of the method: all methods are tuned on the same inner folds
        seed = seed_of(run.seed, run.dataset, rows.protocol, rows.repeat, rows.fold)
        row |= {"seed": seed, "machine": machine(), "environment": run.environment}
        details = details_of(run.entry, run.traces) if is_detailed(rows, plan) else ()
        fits.append(Fit(row, rows, on_grid, details))
    guard = child.turn(f"{run.dataset}/{run.method}", run.features, run.entry, run.task)
    possible = not (plan.unavailable or unfit or run.entry.get("tune"))
    given = _together(guard, fits, unfinished) if possible else {}
    for number, fit in enumerate(fits):
        if plan.unavailable:
            ending = {"status": "unavailable", "reason": plan.unavailable}
            records.add(fit.row | ending, fit.rows.test)
        elif unfit or not fit.rows.n_test:
            ending = {"status": "not_applicable", "reason": unfit or fit.rows.no_folds_reason}
            records.add(fit.row | ending, fit.rows.test)
        elif unfinished and (before := unfinished.get(fit.name)) is not None:
            records.add(*before)
        elif number not in given or _written(records, guard, fit, given[number]).kind != "ok":
            _alone(records, guard, fit)
            if unfinished:
                unfinished.keep(fit.name, records.added[-1])
    return records


def _together(
    guard: Guard, fits: list[Fit], unfinished: UnfinishedRun | None
) -> dict[int, dict[str, Any]]:
    """_joint_fit, or its outcomes before the run was interrupted."""
    if unfinished and (before := unfinished.get(TOGETHER)) is not None:
        return before
    given = _joint_fit(guard, fits)
    if unfinished:
        unfinished.keep(TOGETHER, given)
    return given


def _joint_fit(guard: Guard, fits: list[Fit]) -> dict[int, dict[str, Any]]:
    """Outcomes of the folds that were fitted jointly, by index; the others are fitted one by one.

    Folds are fitted jointly if they divide the same rows: the joint fit sees no other row. It is an optimization: it
    has the time limit of one fit (limits.fit_seconds), and its failure is not recorded.
    """
    dividing: dict[bytes, dict[int, Fit]] = {}
    for number, fit in enumerate(fits):
        if fit.rows.n_test and not fit.rows.is_leave_one_out:
            unused = np.packbits(fit.rows.fold_of_row == UNUSED).tobytes()
            dividing.setdefault(unused, {})[number] = fit
    found: dict[int, dict[str, Any]] = {}
    for several in dividing.values():
        if len(several) > 1:
            used = next(iter(several.values())).rows.used
            answer = guard.call(
                *((used, fit.rows.test, fit.row["seed"], fit.grid) for fit in several.values())
            )
            outcomes = answer.value if answer.kind == "ok" else [None] * len(several)
            found |= {k: one for k, one in zip(several, outcomes, strict=True) if one is not None}
    return found


def _alone(records: Records, guard: Guard, fit: Fit) -> None:
    seed = fit.row["seed"]
    each = LeaveOneOutRequest(fit.rows.fold_of_row, seed) if fit.rows.is_leave_one_out else None
    answer = guard.call(each or (fit.rows.used, fit.rows.test, seed, fit.grid))
    if answer.kind == "ok":
        answer = _written(records, guard, fit, answer.value[0])
    if answer.kind != "ok":
        in_vain = answer.kind == "timeout" and guard.has_begun
        spent = guard.seconds if in_vain else None  # without the start of a new child
        ending = {"status": answer.kind, "reason": answer.value, "fit_seconds": spent}
        records.add(fit.row | ending, fit.rows.test)


def _written(records: Records, guard: Guard, fit: Fit, given: dict[str, Any]) -> GuardedResult:
    """Add the outcome to the records, or return why it does not fit into the tables."""
    if fit.details:
        given["kept"] |= _details(guard, fit, given["chosen"])
    try:
        records.add(fit.row | given, fit.rows.test, given)
    except Exception as error:
        text = " ".join(str(error).split())
        return GuardedResult(
            "failed", f"its output has an invalid form ({type(error).__name__}: {text})"
        )
    return GuardedResult("ok", given)


def _details(guard: Guard, fit: Fit, chosen: dict[str, Any]) -> dict[str, Any]:
    """Table → its columns; empty if a limit of time or memory was exceeded."""
    details = FitDetails(fit.rows.train, fit.rows.test, fit.row["seed"], chosen, fit.details)
    answer = guard.call(details)
    found = answer.value[0] if answer.kind == "ok" else {}
    return {name: columns for name, columns in found.items() if columns}


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
