"""The choice among candidates by their scores on inner folds of the training rows; failed candidates are excluded."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from functools import partial
from typing import Any

import numpy as np

from linclass.base.arrays import EstimatorLike
from linclass.base.messages import NotApplicable
from linclass.tuning.folds import stratified_folds
from linclass.tuning.selection import Choice, Option, search

Score = Callable[[], float]


def choose(
    options: Sequence[Option],
    y: np.ndarray,
    folds: int,
    seed: int,
    prepare: Callable[[np.ndarray, np.ndarray, Sequence[Option]], Any],
    score: Callable[[Any, Option], float],
    together: Callable[[list[np.ndarray], Sequence[Option]], list[list[Score]]],
    groups: np.ndarray | None = None,
    rule: str = "best",
    names: Sequence[str] | None = None,
    estimator: EstimatorLike = None,
    beyond: Callable[[Sequence[Option], int], list[Option]] = lambda options, number: [],
) -> Choice:
    """`selection.search` by inner folds.

    `together`, called with the held-out rows of all inner folds, may return a function that computes the score for each
    fold and option. If it raises NotApplicable, candidates are fitted one after the other: prepare(train, test,
    options) runs once per inner fold, score(prepared, option) for each option. An option that fails on a fold is
    excluded. Error messages use the `names` of the classes.
    """
    fold = stratified_folds(y, folds, seed, groups, names)
    held_out = [np.flatnonzero(fold == k) for k in range(folds)]

    def one_by_one(options: Sequence[Option]) -> Iterator[list[Score]]:
        for test in held_out:
            prepared = prepare(np.delete(np.arange(len(y)), test), test, options)
            yield [partial(score, prepared, option) for option in options]

    def judge(options: Sequence[Option]) -> tuple[np.ndarray, dict[int, Exception]]:
        scores, failures = np.zeros((folds, len(options))), dict[int, Exception]()
        try:
            computations = iter(together(held_out, options))
        except NotApplicable:
            computations = one_by_one(options)
        for k, scores_of_fold in enumerate(computations):
            for i, compute in enumerate(scores_of_fold):
                if not np.isfinite(scores[:, i]).all():
                    continue
                try:
                    scores[k, i] = compute()
                except MemoryError:
                    raise
                except Exception as error:
                    failures[i] = error
                    scores[k, i] = -np.inf
        return scores, failures

    return search(options, judge, rule, estimator, beyond)
