"""The child's half of a run: it loads data and method once, then fits and predicts the folds of each call.

What a fit gives is raw: predictions, how the fit ended, what it cost. Everything else is derived later.
"""

from __future__ import annotations

import gc
import json
import random
import resource
import sys
import time
import warnings
from contextlib import AbstractContextManager, nullcontext
from typing import Any

import numpy as np

from linclass import closer_look, coefficients, pipeline
from linclass.unfinished import silently
from linclass_study.runs import block_fits, each, fit_tables
from linclass_study.runs.closer import Closer
from linclass_study.runs.each import Each
from linclass_study.runs.feature_file import FeatureFile

FITTED = ("converged", "max_iter", "separable", "rank_deficient")
Fold = tuple[np.ndarray | None, np.ndarray, int, bool]  # train (None: all others), test, seed, grid

loaded: dict[str, FeatureFile] = {}  # the last file alone: methods on the same rows share them


class Worker:
    """Loads the data and the method once, then fits and predicts the folds of each call."""

    def __init__(self, features: str, entry: dict[str, Any], task: dict[str, Any]):
        gc.collect()  # what an earlier method left behind, and nothing that was frozen
        if features not in loaded:
            loaded.clear()
            loaded[features] = FeatureFile.load(features)
        self.file = loaded[features]
        self.method = pipeline.Method.from_entry(entry)
        self.method.estimator()  # what it imports lazily on construction is no part of a fit
        self.task = pipeline.Task(**task)
        gc.freeze()  # what is here by now stays: no collection between fits looks through it again

    def __call__(self, *asked: Any) -> list[dict[str, Any] | None]:
        """What became of leave-one-out (Each), of a closer look (Closer), or of each fold: of one alone, or of
        several fitted together, where that can be.

        Of several, one that cannot be predicted is None: alone it will say why.
        """
        if isinstance(asked[0], Closer):
            return [self._closer(asked[0])]
        return [self._each(asked[0])] if isinstance(asked[0], Each) else self._folds(*asked)

    def _closer(self, asked: Closer) -> dict[str, Any]:
        """The path and the steps of a fit whose parameters are chosen; each may be None."""
        table, y = self.file.table, self.file.y
        fit = table.rows(asked.train), y[asked.train]
        held_out = table.rows(asked.test), y[asked.test]
        looks = {
            "paths": lambda: fit_tables.path(
                closer_look.path(self.method, *fit, asked.seed, asked.chosen)
            ),
            "traces": lambda: fit_tables.trace(
                closer_look.trace(self.method, *fit, held_out, self.task, asked.seed, asked.chosen)
            ),
        }
        found = {}
        for name in asked.looks:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                try:
                    found[name] = looks[name]()
                except Exception as error:  # it is only shown, and the fit has its row
                    print(f"no {name}: {type(error).__name__}: {error}", file=sys.stderr)
        return found

    def _each(self, asked: Each) -> dict[str, Any]:
        reset_peak_memory()
        known = 0

        def own_ending(estimator: Any) -> dict[str, Any]:
            nonlocal known
            begin, known = known, len(heard)
            return ending(estimator, heard[begin:])

        with warnings.catch_warnings(record=True) as heard, self._silence():
            warnings.simplefilter("always")
            found = each.predict(self.method, self.file, self.task, asked, own_ending)
        say(heard)
        return {
            **found.ending,
            "params": found.params,
            "fit_seconds": found.fit_seconds,
            "predict_seconds": found.predict_seconds,
            "peak_rss_mb": peak_memory_mb(),
            "y_true": self.file.y,
            "y_pred": found.y_pred,
            "score": found.score,
            "log_proba": found.log_proba,
            "kept": {},
            "chosen": {},
            "grid": None,
        }

    def _folds(self, *folds: Fold) -> list[dict[str, Any] | None]:
        seed = folds[0][2]
        reset_peak_memory()
        random.seed(seed)
        np.random.seed(seed)  # noqa: NPY002 – the legacy state is what some estimators draw from
        with warnings.catch_warnings(record=True) as heard, self._silence():
            warnings.simplefilter("always")
            begin = time.perf_counter()
            fits = self._fit(folds)
            fit_seconds = (time.perf_counter() - begin) / len(folds)
        say(heard)
        if self.file.in_file:
            said = block_fits.predict(fits, self.file, [test for _, test, _, _ in folds])
            parts = zip(fits, folds, said, strict=True)
            return [self._outcome(fit, fold, heard, fit_seconds, own) for fit, fold, own in parts]
        if len(folds) == 1:
            return [self._outcome(fits[0], folds[0], heard, fit_seconds)]
        outcomes: list[dict[str, Any] | None] = []
        for fitted, fold in zip(fits, folds, strict=True):
            try:
                outcomes.append(self._outcome(fitted, fold, heard, fit_seconds))
            except Exception:
                outcomes.append(None)
        return outcomes

    def _silence(self) -> AbstractContextManager[None]:
        """Classifiers of linclass tell their status; inside foreign ones they warn, as scikit-learn's do."""
        own = self.method.classifier.__module__.startswith("linclass.")
        return silently() if own else nullcontext()

    def _fit(self, folds: tuple[Fold, ...]) -> list[pipeline.Fitted]:
        table, y = self.file.table, self.file.y
        held_out = [test for _, test, _, _ in folds]
        if self.file.in_file:
            if len(folds) == 1 and folds[0][0] is not None:
                block_fits.refuse_parts(len(folds[0][0]) + len(held_out[0]), len(y))
            return block_fits.fit(self.method, self.file, held_out, self.task)
        if len(folds) > 1:
            return pipeline.fit_folds(self.method, table, y, held_out, self.task)
        ((train, test, seed, _),) = folds
        train = np.delete(np.arange(len(y)), test) if train is None else train
        groups = None if self.file.groups is None else self.file.groups[train]
        return [pipeline.fit(self.method, table.rows(train), y[train], self.task, seed, groups)]

    def _outcome(
        self,
        fitted: pipeline.Fitted,
        fold: Fold,
        heard: list[Any],
        fit_seconds: float,
        said: block_fits.Predicted | None = None,
    ) -> dict[str, Any]:
        _, test, _, grid = fold
        if said is None:
            begin = time.perf_counter()
            ready = fitted.ready(self.file.table.rows(test))
            said = (*fitted.say(ready), time.perf_counter() - begin)
            known = coefficients.of_fit(fitted.estimator, fitted.transforms, ready, said[1])
        else:  # the rows stay in their file, and have their columns from there
            known = coefficients.of_fit(fitted.estimator, fitted.transforms, self.file.table)
        y_pred, score, log_proba, predict_seconds = said
        return {
            **ending(fitted.estimator, heard),
            "params": json.dumps(self.method.params | fitted.chosen, default=str),
            "fit_seconds": fit_seconds,
            "predict_seconds": predict_seconds,
            "peak_rss_mb": peak_memory_mb(),
            "y_true": self.file.y[test],
            "y_pred": y_pred,
            "score": score,
            "log_proba": log_proba,
            "kept": {
                "coefficients": fit_tables.coefficients(known),
                "tuning": fit_tables.tuning(fitted.candidates),
                "traces": fit_tables.trace(getattr(fitted.estimator, "trace_", None)),
            },
            "chosen": fitted.chosen,
            "grid": self._on_plane(fitted) if grid else None,
        }

    def _on_plane(self, fitted: pipeline.Fitted) -> np.ndarray:
        """The class of each point of the grid; −1 where the model cannot speak of such points: they are no rows."""
        try:
            return fitted.predict(self.file.grid)[0]
        except Exception as error:  # of whatever kind: the fit and its predictions are whole
            print(f"no boundary: {type(error).__name__}: {error}", file=sys.stderr)
            return np.full(self.file.grid.shape[0], -1)


