"""Tuning by inner cross-validation: each candidate, transforms included, is scored on rows that it was not fitted to.

The rows are a training set. Its inner folds have a seed of their own, and keep groups together. A rule selects by the
scores of the inner folds:

best                 the candidate with the best mean score; ties go to the simpler model, which mostly has the
                     stronger penalty, then to the earlier candidate
one_standard_error   the simplest candidate whose mean is at most one standard error of the best one's, sd/√folds
                     over the inner folds, below the best. Parameters that make no model simpler keep the values of
                     the best; if there are no others, it is the best.

The attribute `simpler` of a class (linclass/base/estimator.py) says which parameters make a model simpler; those of
other libraries are known by scikit-learn's names (BY_NAME).

Varma & Simon (2006), Bias in error estimation when using cross-validation for model selection.
Breiman, Friedman, Olshen & Stone (1984), CART, §3.4.3; Hastie, Tibshirani & Friedman (2009), §7.10
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import product
from typing import Any

import numpy as np

from linclass.base.arrays import EstimatorLike
from linclass.base.parameters import is_number, key_of

Option = dict[str, Any]
# for classes without `simpler`: 1 if greater values make the model simpler, −1 if smaller values do
BY_NAME = {"strength": 1, "alpha": 1, "shrinkage": 1, "reg_param": 1, "C": -1}
TIE = 1e-12  # mean scores that differ by at most this are equal
PATH = "path"  # in place of a list: values from the training rows (linclass/tuning/paths.py)


@dataclass(frozen=True)
class Choice:
    """The number of the chosen option, and the scores of all options."""

    options: list[Option]
    number: int
    scores: np.ndarray  # (inner folds, options), greater is better; −∞ if an option failed
    failures: Mapping[int, Exception]  # number of an option → the first exception

    @property
    def option(self) -> Option:
        return self.options[self.number]

    def judged(self) -> Iterator[tuple[float, float]]:
        """(mean, standard error sd/√folds) of each option over the inner folds; NaN if it failed."""
        for scores in self.scores.T:
            if np.isfinite(scores).all():
                yield float(scores.mean()), float(standard_error(scores))
            else:
                yield np.nan, np.nan


def standard_error(scores: np.ndarray) -> Any:
    """sd/√folds of the mean over the first axis, the folds."""
    return scores.std(axis=0, ddof=1) / len(scores) ** 0.5


def is_path(spec: Any) -> bool:
    return isinstance(spec, str) and spec == PATH


def is_strength(name: str) -> bool:
    """Whether a parameter of an inner estimator is a strength: 'logisticregression__strength', 'svc__C'."""
    return name.rpartition("__")[2] in ("strength", "C", "alpha")


def candidates(tune: Mapping[str, Any]) -> list[Option]:
    """All combinations of the listed values; a path counts as the value 1, without rows. The first varies slowest."""
    lists = [[1.0] if is_path(spec) else listed_values(spec) for spec in tune.values()]
    return [dict(zip(tune, values, strict=True)) for values in product(*lists)]


def is_grid(grid: Any) -> bool:
    """Whether a grid has lists of values by name."""

    def is_list(values: Any) -> bool:
        several = isinstance(values, Sequence | np.ndarray) and not isinstance(values, str)
        return several and len(values) > 0

    return isinstance(grid, Mapping) and all(is_path(v) or is_list(v) for v in grid.values())


def search(
    options: Sequence[Option],
    judge: Callable[[Sequence[Option]], tuple[np.ndarray, Mapping[int, Exception]]],
    rule: str,
    estimator: EstimatorLike,
    beyond: Callable[[Sequence[Option], int], list[Option]],
) -> Choice:
    """The candidate that the rule selects, after paths were extended as long as their end is best.

    `judge` returns the scores (inner folds, options) of options, and the exceptions of those that failed by number; if
    all of the first options fail, the first exception is raised. `beyond` returns the options that continue a path if
    the option of this number is at its end. `estimator` has the parameters, and says which of them make it simpler.
    """
    choice, new = Choice([], 0, np.empty((0, 0)), {}), list(options)
    while new:
        new_scores, failures = judge(new)
        if failures and not choice.options and not np.isfinite(new_scores).all(axis=0).any():
            raise next(iter(failures.values()))
        n = len(choice.options)
        scores = np.hstack([choice.scores, new_scores]) if n else new_scores
        failures = {**choice.failures, **{n + i: error for i, error in failures.items()}}
        options = [*choice.options, *new]
        best, number = (RULES[name](options, scores, estimator) for name in ("best", rule))
        choice = Choice(options, number, scores, failures)
        new = beyond(options, best) or beyond(options, number)
    return choice


def _best(options: Sequence[Option], scores: np.ndarray, estimator: EstimatorLike = None) -> int:
    signs, mean = _directions(options[0], estimator), scores.mean(axis=0)
    best = np.flatnonzero(mean >= mean.max() - TIE).tolist()
    return min(best, key=lambda i: (*_complexity(options[i], signs), i))


def _one_standard_error(
    options: Sequence[Option], scores: np.ndarray, estimator: EstimatorLike = None
) -> int:
    signs, best = _directions(options[0], estimator), _best(options, scores, estimator)
    if not np.isfinite(scores[:, best]).all():
        return best
    error, mean = standard_error(scores[:, best]), scores.mean(axis=0)
    eligible = [
        i
        for i, option in enumerate(options)
        if mean[i] >= mean[best] - error - TIE
        and _others(option, signs) == _others(options[best], signs)
    ]
    return min(eligible, key=lambda i: (*_complexity(options[i], signs), -mean[i], i))


RULES: dict[str, Callable[[Sequence[Option], np.ndarray, EstimatorLike], int]] = {
    "best": _best,
    "one_standard_error": _one_standard_error,
}


def _directions(names: Iterable[str], estimator: EstimatorLike) -> dict[str, int]:
    """The direction, 1 or −1, in which each parameter makes a model simpler, if any; `step__name` is that of a step."""
    signs = {}
    for name in names:
        step, _, parameter = name.rpartition("__")
        simpler = getattr(_inside(estimator, step) if step else estimator, "simpler", None)
        directions = simpler if isinstance(simpler, Mapping) else BY_NAME
        if parameter in directions:
            signs[name] = directions[parameter]
    return signs


def _inside(estimator: EstimatorLike, step: str) -> EstimatorLike:
    """The parameter `step` of an estimator; None if there is no such parameter, as for a transform of a study."""
    try:
        return estimator.get_params()[step]
    except Exception:  # of any library
        return None


def _complexity(option: Mapping[str, Any], signs: Mapping[str, int]) -> tuple[float, ...]:
    """Sort key: smaller is simpler; a value that is not a number counts as least simple."""
    return tuple(
        -sign * float(option[name]) if is_number(option[name]) else np.inf
        for name, sign in signs.items()
    )


def _others(option: Mapping[str, Any], signs: Mapping[str, int]) -> Hashable:
    """Key of the values that make no model simpler."""
    return key_of({k: v for k, v in option.items() if not (k in signs and is_number(v))})


def listed_values(spec: Any) -> list[Any]:
    if isinstance(spec, Mapping):
        start, stop, count = spec["logspace"]
        return [float(v) for v in np.logspace(start, stop, count)]
    return list(spec)
