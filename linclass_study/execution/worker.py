"""The work of a guarded child: it loads data and method once, then fits and predicts the folds of each call.

A call returns raw results: predictions, status and cost of a fit. Everything else is derived from them later.
"""

from __future__ import annotations

import gc
import json
import random
import sys
import time
import warnings
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, nullcontext, suppress
from typing import Any, NoReturn

import numpy as np

from linclass.base.messages import NotApplicable, silently
from linclass.base.tables import Table
from linclass.discriminant.from_statistics import fit_without_each, partitions
from linclass.preprocessing.transforms.scaling import Standardize
from linclass_study.data import blocks
from linclass_study.data.plane import plane_margins
from linclass_study.execution import fit_outcome
from linclass_study.execution.features import FeatureFile
from linclass_study.execution.fit_outcome import (
    fit_status,
    log_warnings,
    path_table,
    peak_memory_mb,
    reset_peak_memory,
    trace_table,
)
from linclass_study.pipeline import coefficients, fitting
from linclass_study.pipeline.fitted import Fitted, Prediction, Task, own_candidates, parameters_of
from linclass_study.pipeline.fitting import (
    FoldPrediction,
    coefficient_path,
    fit_method,
    predict_folds,
    predict_held_out,
    solver_trace,
)
from linclass_study.pipeline.method import Method
from linclass_study.pipeline.transforming import Steps, shared_transforms
from linclass_study.pipeline.tuned_parameters import rows_for

# training and test rows, the test rows among them, seed, whether to predict the grid
Fold = tuple[np.ndarray, np.ndarray, int, bool]
Outcome = dict[str, Any]  # what Records.add takes
Times = tuple[float, float]  # seconds to fit and to predict
Caught = list[warnings.WarningMessage]

loaded: dict[str, FeatureFile] = {}  # the last file, shared by consecutive methods on the same rows


