"""Tuning by inner cross-validation: each candidate, transforms included, is scored on rows that it was not fitted to.

The rows are a training set. Its inner folds have a seed of their own, and keep groups together. A rule selects by the
scores of the inner folds:

best                 the candidate with the best mean score; ties go to the stronger penalty, then to the earlier
                     candidate
one_standard_error   the most strongly penalized candidate whose mean is at most one standard error of the
                     best one's, sd/√folds over the inner folds, below the best. Parameters other than strengths
                     (STRONGER) keep the values of the best; without a strength, it is the best.

Varma & Simon (2006), Bias in error estimation when using cross-validation for model selection.
Breiman, Friedman, Olshen & Stone (1984), CART, §3.4.3; Hastie, Tibshirani & Friedman (2009), §7.10
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import product
from typing import Any

import numpy as np

from linclass.applicability import NotApplicable
from linclass.conventions.parameter_types import is_number
from linclass.conventions.parameters import key_of
from linclass.resampling import stratified_folds

# Direction in which a parameter makes the penalty stronger, by our names and scikit-learn's.
STRONGER = {"strength": 1, "alpha": 1, "shrinkage": 1, "reg_param": 1, "C": -1}
TIE = 1e-12


@dataclass(frozen=True)
class Choice:
    """The number of the option that was chosen, and what all of them were judged by."""

    options: Sequence[dict[str, Any]]
    number: int
    scores: np.ndarray  # (inner folds, options), greater is better; −∞ where an option failed
    failures: Mapping[int, Exception]  # number of an option → the first exception

    @property
    def option(self) -> dict[str, Any]:
        return self.options[self.number]

    def judged(self) -> Iterator[tuple[float, float]]:
        """(mean, standard error sd/√folds) of each option over the inner folds; NaN of one that failed."""
        for of_option in self.scores.T:
            failed = not np.isfinite(of_option).all()
            error = np.nan if failed else float(standard_error(of_option))
            yield np.nan if failed else float(of_option.mean()), error


def standard_error(scores: np.ndarray) -> Any:
    """sd/√folds of the mean over the first axis, the folds."""
    return scores.std(axis=0, ddof=1) / len(scores) ** 0.5


def candidates(tune: Mapping[str, Any]) -> list[dict[str, Any]]:
    """All combinations of the listed values; the first parameter varies slowest."""
    lists = [_values(spec) for spec in tune.values()]
    return [dict(zip(tune, values, strict=True)) for values in product(*lists)]


def choose(
    options: Sequence[dict[str, Any]],
    y: np.ndarray,
    folds: int,
    seed: int,
    prepare: Callable[[np.ndarray, np.ndarray], Any],
    score: Callable[[Any, dict[str, Any]], float],
    together: Callable[[list[np.ndarray]], list[list[Callable[[], float]]]] | None = None,
    groups: np.ndarray | None = None,
    rule: str = "best",
    names: Sequence[str] | None = None,
) -> Choice:
    """The selected candidate. prepare(train, test) runs once per inner fold, score(prepared, option) for each option.

    `together`, called with the held-out rows of all inner folds, may return a function that computes the score for each
    fold and option; if it raises NotApplicable, candidates are fitted one after the other. An option that fails on a
    fold is excluded; if all fail, the first exception is raised. `names` are those of the classes, for messages.
    """
    fold = stratified_folds(y, folds, seed, groups, names)
    held_out = [np.flatnonzero(fold == k) for k in range(folds)]
    scores = np.zeros((folds, len(options)))
    failures: dict[int, Exception] = {}
    computations = _at_once(together, held_out) or _one_by_one(options, fold, prepare, score)
    for k, of_fold in enumerate(computations):
        for i, score_of_option in enumerate(of_fold):
            if not np.isfinite(scores[:, i]).all():
                continue
            try:
                scores[k, i] = score_of_option()
            except MemoryError:
                raise
            except Exception as error:
                failures.setdefault(i, error)
                scores[k, i] = -np.inf
    if failures and not np.isfinite(scores).all(axis=0).any():
        raise next(iter(failures.values()))
    return Choice(options, RULES[rule](options, scores), scores, failures)


def _best(options: Sequence[dict[str, Any]], scores: np.ndarray) -> int:
    mean = scores.mean(axis=0)
    best = np.flatnonzero(mean >= mean.max() - TIE).tolist()
    return min(best, key=lambda i: (*_weakness(options[i]), i))


def _one_standard_error(options: Sequence[dict[str, Any]], scores: np.ndarray) -> int:
    best = _best(options, scores)
    if not np.isfinite(scores[:, best]).all():
        return best
    error, mean = standard_error(scores[:, best]), scores.mean(axis=0)
    near = [
        i
        for i, option in enumerate(options)
        if mean[i] >= mean[best] - error - TIE and _others(option) == _others(options[best])
    ]
    return min(near, key=lambda i: (*_weakness(options[i]), -mean[i], i))


RULES: dict[str, Callable[[Sequence[dict[str, Any]], np.ndarray], int]] = {
    "best": _best,
    "one_standard_error": _one_standard_error,
}


def _at_once(together: Callable[..., Any] | None, held_out: list[np.ndarray]) -> Any:
    """The result of `together`; None if it does not apply, and candidates are fitted one after the other."""
    try:
        return None if together is None else together(held_out)
    except NotApplicable:
        return None


def _one_by_one(
    options: Sequence[dict[str, Any]],
    fold: np.ndarray,
    prepare: Callable[[np.ndarray, np.ndarray], Any],
    score: Callable[[Any, dict[str, Any]], float],
) -> Iterator[list[Callable[[], float]]]:
    for k in range(fold.max() + 1):
        prepared = prepare(np.flatnonzero(fold != k), np.flatnonzero(fold == k))
        yield [partial(score, prepared, option) for option in options]


def _weakness(option: Mapping[str, Any]) -> tuple[float, ...]:
    """Sort key: smaller is more strongly penalized; parameters other than strengths do not count."""
    return tuple(
        -STRONGER[name.rpartition("__")[2]] * float(value)
        for name, value in option.items()
        if _is_strength(name, value)
    )


def _others(option: Mapping[str, Any]) -> str:
    """Key of the parameters other than strengths."""
    others = {name: value for name, value in option.items() if not _is_strength(name, value)}
    return key_of(others)


def _is_strength(name: str, value: object) -> bool:
    return name.rpartition("__")[2] in STRONGER and is_number(value)


def _values(spec: Any) -> list[Any]:
    if isinstance(spec, Mapping):
        start, stop, count = spec["logspace"]
        return [float(v) for v in np.logspace(start, stop, count)]
    return list(spec)