def say(heard: list[warnings.WarningMessage]) -> None:
    """Each warning once, into the log."""
    for text in dict.fromkeys(f"{w.category.__name__}: {w.message}" for w in heard):
        print(text, file=sys.stderr)


def ending(estimator: Any, heard: list[warnings.WarningMessage]) -> dict[str, Any]:
    """How a fit ended, in its own words; a foreign estimator that returns has converged, unless it warned."""
    unconverged = [w for w in heard if "ConvergenceWarning" in w.category.__name__]
    status = text_or_none(getattr(estimator, "status_", None))
    if status not in FITTED:  # an attribute of the same name with another meaning
        said = " ".join(str(unconverged[0].message).split()) if unconverged else ""
        words = {"status": "max_iter" if unconverged else "converged", "reason": said}
    else:
        words = {
            "status": status,
            "reason": " ".join(str(getattr(estimator, "reason_", "")).split()),
        }
    iterations = number(getattr(estimator, "n_iter_", None))
    if iterations is not None and abs(iterations) >= 2**63:  # the column is Int64
        iterations = None
    return words | {
        "iterations": None if iterations is None else int(iterations),
        "objective": number(getattr(estimator, "objective_", None)),
        "certificate": number(getattr(estimator, "certificate_", None)),
        "certificate_kind": text_or_none(getattr(estimator, "certificate_kind_", None)),
    }


def reset_peak_memory() -> None:
    try:
        with open("/proc/self/clear_refs", "w") as clear:
            clear.write("5")
    except OSError:
        pass


def peak_memory_mb() -> float:
    """The largest resident set since the reset; of the whole process where the kernel keeps no such mark."""
    try:
        with open("/proc/self/status") as status:
            return next(int(s.split()[1]) for s in status if s.startswith("VmHWM")) / 1000
    except (OSError, StopIteration):
        scale = 1e6 if sys.platform == "darwin" else 1e3
        return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / scale


def number(value: Any) -> float | None:
    """The largest, where there are several; None for what is no number."""
    try:
        largest = float(np.max(value))
    except (TypeError, ValueError, OverflowError):
        return None
    return largest if np.isfinite(largest) else None


def text_or_none(value: Any) -> str | None:
    return value if isinstance(value, str) else None