class Worker:
    """Answers calls of its methods by their names."""

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

    def __call__(self, name: str, *arguments: Any) -> Any:
        return getattr(self, name)(*arguments)

    def details(self, fold: Fold, chosen: dict[str, Any], tables: Sequence[str]) -> Outcome:
        """Regularization path and solver steps of a fit with the chosen parameters; each may be None."""
        used, test, seed, _ = fold
        train, held_out = self._rows(np.setdiff1d(used, test, assume_unique=True)), self._rows(test)
        details = {}
        for name in tables:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                try:
                    if name == "paths":
                        path = coefficient_path(self.method, *train, seed, chosen)
                        details[name] = path_table(path)
                    else:
                        trace = solver_trace(self.method, *train, held_out, self.task, seed, chosen)
                        details[name] = trace_table(trace)
                except Exception as error:  # details are optional
                    print(f"no {name}: {type(error).__name__}: {error}", file=sys.stderr)
        return details

    def _rows(self, index: np.ndarray) -> tuple[Table, np.ndarray]:
        return self.file.table.rows(index), self.file.y[index]

    def leave_one_out(self, used: np.ndarray, units: np.ndarray, seed: int) -> Outcome:
        """Outcome of the one planned fit: each unit (row or group of the used rows) is predicted by the model of all
        others. The parameters are the most frequent ones, the status is the joint one."""
        if self.file.in_file:
            refuse_in_file("leave-one-out needs them in memory; choose another protocol")
        file, n, K = self.file.rows(used), len(used), self.task.n_classes
        y_pred, score, log_proba = np.empty(n, np.int32), np.empty((n, K)), np.empty((n, K))
        chosen, statuses = Counter[str](), list[dict[str, Any]]()
        has_proba, warned, predict_seconds = True, 0, 0.0
        with self._watched() as caught:
            begin = time.perf_counter()
            parts = fitting.leave_one_out(
                self.method, file.table, file.y, units, self.task, seed, file.groups
            )
            while True:
                _seed_globals(seed)  # so that fits do not depend on earlier ones
                if (part := next(parts, None)) is None:
                    break
                rows, fitted, (codes, scores, logs), seconds = part
                y_pred[rows], score[rows] = codes, scores
                has_proba = has_proba and logs is not None
                if has_proba:
                    log_proba[rows] = logs
                chosen[json.dumps(parameters_of(fitted), default=str)] += 1
                statuses.append(fit_status(fitted.estimator, caught[warned:], self.task.classes))
                warned = len(caught)
                predict_seconds += seconds
            spent = time.perf_counter() - begin - predict_seconds
        prediction = y_pred, score, log_proba if has_proba else None
        status = _joint_status(statuses) | {"params": chosen.most_common(1)[0][0]}
        return self._outcome(status, used, prediction, (spent, predict_seconds))

    def folds(self, *folds: Fold) -> list[Outcome | None]:
        """The outcome of each fold. Several folds, which divide the same rows, are fitted jointly; the outcome of a
        fold whose prediction fails is then None: fitted alone, it will report why."""
        with self._watched() as caught:
            _seed_globals(folds[0][2])
            begin = time.perf_counter()
            fits = self._fit(folds)
            fit_seconds = (time.perf_counter() - begin) / len(folds)
        predictions = self._predicted(fits, folds)
        return [
            part and self._of_fold(fitted, fold, caught, part[0], (fit_seconds, part[1]))
            for fitted, fold, part in zip(fits, folds, predictions, strict=True)
        ]

    @contextmanager
    def _watched(self) -> Iterator[Caught]:
        """Record and log warnings. linclass's classifiers report a status instead, unless another estimator contains
        them."""
        reset_peak_memory()
        ours = self.method.classifier.__module__.startswith("linclass.")
        with warnings.catch_warnings(record=True) as caught, silently() if ours else nullcontext():
            warnings.simplefilter("always")
            yield caught
        log_warnings(caught)

    def _fit(self, folds: Sequence[Fold]) -> list[Fitted]:
        used, test, seed, _ = folds[0]
        if self.file.in_file:
            if len(used) < len(self.file.y):
                refuse_in_file("learning_curve needs them in memory; choose another protocol")
            held_out = [test for _, test, _, _ in folds]
            seeds = [seed for _, _, seed, _ in folds]
            return fit_by_blocks(self.method, self.file, held_out, self.task, seeds)
        if len(folds) > 1:
            part, held_out = self._used(folds)
            return fitting.fit_folds(self.method, part.table, part.y, held_out, self.task)
        train = np.setdiff1d(used, test, assume_unique=True)
        groups = None if self.file.groups is None else self.file.groups[train]
        return [fit_method(self.method, *self._rows(train), self.task, seed, groups)]

    def _used(self, folds: Sequence[Fold]) -> tuple[FeatureFile, list[np.ndarray]]:
        """The rows that several folds divide, without any other row, and the held-out rows of each among them."""
        used = folds[0][0]
        return self.file.rows(used), [np.searchsorted(used, test) for _, test, _, _ in folds]

    def _predicted(
        self, fits: list[Fitted], folds: Sequence[Fold]
    ) -> Sequence[tuple[FoldPrediction, float] | None]:
        """(predictions, seconds) of each fold; None where prediction fails, unless there is one fold."""
        if self.file.in_file:
            return predict_by_blocks(fits, self.file, [test for _, test, _, _ in folds])
        begin = time.perf_counter()
        predictions: Sequence[FoldPrediction | None]
        if len(folds) == 1:
            predictions = [predict_held_out(fits[0], self.file.table, folds[0][1])]
        else:
            part, held_out = self._used(folds)
            predictions = predict_folds(fits, part.table, held_out)
        seconds = (time.perf_counter() - begin) / len(folds)
        return [None if fold is None else (fold, seconds) for fold in predictions]

    def _of_fold(
        self, fitted: Fitted, fold: Fold, caught: Caught, held_out: FoldPrediction, times: Times
    ) -> Outcome:
        _, test, _, grid = fold
        estimator = fitted.estimator
        status = fit_status(estimator, caught, self.task.classes)
        status["params"] = json.dumps(parameters_of(fitted), default=str)
        # rows that stay in their file are not compared
        checked = None if self.file.in_file else held_out.prediction[1]
        weights = coefficients.of_fit(estimator, fitted.transforms, held_out.first, checked)
        tables = {
            "coefficients": fit_outcome.coefficients(weights),
            "tuning": fit_outcome.tuning(fitted.candidates or own_candidates(estimator)),
            "traces": trace_table(getattr(estimator, "trace_", None)),
        }
        outcome = self._outcome(status, test, held_out.prediction, times)
        outcome |= {"kept": tables, "chosen": fitted.chosen}
        return outcome | (self._on_plane(fitted) if grid else {})

    def _outcome(
        self, status: dict[str, Any], test: np.ndarray, prediction: Prediction, times: Times
    ) -> Outcome:
        cost = dict(zip(("fit_seconds", "predict_seconds"), times, strict=True))
        predicted = dict(zip(("y_pred", "score", "log_proba"), prediction, strict=True))
        rows = {"peak_rss_mb": peak_memory_mb(), "y_true": self.file.y[test]}
        unset: Outcome = {"kept": {}, "chosen": {}, "grid": None, "margins": None}
        return status | cost | rows | predicted | unset

    def _on_plane(self, fitted: Fitted) -> dict[str, np.ndarray | None]:
        """Predicted classes on the grid and their margins; −1 and None if the prediction fails, as points of the grid
        are not rows of the data."""
        shape = tuple(len(axis) for axis in reversed(self.file.axes))
        try:
            labels, score, _ = fitted.predict(self.file.grid)
            labels = labels.reshape(shape)
            return {"grid": labels, "margins": plane_margins(labels, score.reshape(*shape, -1))}
        except Exception as error:  # the fit and its predictions are valid nevertheless
            print(f"no boundary: {type(error).__name__}: {error}", file=sys.stderr)
            return {"grid": np.full(shape, -1), "margins": None}


