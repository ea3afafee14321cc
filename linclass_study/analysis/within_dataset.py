"""Compare methods on one data set: a table of scores, folds × methods, and its statistics.

All methods are evaluated on the same folds, so comparisons are paired. Only methods whose every planned fit has a
finite value take part. n_test/n_train, used to correct for overlapping training sets, is the mean over the planned
fits; so is n_test, of which one row is the least step of a score. Predictions are read only of methods whose scores by
all metrics of predicted classes are equal on every fold, to find methods that predict the same classes.
"""

from __future__ import annotations

import hashlib
from collections.abc import Hashable, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
import polars as pl

from linclass.base.messages import names_and_others
from linclass.evaluation import metrics
from linclass.evaluation.comparisons.bayesian import Posterior, bayesian_t
from linclass.evaluation.comparisons.t_tests import (
    FoldsAgainstControl,
    corrected_t_against_control,
)
from linclass_study.analysis.outcome import Outcome
from linclass_study.analysis.summary import ranking
from linclass_study.files.reading import read_parquet
from linclass_study.files.tables import FIT

CLASS_METRICS = ("accuracy", "balanced_accuracy", "f1_macro", "matthews")
NAMES = 4  # methods named in a sentence; the others are counted
MAX_SENTENCES = 3

Key = tuple[Hashable, ...]  # of a method, one entry for each data set; None where it has no score


def same_predictions(outcome: Outcome) -> list[str]:
    """A sentence for each group of methods with the same predictions on all data sets, or on all of two classes."""
    parts = outcome.parts()
    read = [name for name, own in parts.items() if own.about(name)["status"] != "unavailable"]
    two = [name for name in read if len(parts[name].about(name)["classes"]) == 2]
    scores = {name: _scores(parts[name], name) for name in read}
    found: dict[frozenset[str], str] = {}
    for names, of_what in ((read, ""), (two, " of two classes")):
        alike = {m: tuple(scores[name].get(m) for name in names) for m in outcome.methods}
        for group in _equal(alike):
            shared = [name for name in names if group[0] in scores[name]]
            if len(shared) < 2:
                continue
            predicted = {m: tuple(predicted_classes(parts[d], d, m) for d in shared) for m in group}
            for same in _equal(predicted):
                sets = f"{'both' if len(shared) == 2 else f'all {len(shared)}'} data sets{of_what}"
                sentence = (
                    f"{names_and_others(same, NAMES)} predict the same class in every held-out row of {sets} on which "
                    "they have scores."
                )
                found.setdefault(frozenset(same), sentence)
    return [*found.values()][:MAX_SENTENCES]


def _equal(keys: Mapping[str, Key]) -> list[list[str]]:
    """Groups of at least two methods with equal keys, in their order."""
    groups: dict[Key, list[str]] = {}
    for method, key in keys.items():
        groups.setdefault(key, []).append(method)
    return [group for group in groups.values() if len(group) > 1]


def _scores(own: Outcome, dataset: str) -> dict[str, Key]:
    """Method that succeeded on every fold → its scores on all folds."""
    whole = ranking(own, dataset).filter("whole")["method"]
    values = (
        own.scores.filter(
            pl.col("method").is_in(whole.implode()),
            pl.col("metric").is_in(CLASS_METRICS),
            protocol=own.protocol(dataset),
        )
        .sort(*FIT, "metric")
        .group_by("method", maintain_order=True)
        .agg(pl.col("value").round(12))
    )
    return {method: tuple(of_folds) for method, of_folds in values.iter_rows()}


def predicted_classes(own: Outcome, dataset: str, method: str) -> str:
    """A digest of the predicted classes; without predictions the method's name, which no other has."""
    path = own.results / "runs" / dataset / method / "predictions.parquet"
    if not path.exists():
        return method
    rows = read_parquet(path, columns=[*FIT, "row", "y_pred"])
    main = rows.filter(protocol=own.protocol(dataset)).sort(*FIT, "row")
    return hashlib.sha256(main["y_pred"].to_numpy().tobytes()).hexdigest()


ROPE = 0.01  # default region of practical equivalence
SURE = 0.95  # probability above which a difference is called clear
ALPHA = 0.05  # level below which a corrected p is called significant


def rope_of(evaluation: Mapping[str, Any]) -> float:
    """The region of practical equivalence; results of earlier commits do not name theirs."""
    return float(evaluation.get("rope", ROPE))


