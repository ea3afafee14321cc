"""Tuning by inner cross-validation: each candidate, transforms included, is scored on rows that it was not fitted to.

The rows are a training set. Its inner folds have a seed of their own, and keep groups together. A rule selects by the
scores of the inner folds:

best                 the candidate with the best mean score; ties go to the simpler model, which mostly has the
                     stronger penalty, then to the earlier candidate
one_standard_error   the simplest candidate whose mean is at most one standard error of the best one's, sd/√folds
                     over the inner folds, below the best. Parameters that make no model simpler keep the values of
                     the best; if there are no others, it is the best.

Which parameters make a model simpler, a class says itself: `simpler` of linclass/base/estimator.py. Other
libraries' are known by scikit-learn's names.

Varma & Simon (2006), Bias in error estimation when using cross-validation for model selection.
Breiman, Friedman, Olshen & Stone (1984), CART, §3.4.3; Hastie, Tibshirani & Friedman (2009), §7.10
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import product
from typing import Any

import numpy as np

from linclass.base.arrays import EstimatorLike
from linclass.base.messages import NotApplicable
from linclass.base.parameters import is_number, key_of
from linclass.tuning.folds import stratified_folds

Option = dict[str, Any]
# Of classes that do not say it: 1 if greater values make the model simpler, −1 if smaller ones do.
BY_NAME = {"strength": 1, "alpha": 1, "shrinkage": 1, "reg_param": 1, "C": -1}
TIE = 1e-12
PATH = "path"  # in place of a list: values from the training rows (linclass/tuning/paths.py)


@dataclass(frozen=True)
class Choice:
    """The number of the option that was chosen, and what all of them were judged by."""

    options: Sequence[Option]
    number: int
    scores: np.ndarray  # (inner folds, options), greater is better; −∞ where an option failed
    failures: Mapping[int, Exception]  # number of an option → the first exception

    @property
    def option(self) -> Option:
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


def is_path(spec: Any) -> bool:
    return isinstance(spec, str) and spec == PATH


def is_strength(name: str) -> bool:
    """Whether a parameter of an inner estimator is a strength: 'logisticregression__strength', 'svc__C'."""
    return name.rpartition("__")[2] in ("strength", "C", "alpha")


def candidates(tune: Mapping[str, Any]) -> list[Option]:
    """All combinations of the listed values, and of 1 for a path, where no rows are known; the first varies slowest."""
    lists = [[1.0] if is_path(spec) else listed_values(spec) for spec in tune.values()]
    return [dict(zip(tune, values, strict=True)) for values in product(*lists)]


def is_grid(grid: Any) -> bool:
    """Whether it has lists of values by name."""

    def is_list(values: Any) -> bool:
        several = isinstance(values, Sequence | np.ndarray) and not isinstance(values, str)
        return several and len(values) > 0

    return isinstance(grid, Mapping) and all(is_path(v) or is_list(v) for v in grid.values())


def choose(
    options: Sequence[Option],
    y: np.ndarray,
    folds: int,
    seed: int,
    prepare: Callable[[np.ndarray, np.ndarray, Sequence[Option]], Any],
    score: Callable[[Any, Option], float],
    together: Callable[[list[np.ndarray], Sequence[Option]], list[list[Callable[[], float]]]]
    | None = None,
    groups: np.ndarray | None = None,
    rule: str = "best",
    names: Sequence[str] | None = None,
    estimator: EstimatorLike = None,
    beyond: Callable[[Sequence[Option], int], list[Option]] = lambda options, number: [],
) -> Choice:
    """The selected candidate. prepare(train, test, options) runs once per inner fold, score(prepared, option) for each
    option.

    `together`, called with the held-out rows of all inner folds, may return a function that computes the score for each
    fold and option; if it raises NotApplicable, candidates are fitted one after the other. An option that fails on a
    fold is excluded; if all fail, the first exception is raised. `names` are those of the classes, for messages;
    `estimator` is one whose parameters the options change, and says which of them make it simpler. `beyond` gives the
    options to try as well if the one of this number is the best, or the one that the rule selects.
    """
    fold = stratified_folds(y, folds, seed, groups, names)
    held_out = [np.flatnonzero(fold == k) for k in range(folds)]
    choice, new = Choice([], 0, np.empty((folds, 0)), {}), list(options)
    while new:
        judged, failures = _judged(new, held_out, prepare, score, together)
        if failures and not np.isfinite(judged).all(axis=0).any() and not choice.options:
            raise next(iter(failures.values()))
        before = len(choice.options)
        failures = {before + i: error for i, error in failures.items()}
        options, scores = [*choice.options, *new], np.hstack([choice.scores, judged])
        best, number = (RULES[name](options, scores, estimator) for name in ("best", rule))
        choice = Choice(options, number, scores, {**choice.failures, **failures})
        new = beyond(options, best) or beyond(options, number)
    return choice


def _judged(
    options: Sequence[Option],
    held_out: Sequence[np.ndarray],
    prepare: Callable[[np.ndarray, np.ndarray, Sequence[Option]], Any],
    score: Callable[[Any, Option], float],
    together: Callable[..., Any] | None,
) -> tuple[np.ndarray, dict[int, Exception]]:
    """(scores of each fold and option, the first exception of each option that failed)"""

    def one_by_one() -> Iterator[list[Callable[[], float]]]:
        rows = np.arange(sum(map(len, held_out)))
        for test in held_out:
            prepared = prepare(np.delete(rows, test), test, options)
            yield [partial(score, prepared, option) for option in options]

    scores = np.zeros((len(held_out), len(options)))
    failures: dict[int, Exception] = {}
    try:
        computations = one_by_one() if together is None else together(held_out, options)
    except NotApplicable:
        computations = one_by_one()
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
    return scores, failures


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
    near = [
        i
        for i, option in enumerate(options)
        if mean[i] >= mean[best] - error - TIE
        and _others(option, signs) == _others(options[best], signs)
    ]
    return min(near, key=lambda i: (*_complexity(options[i], signs), -mean[i], i))


RULES: dict[str, Callable[[Sequence[Option], np.ndarray, EstimatorLike], int]] = {
    "best": _best,
    "one_standard_error": _one_standard_error,
}


def _directions(names: Iterable[str], estimator: EstimatorLike) -> dict[str, int]:
    """The direction, 1 or −1, of each of the names that makes a model simpler; `step__name` is the step's own."""
    found = {}
    for name in names:
        step, _, own = name.rpartition("__")
        said = getattr(_inside(estimator, step) if step else estimator, "simpler", None)
        directions = said if isinstance(said, Mapping) else BY_NAME
        if own in directions:
            found[name] = directions[own]
    return found


def _inside(estimator: EstimatorLike, step: str) -> EstimatorLike:
    """The estimator that is the parameter of this name; None if it is none, as a transform of a study."""
    try:
        return estimator.get_params()[step]
    except Exception:  # of any library
        return None


def _complexity(option: Mapping[str, Any], signs: Mapping[str, int]) -> tuple[float, ...]:
    """Sort key: smaller is simpler; a value that is no number counts as the least simple."""
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
