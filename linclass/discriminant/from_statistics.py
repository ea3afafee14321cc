"""Classifiers that are functions of sums over rows: cross-validation for one pass.

Such a classifier defines the sums (`_gather`) and what it learns from them (`_learn`). The sums over the
training rows of a fold are those of all rows minus those of the fold, so cross-validation reads the rows
once, whatever the number of folds (`fit_many`). The sums also grow by rows and shards (increments.py).
Hastie, Tibshirani & Friedman (2009), §7.10
"""

from __future__ import annotations

import copy
from collections.abc import Hashable, Iterator, Sequence
from typing import Any, Generic, Self, TypeVar

import numpy as np

from linclass.base import validation
from linclass.base.arrays import ArrayLike, EstimatorLike, Matrix, MatrixLike
from linclass.base.many_fits import Folds, ManyFits, Scaling
from linclass.base.messages import NotApplicable
from linclass.base.weights import count_factor, have_weight
from linclass.discriminant.increments import BALANCED, Increments, Sums
from linclass.discriminant.left_out import HeldOut, sums_left_out
from linclass.discriminant.statistics.additive import Scalable, Stack

Scaled = TypeVar("Scaled", bound=Scalable)
Model = TypeVar("Model", bound="FromStatistics[Any, Any]")
Folded = TypeVar("Folded", bound=Stack)  # the sums of several folds


class FromStatistics(ManyFits, Increments[Sums], Generic[Sums, Folded]):
    """Base of classifiers that are functions of sums over rows."""

    def _left_out(
        self, X: Matrix, codes: np.ndarray, weights: np.ndarray, K: int, folds: HeldOut
    ) -> Iterator[Folded]:
        """The sums over all rows but those of each fold, in stacks of folds."""
        return sums_left_out(self._gather, X, codes, weights, K, folds)

    def _learn_stack(self, stack: Folded) -> list[Self]:
        """A model for each fold of a stack; subclasses may compute all of them at once."""
        return [copy.copy(self)._learn(statistics) for statistics in stack.split()]

    def _scaled(self, statistics: Scaled, shift: np.ndarray, scale: np.ndarray) -> Scaled:
        """The sums over the rows (x − shift) / scale."""
        return statistics.scaled(shift, scale)

    def fit(self, X: MatrixLike, y: ArrayLike, sample_weight: ArrayLike | None = None) -> Self:
        self._summed(X, y, sample_weight)
        return self._learn_all()

    def _start_fit(
        self, X: MatrixLike, y: ArrayLike, sample_weight: ArrayLike | None = None
    ) -> tuple[Matrix, np.ndarray, np.ndarray]:
        """With the weights as they are given: it is the sums that count rows (`_counted`)."""
        X, codes, weights = self._start_rows(X, y, sample_weight)
        return X, codes, self._class_weighted(codes, weights)

    def _summed(
        self, X: MatrixLike, y: ArrayLike, sample_weight: ArrayLike | None
    ) -> tuple[Matrix, np.ndarray, np.ndarray]:
        """(rows, class codes, weights), checked; sets `statistics_` to their sums."""
        X, codes, weights = self._start_fit(X, y, sample_weight)
        rows, self._n_rows = self._observed(X), int(have_weight(weights).sum())
        self.statistics_ = self._gather(rows, codes, weights, len(self.classes_))
        return rows, codes, weights

    def _fit_group(self) -> Hashable:
        return self._shared()

    def _fit_together(self, models: list[Self], folds: Folds) -> list[list[Self]]:
        """With one pass over the rows; class_weight='balanced' differs from fold to fold."""
        checked = models[0]
        checked._refuse_balanced()
        X, codes, weights = checked._start_fit(folds.X, folds.y, folds.sample_weight)
        own = [copy.copy(checked).set_params(**m.get_params(deep=False)) for m in models]
        K = len(checked.classes_)
        lefts = checked._left_out(checked._observed(X), codes, weights, K, folds.held_out)
        there = have_weight(weights)
        n_rows = there.sum() - np.array([there[rows].sum() for rows in folds.held_out])
        fits: list[list[Self]] = []
        for stack in lefts:
            rest = slice(len(fits), len(fits) + len(stack.mass))
            factors = count_factor(stack.mass.sum(axis=1), n_rows[rest])
            if any(model._counts_rows for model in own) and (factors > 1).any():
                stack = stack.times(factors)
            units = None if folds.scaling is None else folds.scaling[rest]
            fits += map(list, zip(*_learned(own, stack, checked.classes_, units), strict=True))
        return fits

    def leave_one_out(
        self, X: MatrixLike, y: ArrayLike, sample_weight: ArrayLike | None = None
    ) -> np.ndarray:
        """Scores of each row by the model fitted to all other rows.

        Raises NotApplicable for class_weight='balanced', which differs from row to row.

        Parameters
        ----------
        X : array, sparse matrix or data frame of shape (n, d)
            All rows.
        y : array of shape (n,)
            Class of each row.
        sample_weight : array of shape (n,) or None, default=None
            Weight of each row, at least 0; None weighs all rows equally.

        Returns
        -------
        array of shape (n,) for two classes, (n, K) for more
            As `decision_function`; −∞ for a class without other rows.
        """
        checked = self._unfitted()
        checked._refuse_balanced()
        rows, codes, weights = checked._summed(X, y, sample_weight)
        least = weights.sum() - weights.max(), checked._n_rows - 1
        relative = (
            checked._counts_rows and count_factor(*least) > 1
        )  # the factor depends on the row
        scores = FromStatistics._scores_of_others if relative else type(checked)._scores_of_others
        Z, lone = scores(checked, rows, codes, weights)
        return with_refits(checked, X, np.asarray(y), Z, lone, sample_weight)

    def _scores_of_others(
        self, X: Matrix, codes: np.ndarray, weights: np.ndarray
    ) -> tuple[np.ndarray, np.ndarray]:
        """(scores (n, K), mask of the rows that need a fit of their own): here all of them."""
        return np.zeros((len(codes), len(self.classes_))), np.ones(len(codes), dtype=bool)

    def _refuse_balanced(self) -> None:
        if self._is_balanced():
            raise NotApplicable(BALANCED + " Fit fold by fold, or give a dict.")

    def _copy_for(self, classes: np.ndarray) -> Self:
        model = copy.copy(self)
        model.classes_ = classes
        return model


