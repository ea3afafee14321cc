"""Honest tuning: every candidate is judged on rows that its fit, transforms included, has not seen.

The rows given here are a training set; its inner folds are dealt by a seed of their own. The candidate
of best mean score wins; of equals the one with the stronger penalty, else the earlier one.

Varma & Simon (2006), Bias in error estimation when using cross-validation for model selection.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial
from itertools import product
from typing import Any

import numpy as np

from linclass.resampling import stratified_folds

# Which way a parameter makes the penalty stronger, in our words and in scikit-learn's.
STRONGER = {"strength": 1, "alpha": 1, "shrinkage": 1, "reg_param": 1, "C": -1}
TIE = 1e-12


def candidates(tune: Mapping[str, Any]) -> list[dict[str, Any]]:
    """Every combination of the listed values, the first parameter varying slowest."""
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
) -> dict[str, Any]:
    """The best of `options`. prepare(train, test) is done once per inner fold, score(prepared, option) for each.

    `together`, given the held-out rows of all inner folds, may answer with a score to be asked for of each
    fold and option; where it refuses or fails, one is fitted after the other. An option that fails on a fold
    is out; if all are, the first failure is the answer's reason.
    """
    fold = stratified_folds(y, folds, seed)
    held_out = [np.flatnonzero(fold == k) for k in range(folds)]
    total = np.zeros(len(options))
    failure: Exception | None = None
    for scores in _at_once(together, held_out) or _one_by_one(options, fold, prepare, score):
        for i, ask in enumerate(scores):
            if not np.isfinite(total[i]):
                continue
            try:
                total[i] += ask()
            except MemoryError:
                raise
            except Exception as error:
                failure = failure or error
                total[i] = -np.inf
    if failure is not None and not np.isfinite(total).any():
        raise failure
    best = [i for i, value in enumerate(total) if value >= total.max() - TIE * folds]
    return options[min(best, key=lambda i: (*_weakness(options[i]), i))]


def _at_once(together: Callable[..., Any] | None, held_out: list[np.ndarray]) -> Any:
    """What `together` answers; None where one fit after another must do, and says what goes wrong."""
    try:
        return None if together is None else together(held_out)
    except Exception:
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
    """Smaller is more strongly penalized; parameters that are no strengths do not count."""
    named = [(name.rpartition("__")[2], value) for name, value in option.items()]
    return tuple(
        -STRONGER[name] * float(value)
        for name, value in named
        if name in STRONGER and isinstance(value, int | float)
    )


def _values(spec: Any) -> list[Any]:
    if isinstance(spec, Mapping):
        start, stop, count = spec["logspace"]
        return [float(v) for v in np.logspace(start, stop, count)]
    return list(spec)
