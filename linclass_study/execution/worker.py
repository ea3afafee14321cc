"""The state of a guarded child: it loads data and method once, then fits and predicts the folds of each call.

It returns raw results: predictions, status and cost of a fit. Everything else is derived from them later.
"""

from __future__ import annotations

import gc
import json
import random
import sys
import time
import warnings
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager, nullcontext, suppress
from dataclasses import dataclass
from typing import Any

import numpy as np

from linclass.base.messages import NotApplicable, silently
from linclass.base.tables import Table
from linclass.discriminant.from_statistics import fit_without_each, partitions
from linclass_study.data import blocks
from linclass_study.execution import fit_outcome
from linclass_study.execution.feature_file import FeatureFile
from linclass_study.execution.fit_outcome import (
    fit_status,
    log_warnings,
    path_table,
    peak_memory_mb,
    reset_peak_memory,
    trace_table,
)
from linclass_study.execution.requests import FitDetails, LeaveOneOutRequest
from linclass_study.pipeline import coefficients, fitting
from linclass_study.pipeline.fitted import Fitted, Task, own_candidates, parameters_of
from linclass_study.pipeline.fitting import (
    FoldPrediction,
    fit_method,
    predict_folds,
    predict_held_out,
)
from linclass_study.pipeline.method import Method
from linclass_study.pipeline.plane import plane_margins
from linclass_study.pipeline.trace_and_path import coefficient_path, solver_trace
from linclass_study.pipeline.transforming import shared_transforms

# training and test rows, the test rows among them, seed, whether to predict the grid
Fold = tuple[np.ndarray, np.ndarray, int, bool]

loaded: dict[str, FeatureFile] = {}  # the last file, shared by consecutive methods on the same rows