def _learned(
    models: Sequence[Model], stack: Stack, classes: np.ndarray, scaling: Scaling | None
) -> list[list[Model]]:
    """found[model][fold]; all folds of a stack at once if each has rows of all classes."""
    if (stack.mass > 0).all():
        if scaling is not None:
            shift, scale = map(np.array, zip(*scaling, strict=True))
            stack = models[0]._scaled(stack, shift, scale)
        return [model._copy_for(classes)._learn_stack(stack) for model in models]
    found: list[list[Model]] = [[] for _ in models]
    for j, left in enumerate(stack.split()):
        sums, seen = of_present_classes(left, classes)
        if scaling is not None:
            sums = models[0]._scaled(sums, *scaling[j])
        for model, fits in zip(models, found, strict=True):
            fits.append(model._copy_for(seen)._learn(sums))
    return found


def with_refits(
    model: EstimatorLike,
    X: MatrixLike,
    y: np.ndarray,
    Z: np.ndarray,
    lone: np.ndarray,
    sample_weight: ArrayLike | None = None,
) -> np.ndarray:
    """Scores Z (n, K) by the models of the other rows; rows marked `lone` get a fit of their own.

    Z and `lone` are of the rows whose weight is not zero. The others are scored by the fit to those.
    """
    kept = validation.row_weights(sample_weight, len(y)) > 0
    if not kept.all():
        known, Z, lone = (Z, lone), np.zeros((len(y), Z.shape[1])), ~kept
        Z[kept], lone[kept] = known
    alone = np.flatnonzero(lone)
    if len(alone):
        frame = validation.matrix(X, sparse=model.takes_sparse)
        folds = [np.array([i]) for i in alone]
        fits = model.fit_many(frame, y, folds, [{}], None, sample_weight)
        for i, (fit,) in zip(alone, fits, strict=True):
            seen = np.isin(model.classes_, fit.classes_)
            z = fit.decision_function(frame[[i]])
            Z[i] = np.where(seen, 0, -np.inf)
            Z[i, seen] = z[0] if z.ndim == 2 else (0, z[0])
    if Z.shape[1] > 2:
        return Z
    with np.errstate(invalid="ignore"):
        return Z[:, 1] - Z[:, 0]


def of_present_classes(statistics: Sums, classes: np.ndarray) -> tuple[Sums, np.ndarray]:
    kept = statistics.mass > 0
    if kept.all():
        return statistics, classes
    if kept.sum() < 2:
        raise NotApplicable("a fold leaves rows of fewer than two classes; use fewer folds.")
    return statistics.of_classes(kept), classes[kept]
