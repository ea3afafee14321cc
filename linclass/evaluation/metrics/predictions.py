"""The argument of every metric: the predictions for held-out rows, of one fold or a stack of folds."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from functools import cached_property
from math import prod
from typing import Any, NamedTuple

import numpy as np

from linclass.evaluation import metrics

Array = np.ndarray
BLOCK = 1 << 18  # scores, n × K of each fold, that are worked on at a time


class Metric(NamedTuple):
    """A metric, called with Predictions.

    Attributes
    ----------
    function : callable
        Maps Predictions to a value, or a stack of them to a value of each; NaN where the metric is not defined.
    greater_is_better : bool
        Whether greater values are better.
    bounds : (float, float)
        The least and the greatest value that it can have.
    """

    function: Callable[[Predictions], Any]
    greater_is_better: bool = True
    bounds: tuple[float, float] = (0.0, 1.0)

    def __call__(self, p: Predictions) -> Any:
        return self.function(p)


@dataclass(frozen=True, eq=False)
class Predictions:
    """Predictions for n rows and K classes; stacks of them have further leading axes (folds, methods, …).

    Parameters
    ----------
    y_true : array of shape (…, n)
        True class codes 0, ..., K − 1.
    y_pred : array of shape (…, n)
        Predicted codes, or indices of actions if a decision rule has more actions than classes.
    score : array of shape (…, n, K)
        Scores; −z/2 and z/2 for two classes.
    log_proba : array of shape (…, n, K) or None
        Logarithms of class probabilities; None for a method without probabilities.
    positive : int
        Code of the class that precision, recall, F1 and AUC refer to if K = 2.
    weight : array of shape (…, n) or None, default=None
        Weights of rows, at least 0: weight 2 counts as two rows. None weighs all rows equally.
    costs : array of shape (actions, K) or None, default=None
        Cost of each action in each class.

    Notes
    -----
    Folds of different sizes are stacked with additional rows of weight 0, see `stack`.
    """

    y_true: Array
    y_pred: Array
    score: Array
    log_proba: Array | None
    positive: int
    weight: Array | None = None
    costs: Sequence[Sequence[float]] | Array | None = None
    kept: dict[Any, Any] = field(default_factory=dict, init=False, repr=False)  # shared results

    @classmethod
    def stack(cls, folds: Sequence[Predictions]) -> Predictions:
        """Stack folds of any sizes along a new first axis.

        Parameters
        ----------
        folds : sequence of Predictions
            The folds; all or none must have probabilities.

        Returns
        -------
        Predictions
        """
        n = max(len(fold.y_true) for fold in folds)
        weights = [np.ones(len(f.y_true)) if f.weight is None else f.weight for f in folds]

        def filled(arrays: list[Array]) -> Array:
            gaps = [((0, n - len(a)),) + ((0, 0),) * (a.ndim - 1) for a in arrays]
            return np.stack([np.pad(a, gap) for a, gap in zip(arrays, gaps, strict=True)])

        probabilities = [fold.log_proba for fold in folds if fold.log_proba is not None]
        if probabilities and len(probabilities) < len(folds):
            raise ValueError(
                "some folds have probabilities and others have none; stack them apart."
            )
        return cls(
            filled([fold.y_true for fold in folds]),
            filled([fold.y_pred for fold in folds]),
            filled([fold.score for fold in folds]),
            filled(probabilities) if probabilities else None,
            folds[0].positive,
            filled(weights),
            folds[0].costs,
        )

    def __getitem__(self, which: Any) -> Predictions:
        """Some of a stack, or one."""
        return replace(
            self,
            y_true=self.y_true[which],
            y_pred=self.y_pred[which],
            score=self.score[which],
            log_proba=None if self.log_proba is None else self.log_proba[which],
            weight=None if self.weight is None else self.weight[which],
        )

    @property
    def n_classes(self) -> int:
        return self.score.shape[-1]

    @property
    def shape(self) -> tuple[int, ...]:
        """Shape of the stack of folds, and so of every metric; () for one fold."""
        return self.score.shape[:-2]

    @property
    def undefined(self) -> Array:
        return np.full(self.shape, np.nan)[()]

    @property
    def total(self) -> Array:
        """The rows of each fold, by their weights."""
        if self.weight is None:
            return np.full(self.shape, self.y_true.shape[-1])[()]
        return self.weight.sum(axis=-1)

    def mean(self, values: Array) -> Array:
        """Weighted mean over the rows of values (…, n); NaN without rows."""
        weighted = values if self.weight is None else values * self.weight
        return defined_ratio(weighted.sum(axis=-1), self.total)

    def once(self, function: Callable[[Predictions], Any]) -> Any:
        """function(self), computed once for all metrics that need it."""
        if function not in self.kept:
            self.kept[function] = function(self)
        return self.kept[function]

    @property
    def place(self) -> Array:
        """The number of each fold in the stack, with an axis for its rows."""
        return np.arange(prod(self.shape)).reshape(*self.shape, 1)

    @cached_property
    def of_truth(self) -> Array:
        """Index of each row's true class in `score.ravel()` and `log_proba.ravel()`."""
        n, K = self.score.shape[-2:]
        return np.arange(0, self.score.size, K).reshape(*self.shape, n) + self.y_true

    @cached_property
    def confusion(self) -> Array:
        """C[…, i, j] = the rows of class i that are predicted as j; counted once for all metrics."""
        K = self.n_classes
        width = max(K, int(self.y_pred.max(initial=0)) + 1)
        if width == 2 and self.weight is None:
            return _two_by_two(self.y_true, self.y_pred)
        cells = prod(self.shape) * K * width
        first = (self.place * K).astype(np.int32 if cells < 2**31 else np.int64)
        cell = (first + self.y_true) * width + self.y_pred
        weight = None if self.weight is None else self.weight.ravel()
        return np.bincount(cell.ravel(), weight, cells).reshape(*self.shape, K, width)

    @property
    def per_class(self) -> tuple[Array, Array, Array]:
        """(right, predicted, actual), each (…, K): the rows that are of a class and predicted as it, that are predicted
        as it, and that are of it.
        """
        C, K = self.confusion, self.n_classes
        return np.diagonal(C, axis1=-2, axis2=-1), C.sum(axis=-2)[..., :K], C.sum(axis=-1)

    @property
    def of_rest(self) -> tuple[Array, Array, Array]:
        """`per_class` of the complement of each class; sums, not differences, so that a sum of no weights is 0."""
        assigned, K = self.confusion[..., : self.n_classes], self.n_classes
        referred = self.confusion[..., K:].sum(axis=-1)  # to actions that are no class
        own = np.eye(K, dtype=bool)
        # [k, j]: rows of other classes than k that are predicted as j
        others = assigned.sum(axis=-2, keepdims=True) - assigned
        right = np.where(own, 0, others).sum(axis=-1)
        missed = np.where(own, 0, assigned).sum(axis=-1)
        alarms = np.diagonal(others, axis1=-2, axis2=-1)
        elsewhere = referred.sum(axis=-1, keepdims=True) - referred
        return right, right + missed, right + alarms + elsewhere