def _seed_globals(seed: int) -> None:
    """Seed the global generators, from which some foreign estimators draw."""
    random.seed(seed)
    np.random.seed(seed)  # noqa: NPY002


def _joint_status(statuses: list[dict[str, Any]]) -> dict[str, Any]:
    """The most frequent status of the fits that did not converge, if any."""
    if len(statuses) == 1:
        return statuses[0]
    others = Counter((s["status"], s["reason"]) for s in statuses if s["status"] != "converged")
    status, reason = others.most_common(1)[0][0] if others else ("converged", "")
    if others:
        count = sum(s["status"] == status for s in statuses)
        reason = f"{count} of {len(statuses)} fits: {reason}"
    same_kind = len({s["certificate_kind"] for s in statuses}) == 1
    largest = {}
    for name in ("iterations", "certificate"):
        values = [s[name] for s in statuses]
        largest[name] = None if None in values else max(values)
    return {
        "status": status,
        "reason": reason,
        "objective": None,  # every fit has its own
        **largest,
        "certificate": largest["certificate"] if same_kind else None,
        "certificate_kind": statuses[0]["certificate_kind"] if same_kind else None,
    }


# Fit and predict rows that stay in their Parquet file, block by block for all folds together. Memory holds the classes
# and predictions of all rows, never the features.
#
# A method that depends on sums over rows alone (LDA, QDA, naive Bayes, Fisher, nearest mean) is the one of all rows. A
# method that learns by `partial_fit` makes one pass over the rows, in the order of the file; `standardize` makes a pass
# before. The methods must be untuned, and no other transform may change the rows.


def refuse_in_file(why: str) -> NoReturn:
    raise NotApplicable(f"its rows stay in their file (parquet_blocks), and {why}")


