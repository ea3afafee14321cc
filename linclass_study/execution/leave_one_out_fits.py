"""Leave-one-out as one planned fit: each row, or group of rows, is predicted by the model of all others."""

from __future__ import annotations

import json
import random
import time
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from linclass.base.messages import NotApplicable
from linclass_study.execution.feature_file import FeatureFile
from linclass_study.execution.requests import LeaveOneOutRequest
from linclass_study.pipeline import fitting
from linclass_study.pipeline.fitted import Task, parameters_of
from linclass_study.pipeline.method import Method


@dataclass(frozen=True)
class Predicted:
    """Predictions of all used rows, the most frequent tuned parameters, and the joint status of all fits."""

    y_pred: np.ndarray
    score: np.ndarray
    log_proba: np.ndarray | None
    params: str
    ending: dict[str, Any]
    fit_seconds: float
    predict_seconds: float


def predict_units(
    method: Method,
    file: FeatureFile,
    task: Task,
    request: LeaveOneOutRequest,
    ending: Callable[[Any], dict[str, Any]],
) -> Predicted:
    """Fit the method without each unit and predict its rows; `ending` gives the columns of a fit."""
    if file.in_file:
        raise NotApplicable(
            "its rows stay in their file (parquet_blocks), and leave-one-out needs them in memory; "
            "choose another protocol"
        )
    file, units = file.rows(request.used), request.units[request.used]
    n, K = len(file.y), task.n_classes
    y_pred, score, log_proba = np.empty(n, np.int32), np.empty((n, K)), np.empty((n, K))
    known, chosen, endings, predict_seconds = True, Counter[str](), [], 0.0
    begin = time.perf_counter()
    parts = fitting.leave_one_out(
        method, file.table, file.y, units, task, request.seed, file.groups
    )
    while True:
        random.seed(request.seed)  # so that fits do not depend on earlier ones
        np.random.seed(request.seed)  # noqa: NPY002 – the legacy state is what some estimators draw from
        if (part := next(parts, None)) is None:
            break
        rows, fitted, (codes, scores, logs), seconds = part
        y_pred[rows], score[rows] = codes, scores
        known = known and logs is not None
        if known:
            log_proba[rows] = logs
        chosen[json.dumps(parameters_of(fitted), default=str)] += 1
        endings.append(ending(fitted.estimator))
        predict_seconds += seconds
    spent = time.perf_counter() - begin - predict_seconds
    return Predicted(
        y_pred,
        score,
        log_proba if known else None,
        chosen.most_common(1)[0][0],
        _of_all(endings),
        spent,
        predict_seconds,
    )


def _of_all(endings: list[dict[str, Any]]) -> dict[str, Any]:
    """The joint ending: the most frequent one of the fits that did not converge, if any."""
    if len(endings) == 1:
        return endings[0]
    others = Counter((e["status"], e["reason"]) for e in endings if e["status"] != "converged")
    status, reason = others.most_common(1)[0][0] if others else ("converged", "")
    if others:
        count = sum(e["status"] == status for e in endings)
        reason = f"{count} of {len(endings)} fits: {reason}"
    kinds = {e["certificate_kind"] for e in endings}
    return {
        "status": status,
        "reason": reason,
        "iterations": _largest(endings, "iterations"),
        "objective": None,  # every fit has its own
        "certificate": _largest(endings, "certificate") if len(kinds) == 1 else None,
        "certificate_kind": kinds.pop() if len(kinds) == 1 else None,
    }


def _largest(endings: list[dict[str, Any]], name: str) -> Any:
    values = [e[name] for e in endings]
    return None if None in values else max(values)
