"""All metrics of a stack of folds, in blocks that stay in the cache."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from contextlib import suppress
from typing import Any

import numpy as np

from linclass.evaluation import metrics
from linclass.evaluation.metrics.predictions import Array, Predictions

BLOCK = 1 << 18  # scores, n × K of each fold, that are worked on at a time


def measure(p: Predictions, names: Iterable[str] | None = None) -> dict[str, Array]:
    """Metrics of each fold of a stack.

    Parameters
    ----------
    p : Predictions
        Of B folds: arrays (B, n) and (B, n, K).
    names : iterable of str, optional
        Names of metrics; by default all of them.

    Returns
    -------
    dict of str to array of shape (B,)
        Metric → its value of each fold, NaN where it is not defined.
    """
    wanted = {name: metrics.find(name) for name in (metrics.names() if names is None else names)}
    folds = len(p.score)
    step = max(1, BLOCK * folds // max(1, p.score.size))
    values: dict[str, list[Array]] = {name: [np.empty(0)] for name in wanted}
    for begin in range(0, folds, step):
        block = p[begin : begin + step]
        for name, metric in wanted.items():
            values[name].append(_of(metric, block))
    return {name: np.concatenate(parts) for name, parts in values.items()}


def _of(metric: Callable[[Predictions], Any], block: Predictions) -> Array:
    """A metric for single folds is computed fold by fold."""
    with suppress(Exception):  # a single fold below raises it again
        value = np.asarray(metric(block), dtype=np.float64)
        if value.shape == block.shape:
            return value
    each = [metric(block[k]) for k in range(len(block.score))]
    return np.array([np.nan if value is None else value for value in each], dtype=np.float64)
