"""The parent's half of a run: every planned fit of one method on one data set becomes a row.

The fits happen in a guarded child (worker.py); this half plans, asks, and writes down what became of each.
"""

from __future__ import annotations

import time
from collections.abc import Mapping
from typing import Any

from linclass.resampling import seed_of
from linclass_study.runs import feature_file
from linclass_study.runs.folds import Plan
from linclass_study.runs.guard import Answer, Guard
from linclass_study.runs.records import IDENTITY, Records

WORKER = "linclass_study.runs.worker:Worker"


def run(
    dataset: str,
    method: str,
    entry: dict[str, Any],
    features: str,
    plan: Plan,
    task: dict[str, Any],
    seed: int,
    limits: Mapping[str, float],
) -> Records:
    """Every fold of the plan as a row, whatever becomes of its fit."""
    axes, unfit = feature_file.peek(features)
    records = Records(axes)
    arguments = {"features": features, "entry": entry, "task": task}
    with Guard(WORKER, arguments, limits["fit_seconds"], limits["fit_memory_mb"]) as guard:
        for (protocol, repeat, fold), (train, test) in plan.folds.items():
            own_seed = seed_of(seed, dataset, method, protocol, repeat, fold)
            identity = dict(zip(IDENTITY, (dataset, method, protocol, repeat, fold), strict=True))
            row = identity | {"n_train": len(train), "n_test": len(test), "seed": own_seed}
            if plan.unavailable:
                records.add(row | {"status": "unavailable", "reason": plan.unavailable}, test)
            elif unfit or not len(test):
                reason = unfit or plan.undealt
                records.add(row | {"status": "not_applicable", "reason": reason}, test)
            else:
                on_grid = len(axes[0]) > 0 and protocol == "cv" and repeat == 0
                begin = time.perf_counter()
                answer = guard.call(train, test, own_seed, on_grid)
                if answer.kind == "ok":
                    answer = _written(records, row, test, answer)
                if answer.kind != "ok":
                    spent = time.perf_counter() - begin if answer.kind == "timeout" else None
                    ending = {"status": answer.kind, "reason": answer.value, "fit_seconds": spent}
                    records.add(row | ending, test)
    return records


def _written(records: Records, row: dict[str, Any], test: Any, answer: Answer) -> Answer:
    """The answer itself, or why it does not fit into the tables."""
    try:
        records.add(row | answer.value, test, answer.value)
    except Exception as error:
        text = " ".join(str(error).split())
        return Answer("failed", f"what it gave fits no table ({type(error).__name__}: {text})")
    return answer


def task(about: Mapping[str, Any], evaluation: Mapping[str, Any]) -> dict[str, Any]:
    """What every fit of a run is told: the classes and costs of the data, and how to tune."""
    classes = about.get("classes") or []
    return {
        "n_classes": len(classes),
        "positive": classes.index(about["positive"]) if classes else 0,
        "costs": about.get("costs"),
        "inner_folds": evaluation["inner_folds"],
        "tune_metric": evaluation["tune_metric"],
    }