class Worker:
    """Loads the data and the method once, then fits and predicts the folds of each call."""

    def __init__(self, features: str, entry: dict[str, Any], task: dict[str, Any]):
        gc.collect()  # remains of the previous method
        if features not in loaded:
            loaded.clear()
            loaded[features] = FeatureFile.load(features)
        self.file = loaded[features]
        self.task = Task(**task)
        self.method = Method.from_entry(entry, self.task.classes)
        with suppress(NotApplicable):  # which each fit reports
            self.method.estimator()  # lazy imports on construction do not count as fit time
        gc.freeze()  # collections between fits skip the objects that exist now

    def __call__(self, *asked: Any) -> list[dict[str, Any] | None]:
        """Outcome of leave-one-out, of the details of a fit, or of each fold. Several folds, which divide the same
        rows, are fitted jointly.

        Of several folds, one whose prediction fails is None; fitted alone, it will report why.
        """
        if isinstance(asked[0], FitDetails):
            return [self._details(asked[0])]
        if isinstance(asked[0], LeaveOneOutRequest):
            return [self._leave_one_out(asked[0])]
        return self._folds(*asked)

    def _details(self, asked: FitDetails) -> dict[str, Any]:
        """Regularization path and solver steps of a fit with the chosen parameters; each may be None."""
        table, y = self.file.table, self.file.y
        fit = table.rows(asked.train), y[asked.train]
        held_out = table.rows(asked.test), y[asked.test]
        tables = {
            "paths": lambda: path_table(
                coefficient_path(self.method, *fit, asked.seed, asked.chosen)
            ),
            "traces": lambda: trace_table(
                solver_trace(self.method, *fit, held_out, self.task, asked.seed, asked.chosen)
            ),
        }
        found = {}
        for name in asked.tables:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                try:
                    found[name] = tables[name]()
                except Exception as error:  # details are optional
                    print(f"no {name}: {type(error).__name__}: {error}", file=sys.stderr)
        return found

    def _leave_one_out(self, asked: LeaveOneOutRequest) -> dict[str, Any]:
        reset_peak_memory()
        known = 0

        def own_ending(estimator: Any) -> dict[str, Any]:
            nonlocal known
            begin, known = known, len(caught)
            return fit_status(estimator, caught[begin:], self.task.classes)

        with warnings.catch_warnings(record=True) as caught, self._silence():
            warnings.simplefilter("always")
            found = predict_units(self.method, self.file, self.task, asked, own_ending)
        log_warnings(caught)
        return {
            **found.ending,
            "params": found.params,
            "fit_seconds": found.fit_seconds,
            "predict_seconds": found.predict_seconds,
            "peak_rss_mb": peak_memory_mb(),
            "y_true": self.file.y[asked.used],
            "y_pred": found.y_pred,
            "score": found.score,
            "log_proba": found.log_proba,
            "kept": {},
            "chosen": {},
            "grid": None,
            "margins": None,
        }

    def _folds(self, *folds: Fold) -> list[dict[str, Any] | None]:
        seed = folds[0][2]
        reset_peak_memory()
        random.seed(seed)
        np.random.seed(seed)  # noqa: NPY002 – the legacy state is what some estimators draw from
        with warnings.catch_warnings(record=True) as caught, self._silence():
            warnings.simplefilter("always")
            begin = time.perf_counter()
            fits = self._fit(folds)
            fit_seconds = (time.perf_counter() - begin) / len(folds)
        log_warnings(caught)
        return [
            None
            if predicted is None
            else self._outcome(fitted, fold, caught, fit_seconds, *predicted)
            for fitted, fold, predicted in zip(
                fits, folds, self._predicted(fits, folds), strict=True
            )
        ]

    def _silence(self) -> AbstractContextManager[None]:
        """Silence linclass's own classifiers, which report a status; inside other estimators they warn."""
        own = self.method.classifier.__module__.startswith("linclass.")
        return silently() if own else nullcontext()

    def _fit(self, folds: tuple[Fold, ...]) -> list[Fitted]:
        table, y = self.file.table, self.file.y
        used, test, seed, _ = folds[0]
        if self.file.in_file:
            refuse_parts(len(used), len(y))
            held_out = [test for _, test, _, _ in folds]
            return fit_by_blocks(self.method, self.file, held_out, self.task)
        if len(folds) > 1:
            part, held_out = self._used(folds)
            return fitting.fit_folds(self.method, part.table, part.y, held_out, self.task)
        train = np.setdiff1d(used, test, assume_unique=True)
        groups = None if self.file.groups is None else self.file.groups[train]
        return [fit_method(self.method, table.rows(train), y[train], self.task, seed, groups)]

    def _used(self, folds: tuple[Fold, ...]) -> tuple[FeatureFile, list[np.ndarray]]:
        """The rows that several folds divide, without any other row, and the held-out rows of each among them."""
        used = folds[0][0]
        return self.file.rows(used), [np.searchsorted(used, test) for _, test, _, _ in folds]

    def _predicted(
        self, fits: list[Fitted], folds: tuple[Fold, ...]
    ) -> Sequence[tuple[FoldPrediction, float] | None]:
        """Predictions of each fold and their seconds; None where they fail, unless the fold is alone."""
        if self.file.in_file:
            return predict_by_blocks(fits, self.file, [test for _, test, _, _ in folds])
        begin = time.perf_counter()
        found: Sequence[FoldPrediction | None]
        if len(folds) == 1:
            found = [predict_held_out(fits[0], self.file.table, folds[0][1])]
        else:
            part, held_out = self._used(folds)
            found = predict_folds(fits, part.table, held_out)
        seconds = (time.perf_counter() - begin) / len(folds)
        return [None if held_out is None else (held_out, seconds) for held_out in found]

    def _outcome(
        self,
        fitted: Fitted,
        fold: Fold,
        caught: list[warnings.WarningMessage],
        fit_seconds: float,
        held_out: FoldPrediction,
        predict_seconds: float,
    ) -> dict[str, Any]:
        _, test, _, grid = fold
        y_pred, score, log_proba = held_out.prediction
        # rows that stay in their file are not compared
        checked = None if self.file.in_file else score
        known = coefficients.of_fit(fitted.estimator, fitted.transforms, held_out.first, checked)
        return {
            **fit_status(fitted.estimator, caught, self.task.classes),
            "params": json.dumps(parameters_of(fitted), default=str),
            "fit_seconds": fit_seconds,
            "predict_seconds": predict_seconds,
            "peak_rss_mb": peak_memory_mb(),
            "y_true": self.file.y[test],
            "y_pred": y_pred,
            "score": score,
            "log_proba": log_proba,
            "kept": {
                "coefficients": fit_outcome.coefficients(known),
                "tuning": fit_outcome.tuning(fitted.candidates or own_candidates(fitted.estimator)),
                "traces": trace_table(getattr(fitted.estimator, "trace_", None)),
            },
            "chosen": fitted.chosen,
            **(self._on_plane(fitted) if grid else {"grid": None, "margins": None}),
        }

    def _on_plane(self, fitted: Fitted) -> dict[str, np.ndarray | None]:
        """Predicted classes on the grid, −1 if the prediction fails, as its points are not rows of the data; and their
        margins."""
        shape = tuple(len(axis) for axis in reversed(self.file.axes))
        try:
            labels, score, _ = fitted.predict(self.file.grid)
            labels = labels.reshape(shape)
            return {"grid": labels, "margins": plane_margins(labels, score.reshape(*shape, -1))}
        except Exception as error:  # the fit and its predictions are valid nevertheless
            print(f"no boundary: {type(error).__name__}: {error}", file=sys.stderr)
            return {"grid": np.full(shape, -1), "margins": None}