def _two_by_two(y: Array, y_pred: Array) -> Array:
    """The confusion matrix of codes 0 and 1 by sums, three times as fast as by counting cells."""
    wide = np.result_type(y, y_pred, np.int32)
    n = np.asarray(y.shape[-1])
    actual, predicted, both = (c.sum(axis=-1, dtype=wide) for c in (y, y_pred, y & y_pred))
    C = [[n - actual - predicted + both, predicted - both], [actual - both, both]]
    return np.moveaxis(np.array(C, dtype=np.int64), (0, 1), (-2, -1))


def defined_ratio(numerator: Any, denominator: Any) -> Array:
    """numerator/denominator; NaN (undefined) where the denominator is 0."""
    shape = np.broadcast_shapes(np.shape(numerator), np.shape(denominator))
    positive = np.greater(denominator, 0)
    return np.divide(numerator, denominator, out=np.full(shape, np.nan), where=positive)[()]


def measure(p: Predictions, names: Iterable[str] | None = None) -> dict[str, Array]:
    """Metrics of each fold of a stack.

    Parameters
    ----------
    p : Predictions
        Of B folds: arrays (B, n) and (B, n, K).
    names : iterable of str or None, default=None
        Names of metrics; None is all of them.

    Returns
    -------
    dict of str to array of shape (B,)
        Metric → its value of each fold, NaN where it is not defined.
    """
    wanted = {name: metrics.find(name) for name in (metrics.names() if names is None else names)}
    folds = len(p.score)
    step = max(1, BLOCK * folds // max(1, p.score.size))  # blocks that stay in the cache
    values: dict[str, list[Array]] = {name: [np.empty(0)] for name in wanted}
    for begin in range(0, folds, step):
        block = p[begin : begin + step]
        for name, metric in wanted.items():
            values[name].append(_of_folds(metric, block))
    return {name: np.concatenate(parts) for name, parts in values.items()}


def _of_folds(metric: Any, block: Predictions) -> Array:
    """A metric for single folds is computed fold by fold."""
    with suppress(Exception):  # a single fold below raises it again
        value = np.asarray(metric(block), dtype=np.float64)
        if value.shape == block.shape:
            return value
    each = [metric(block[k]) for k in range(len(block.score))]
    return np.array([np.nan if value is None else value for value in each], dtype=np.float64)