def fit_by_blocks(
    method: Method,
    file: FeatureFile,
    held_out: Sequence[np.ndarray],
    task: Task,
    seeds: Sequence[int],
) -> list[Fitted]:
    """One model for each fold, fitted on all other rows."""
    estimator = method.estimator()
    of_sums = callable(getattr(estimator, "merge_all", None))
    if method.tune or not (of_sums or callable(getattr(estimator, "partial_fit", None))):
        name = f"{type(estimator).__name__} {'with `tune:`' if method.tune else ''}"
        refuse_in_file(
            f"{name} needs them at once; take an untuned method that is a function of sums, such as lda or "
            "gaussian_nb, or that has partial_fit, such as perceptron"
        )
    if of_sums:
        rows = (rows_for(estimator, table) for table in _unchanged(method.transforms, file))
        models = fit_without_each(estimator, rows, file.y, held_out)
        return [Fitted(method, task, {}, [], model) for model in models]
    steps: Steps = method.transforms
    scales: list[list[Any]] = [[] for _ in held_out]
    if steps and steps[-1][0] == "standardize":
        steps = steps[:-1]
        scales = [[fit] for fit in Standardize.for_blocks(_unchanged(steps, file), held_out)]
    fits = [
        Fitted(method, task, {}, scale, method.estimator(seed))
        for scale, seed in zip(scales, seeds, strict=True)
    ]
    classes, held, begin = np.unique(file.y), partitions(held_out, len(file.y)), 0
    for table in _unchanged(steps, file):
        some = slice(begin, begin + table.shape[0])
        for members, shard in held:
            for place, number in enumerate(members):
                fitted, others = fits[number], np.flatnonzero(shard[some] != place)
                if len(others):
                    rows = rows_for(fitted.estimator, fitted.ready(table.rows(others)))
                    fitted.estimator.partial_fit(rows, file.y[some][others], classes=classes)
        begin = some.stop
    return fits


def predict_by_blocks(
    fits: Sequence[Fitted], file: FeatureFile, held_out: Sequence[np.ndarray]
) -> list[tuple[FoldPrediction, float]]:
    """(predictions, seconds) of each model for the rows of its fold, in their order. The rows stay in their file, so
    only the names of their columns are known."""
    parts: list[list[Any]] = [[] for _ in fits]
    seconds = np.zeros(len(fits))
    divided, begin = partitions(held_out, len(file.y)), 0
    for table in blocks.tables(file.in_file, file.table.names):
        for members, shard in divided:
            shard_of_row = shard[begin : begin + table.shape[0]]
            for place in np.unique(shard_of_row[shard_of_row < len(members)]):
                number, clock = members[place], time.perf_counter()
                parts[number].append(fits[number].predict(table.rows(shard_of_row == place)))
                seconds[number] += time.perf_counter() - clock
        begin += table.shape[0]
    predictions = []
    for rows, part, spent in zip(held_out, parts, seconds.tolist(), strict=True):
        order = np.argsort(np.argsort(rows))  # parts are in the order of the file
        codes, scores, log_proba = zip(*part, strict=True)
        logs = None if log_proba[0] is None else np.concatenate(log_proba)[order]
        predicted = np.concatenate(codes)[order], np.concatenate(scores)[order], logs
        predictions.append((FoldPrediction(file.table, predicted), spent))
    return predictions


def _unchanged(steps: Steps, file: FeatureFile) -> Iterator[Table]:
    """Iterate over the blocks, checking that no transform would change them."""
    for table in blocks.tables(file.in_file, file.table.names):
        shared = shared_transforms(steps, table, [])
        if shared is None or shared.last is not None or shared.table.X is not table.X:
            names = ", ".join(name for name, _ in steps)
            refuse_in_file(
                f"transforms ({names}) would change them; leave out what learns from rows, and impute missing values "
                "before"
            )
        yield shared.table