# Leave-one-out as one planned fit: each row, or group of rows, is predicted by the model of all others.


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


# Fit and predict rows that stay in their Parquet file, in two passes over the file for all folds.
#
# The first pass accumulates the sums of each fold, the second one predicts the rows of each fold by the model of the
# others. So a method must depend on sums over rows alone (LDA, QDA, naive Bayes, Fisher, nearest mean), must be
# untuned, and its transforms must not change the rows. Memory holds the classes and predictions of all rows, never the
# features.


def fit_by_blocks(
    method: Method, file: FeatureFile, held_out: Sequence[np.ndarray], task: Task
) -> list[Fitted]:
    """One model for each fold, fitted on all other rows."""
    estimator = method.estimator()
    if method.tune or not callable(getattr(estimator, "merge_all", None)):
        raise NotApplicable(
            f"its rows stay in their file (parquet_blocks), and {type(estimator).__name__} "
            f"{'with `tune:`' if method.tune else ''} needs them at once; take an untuned method that is "
            "a function of sums, such as lda or gaussian_nb"
        )
    rows = (
        table.named_rows() if getattr(estimator, "takes_names", False) else table.X
        for table in _unchanged(method, file)
    )
    fits = fit_without_each(estimator, rows, file.y, held_out)
    return [Fitted(method, task, {}, [], model) for model in fits]


def refuse_parts(rows: int, of: int) -> None:
    """Refuse the fits of a learning curve, which leave out rows that are not tested either."""
    if rows < of:
        raise NotApplicable(
            "its rows stay in their file (parquet_blocks), and learning_curve needs them in memory; "
            "choose another protocol"
        )


def predict_by_blocks(
    fits: Sequence[Fitted], file: FeatureFile, held_out: Sequence[np.ndarray]
) -> list[tuple[FoldPrediction, float]]:
    """Predictions of each model for the rows of its fold, in their order, and their seconds. The held-out rows stay in
    their file, so only their table's column names are known.
    """
    parts: list[list[Any]] = [[] for _ in fits]
    seconds = np.zeros(len(fits))
    divided, begin = partitions(held_out, len(file.y)), 0
    for table in blocks.tables(file.in_file, file.table.names):
        for members, shard in divided:
            own = shard[begin : begin + table.shape[0]]
            for place in np.unique(own[own < len(members)]):
                number, clock = members[place], time.perf_counter()
                parts[number].append(fits[number].predict(table.rows(own == place)))
                seconds[number] += time.perf_counter() - clock
        begin += table.shape[0]
    found = []
    for rows, part, spent in zip(held_out, parts, seconds.tolist(), strict=True):
        order = np.argsort(np.argsort(rows))  # parts are in the order of the file
        codes, scores, log_proba = zip(*part, strict=True)
        known = None if log_proba[0] is None else np.concatenate(log_proba)[order]
        predicted = np.concatenate(codes)[order], np.concatenate(scores)[order], known
        found.append((FoldPrediction(file.table, predicted), spent))
    return found


def _unchanged(method: Method, file: FeatureFile) -> Iterator[Table]:
    """Iterate over the blocks, checking that no transform of the method would change them."""
    for table in blocks.tables(file.in_file, file.table.names):
        shared = shared_transforms(method.transforms, table, [])
        if shared is None or shared.last is not None or shared.table.X is not table.X:
            names = ", ".join(name for name, _ in method.transforms)
            raise NotApplicable(
                f"its rows stay in their file (parquet_blocks), and transforms ({names}) would change "
                "them; leave out what learns from rows, and impute missing values before"
            )
        yield shared.table