@dataclass(frozen=True)
class ComparisonWithin:
    """`table` is (folds, methods), greater is better, best method first; `rope` is the region of practical equivalence,
    `step` the change of a score by one row of a fold."""

    metric: str
    protocol: str
    methods: list[str]
    table: np.ndarray
    ratio: float
    rope: float
    step: float = 0.0
    same: np.ndarray | None = None  # pairs [i, j] of methods with the same predictions

    @property
    def enough(self) -> bool:
        """Whether there are at least two methods and two folds."""
        return self.table.shape[0] > 1 and self.table.shape[1] > 1

    @property
    def folds(self) -> int:
        return len(self.table)

    @cached_property
    def posterior(self) -> Posterior:
        """Bayesian correlated t test: probabilities [i, j] that i is better than j, practically equal, worse."""
        return self.posterior_of(np.arange(len(self.methods)))

    def posterior_of(self, places: np.ndarray) -> Posterior:
        """The same of some methods alone; those with the same predictions are equal for certain."""
        found = bayesian_t(self.table[:, places], self.ratio, self.rope, self.step)
        if self.same is None:
            return found
        same = self.same[np.ix_(places, places)]
        return Posterior(
            *(np.where(same, sure, p) for sure, p in zip((0, 1, 0), found, strict=True))
        )

    def is_copy(self, i: int, j: int) -> bool:
        """Whether two methods have the same predictions."""
        return self.same is not None and bool(self.same[i, j])

    @cached_property
    def rivals(self) -> list[str]:
        """Methods that may be as good as the best: all others than the largest set of methods such that the best one
        is better than each of them, jointly with a probability of at least SURE.

        P(better than each of a set) ≥ 1 − Σ P(not better) by the union bound, whatever the dependence.
        """
        doubt = 1 - self.posterior.better[0, 1:]
        order = np.argsort(doubt, kind="stable")
        beaten = order[np.cumsum(doubt[order]) <= 1 - SURE + 1e-12]
        return [name for j, name in enumerate(self.methods[1:]) if j not in beaten]

    def against(self, control: str) -> FoldsAgainstControl:
        """Corrected t tests of each method against a control, and intervals of the differences."""
        return corrected_t_against_control(
            self.table, self.methods.index(control), self.ratio, self.step
        )


def comparison_within(outcome: Outcome, dataset: str) -> ComparisonWithin:
    """Comparison on a data set, by the study's metric and the data set's first protocol."""
    return outcome.cached(f"within {dataset}", lambda: _compared(outcome, dataset))


def posterior_of_pair(outcome: Outcome, dataset: str, first: str, second: str) -> Posterior | None:
    """That of two methods alone, without those of all pairs; None unless both have several folds."""
    found = comparison_within(outcome, dataset)
    if not {first, second} <= {*found.methods}:
        return None
    pair = np.array([found.methods.index(first), found.methods.index(second)])
    return found.posterior_of(pair) if found.folds > 1 else None


def _compared(outcome: Outcome, dataset: str) -> ComparisonWithin:
    metric, protocol = outcome.metric, outcome.protocol(dataset)
    whole = ranking(outcome, dataset, metric, protocol).filter("whole")
    values = outcome.scores.filter(dataset=dataset, metric=metric, protocol=protocol)
    by_fold = values.sort("repeat", "fold").pivot(
        "method", index=["repeat", "fold"], values="value"
    )
    sign = 1.0 if metrics.greater_is_better(metric) else -1.0
    table = sign * by_fold.select(whole["method"].to_list()).to_numpy().astype(float)
    finite = np.isfinite(table).all(axis=0)
    ratio, step = whole["share"].mean(), whole["step"].mean()
    methods, table = whole["method"].filter(pl.Series(finite)).to_list(), table[:, finite]
    return ComparisonWithin(
        metric,
        protocol,
        methods,
        table,
        ratio if isinstance(ratio, float) else np.nan,
        rope_of(outcome.evaluation),
        step if isinstance(step, float) else 0.0,
        _same(outcome, dataset, methods, table),
    )


def _same(
    outcome: Outcome, dataset: str, methods: list[str], table: np.ndarray
) -> np.ndarray | None:
    """Pairs [i, j] of methods with the same scores and the same predicted classes; None if there is no such pair."""
    scores = [column.tobytes() for column in table.T]
    keys = [
        (one, predicted_classes(outcome, dataset, method))
        if scores.count(one) > 1
        else (one, method)
        for one, method in zip(scores, methods, strict=True)
    ]
    if len({*keys}) == len(keys):
        return None
    return np.array([[a == b for b in keys] for a in keys]) & ~np.eye(len(keys), dtype=bool)
