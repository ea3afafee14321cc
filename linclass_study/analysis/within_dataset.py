"""Compare methods on one data set: a table of scores, folds × methods, and its statistics.

All methods are evaluated on the same folds, so comparisons are paired. Only methods whose every planned fit has a
finite value take part. n_test/n_train, used to correct for overlapping training sets, is the mean over the planned
fits; so is n_test, of which one row is the least step of a score. Predictions are read only of methods whose scores by
all metrics of predicted classes are equal on every fold, to find methods that predict the same classes.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np
import polars as pl

from linclass.base.messages import names_and_others
from linclass.evaluation import metrics
from linclass.evaluation.comparisons.bayesian import Posterior, bayesian_t
from linclass.evaluation.comparisons.t_tests import FoldsAgainstControl, corrected_t_against_control
from linclass_study.analysis.outcome import Outcome, class_digests
from linclass_study.analysis.summary import ranking
from linclass_study.files.reading import read_parquet
from linclass_study.files.tables import FIT

NAMES = 4  # methods named in a sentence; the others are counted
MAX_SENTENCES = 3


def same_predictions(outcome: Outcome) -> list[str]:
    """A sentence for each group of methods with the same predictions on all data sets, or on all of two classes."""
    compared = {name: comparison_within(part, name) for name, part in outcome.parts().items()}
    two = [name for name in compared if len(outcome.about(name).get("classes") or ()) == 2]
    sentences: dict[frozenset[str], str] = {}
    for names, of_what in (([*compared], ""), (two, " of two classes")):
        groups: dict[tuple[int | None, ...], list[str]] = {}
        for method in outcome.methods:
            key = tuple(compared[name].first.get(method) for name in names)
            groups.setdefault(key, []).append(method)
        for firsts, same in groups.items():
            shared = sum(first is not None for first in firsts)
            if len(same) > 1 and shared > 1:
                sets = f"{'both' if shared == 2 else f'all {shared}'} data sets{of_what}"
                sentences.setdefault(
                    frozenset(same),
                    f"{names_and_others(same, NAMES)} predict the same class in every held-out row of {sets} on which "
                    "they have scores.",
                )
    return [*sentences.values()][:MAX_SENTENCES]


def predicted_classes(part: Outcome, dataset: str, method: str) -> str:
    """A digest of the predicted classes; if it is unknown the method's name, which no other has."""
    path = part.results / "runs" / dataset / method / "predictions.parquet"
    digests: Mapping[str, str | None]
    if path.exists():
        digests = class_digests(read_parquet(path, columns=[*FIT, "row", "y_pred"]))
    else:
        digests = part.digests.get((dataset, method), {})
    return digests.get(part.protocol(dataset)) or method


ROPE = 0.01  # default region of practical equivalence
SURE = 0.95  # probability above which a difference is called clear
ALPHA = 0.05  # level below which a corrected p is called significant


def rope_of(evaluation: Mapping[str, Any]) -> float:
    """The region of practical equivalence, 0.01 if the study states none."""
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
    # place of the first method with the same predictions
    first: Mapping[str, int] = field(default_factory=dict)

    @property
    def enough(self) -> bool:
        """Whether there are at least two methods and two folds."""
        return self.table.shape[0] > 1 and self.table.shape[1] > 1

    @property
    def folds(self) -> int:
        return len(self.table)

    def posterior(self, rows: Sequence[int]) -> Posterior:
        """Bayesian correlated t test: probabilities [i, j] that methods[rows[i]] is better than methods[j], practically
        equal, worse."""
        of_test = bayesian_t(self.table, self.ratio, self.rope, self.step, rows)
        first = np.array([self.first.get(m, j) for j, m in enumerate(self.methods)])
        places = np.array(rows)[:, None]
        are_copies = (first[places] == first) & (places != np.arange(len(first)))  # which are equal
        certain = zip((0, 1, 0), of_test, strict=True)
        return Posterior(*(np.where(are_copies, sure, p) for sure, p in certain))

    def is_copy(self, i: int, j: int) -> bool:
        """Whether two methods have the same predictions."""
        one, other = (self.first.get(self.methods[k], k) for k in (i, j))
        return i != j and one == other

    @cached_property
    def rivals(self) -> list[str]:
        """Methods that may be as good as the best: all others than the largest set of methods such that the best one,
        or each of those that share the best mean, is better than each of them, jointly with a probability of at least
        SURE.

        P(better than each of a set) ≥ 1 − Σ P(not better) by the union bound, whatever the dependence.
        """
        mean = self.table.mean(axis=0)
        best = np.flatnonzero(mean >= mean[0] - 1e-12)
        doubt = 1 - self.posterior(best.tolist()).better[:, 1:].min(axis=0)
        order = np.argsort(doubt, kind="stable")
        beaten = order[np.cumsum(doubt[order]) <= 1 - SURE + 1e-12]
        return [name for j, name in enumerate(self.methods[1:]) if j not in beaten]

    def against(self, control: str) -> FoldsAgainstControl:
        """Corrected t tests of each method against a control, and intervals of the differences."""
        place = self.methods.index(control)
        return corrected_t_against_control(self.table, place, self.ratio, self.step)


def comparison_within(outcome: Outcome, dataset: str) -> ComparisonWithin:
    """Comparison on a data set, by the study's metric and the data set's first protocol."""
    return outcome.cached(f"within {dataset}", lambda: _compared(outcome, dataset))


def _compared(outcome: Outcome, dataset: str) -> ComparisonWithin:
    metric, protocol = outcome.metric, outcome.protocol(dataset)
    whole = ranking(outcome, dataset, metric, protocol).filter("whole")
    values = outcome.scores.filter(dataset=dataset, metric=metric, protocol=protocol)
    named = values.sort("repeat", "fold").with_columns(method="=" + pl.col("method"))
    by_fold = named.pivot("method", index=["repeat", "fold"], values="value")
    sign = 1.0 if metrics.greater_is_better(metric) else -1.0
    table = sign * by_fold.select(("=" + whole["method"]).to_list()).to_numpy().astype(float)
    ratio, step = whole["share"].mean(), whole["step"].mean()
    ratio = ratio if isinstance(ratio, float) else np.nan
    step = step if isinstance(step, float) else 0.0
    methods = whole["method"].to_list()
    first = _first_copies(outcome, dataset, methods, table)
    rope = rope_of(outcome.evaluation)
    return ComparisonWithin(metric, protocol, methods, table, ratio, rope, step, first)


def _first_copies(
    outcome: Outcome, dataset: str, methods: list[str], table: np.ndarray
) -> dict[str, int]:
    """Method → the place of the first one with the same scores and the same predicted classes, mostly its own."""
    scores = [column.tobytes() for column in table.T]
    keys = [
        (one, predicted_classes(outcome, dataset, method) if scores.count(one) > 1 else method)
        for one, method in zip(scores, methods, strict=True)
    ]
    return {method: keys.index(key) for method, key in zip(methods, keys, strict=True)}
