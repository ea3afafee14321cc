"""Classifiers that are functions of sums over rows: k-fold for about one fit, shards, endless rows.

Such a classifier says what it gathers of the rows and what it learns from that. The sums of the
training rows of a fold are those of all rows without the fold's, so cross-validation reads the
rows once however many folds there are (`fit_many`); sums of shards add up to those of all rows
(`merge`), and rows that do not fit into memory are summed block by block (`partial_fit`,
`fit_blocks`).   Hastie, Tibshirani & Friedman (2009), §7.10
"""

from __future__ import annotations

import copy
from collections.abc import Iterable, Iterator, Sequence
from typing import Any, Self

import numpy as np

from linclass import validation
from linclass.conventions import Classifier, NotApplicable

Folds = Sequence[np.ndarray]


class FromStatistics(Classifier):
    statistics_: Any

    def _observed(self, X: Any) -> Any:
        """The rows as they are summed."""
        return X

    def _gather(self, X: Any, codes: np.ndarray, weights: np.ndarray, K: int) -> Any:
        """The sums over these rows of K classes; they add, subtract and know what is `lost`."""
        raise NotImplementedError

    def _left_out(
        self, X: Any, codes: np.ndarray, weights: np.ndarray, K: int, folds: Folds
    ) -> Iterator[Any]:
        """The sums over all rows but the fold's, in stacks of folds: the total without the part.

        Where the part was nearly all, the difference is rounding: those rows are summed anew.
        """
        total = self._gather(X, codes, weights, K)
        for rows in folds:
            left = total - self._gather_part(total, X[rows], codes[rows], weights[rows])
            if left.lost(total):
                kept = np.ones(len(codes), dtype=bool)
                kept[rows] = False
                left = self._gather(X[kept], codes[kept], weights[kept], K)
            yield left.stacked()

    def _gather_part(self, total: Any, X: Any, codes: np.ndarray, weights: np.ndarray) -> Any:
        """Sums over some of the rows that `total` is of, in its form."""
        raise NotImplementedError

    def _learn_stack(self, stack: Any) -> list[Self]:
        """A model for each fold of a stack; those that can learn of all at once are quicker."""
        return [copy.copy(self)._learn(statistics) for statistics in stack.split()]

    def _learn(self, statistics: Any) -> Self:
        """Everything but `classes_` and the number and names of features, from the sums alone."""
        raise NotImplementedError

    def _gathering(self) -> Any:
        """What the sums depend on of the parameters: models that agree in it share them."""
        return ()

    def _scaled(self, statistics: Any, shift: Any, scale: Any) -> Any:
        """The sums over the rows (x − shift) / scale."""
        return statistics.scaled(shift, scale)

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        X, codes, weights = self._start_fit(X, y, sample_weight)
        self.statistics_ = self._gather(self._observed(X), codes, weights, len(self.classes_))
        return self._learn(self.statistics_)

    def fit_many(
        self,
        X: Any,
        y: Any,
        folds: Folds,
        params: Sequence[dict[str, Any]],
        scaling: Sequence[tuple[Any, Any]] | None = None,
    ) -> list[list[Self]]:
        """fits[fold][param]: what refitting would give on all rows but those of `folds[fold]`.

        With `scaling`, (shift, scale) of each fold, it is what refitting on (X − shift)/scale gives.
        """
        asked = self._unfitted()
        X, codes, weights = asked._start_fit(X, y)
        folds = validation.held_out_rows(folds, len(codes))
        models = [copy.copy(asked).set_params(**param) for param in params]
        for model in models:
            model.check()
        fits: list[list[Any]] = [[None] * len(models) for _ in folds]
        for group in _alike(models):
            first, own = models[group[0]], [models[i] for i in group]
            rows = first._observed(X)
            lefts = first._left_out(rows, codes, weights, len(asked.classes_), folds)
            begin = 0
            for stack in lefts:
                end = begin + len(stack.mass)
                units = None if scaling is None else scaling[begin:end]
                for i, found in zip(
                    group, _learned(own, stack, asked.classes_, units), strict=True
                ):
                    for fold, fit in zip(fits[begin:end], found, strict=True):
                        fold[i] = fit
                begin = end
        return fits

    def leave_one_out(self, X: Any, y: Any) -> np.ndarray:
        """`decision_function` of each row by the model of all the others; of absent classes −∞."""
        asked = self._unfitted()
        rows, codes, weights = asked._start_fit(X, y)
        asked.statistics_ = asked._gather(
            asked._observed(rows), codes, weights, len(asked.classes_)
        )
        Z, lone = asked._scores_of_others(asked._observed(rows), codes)
        return with_refits(asked, X, y, Z, lone)

    def _scores_of_others(self, X: Any, codes: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """(scores (n, K), which rows are to be fitted without instead): here all of them."""
        return np.zeros((len(codes), len(self.classes_))), np.ones(len(codes), dtype=bool)

    def partial_fit(self, X: Any, y: Any, classes: Any = None, sample_weight: Any = None) -> Self:
        """Learn of more rows. Classes may come later; `classes` says them now, without rows."""
        self.take_in(X, y, classes, sample_weight)
        if len(self.classes_) < 2:
            raise NotApplicable(
                f"y has 1 class so far: {self.classes_.tolist()[0]!r}; give classes=[…] at first."
            )
        return self._learn(self.statistics_)

    def fit_blocks(self, blocks: Iterable[tuple[Any, Any]], classes: Any = None) -> Self:
        """Fit on an iterator of (X, y): each block is read once, and only one is in memory."""
        self._forget()
        for X, y in blocks:
            self.take_in(X, y, classes)
        if len(getattr(self, "classes_", ())) < 2:
            raise NotApplicable("the blocks hold fewer than two classes; give blocks with rows.")
        return self._learn(self.statistics_)

    def merge(self, other: Self) -> Self:
        """As if this one had been fitted on the rows of both."""
        return self.merge_all([other])

    def merge_all(self, others: Iterable[Self]) -> Self:
        """`merge` with several at once, which is learned from at the end alone."""
        for other in others:
            self._check_mergeable(other)
            self._add(other.statistics_, other.classes_)
        return self._learn(self.statistics_)

    def _check_mergeable(self, other: Self) -> None:
        if not (hasattr(self, "statistics_") and hasattr(other, "statistics_")):
            raise ValueError("merge needs two fitted classifiers; call fit or partial_fit on both.")
        if self.n_features_in_ != other.n_features_in_ or self._gathering() != other._gathering():
            raise ValueError(
                "merge needs the same features and parameters in both; fit them alike."
            )
        _check_kind(self.classes_, other.classes_)

    def _forget(self) -> None:
        for name in ("statistics_", "classes_", "n_features_in_", "feature_names_in_"):
            vars(self).pop(name, None)

    def take_in(self, X: Any, y: Any, classes: Any = None, sample_weight: Any = None) -> None:
        """Add the sums of more rows, and learn nothing of them yet."""
        self.check()
        self._gathering()
        known = hasattr(self, "statistics_")
        X = self._check_rows(X) if known else self._matrix_for_fit(X)
        y = validation.labels(y, X.shape[0], type(self).__name__)
        weights = validation.row_weights(sample_weight, X.shape[0])
        found, codes = validation.encode(y)
        sums = self._gather(self._observed(X), codes, weights, len(found))
        if known:
            _check_kind(self.classes_, found)
            self._add(sums, found)
        else:
            self.statistics_, self.classes_ = sums, found
        if classes is not None:
            self._widen(np.asarray(classes))

    def _add(self, sums: Any, classes: np.ndarray) -> None:
        both = np.union1d(self.classes_, classes)
        mine = self.statistics_.among(np.searchsorted(both, self.classes_), len(both))
        theirs = sums.among(np.searchsorted(both, classes), len(both))
        self.statistics_, self.classes_ = mine + theirs, both

    def _widen(self, classes: np.ndarray) -> None:
        all_classes = np.unique(classes)
        if strangers := sorted(set(self.classes_.tolist()) - set(all_classes.tolist())):
            raise ValueError(
                f"y holds {strangers[0]!r}, which is not in classes={all_classes.tolist()}; add it."
            )
        places = np.searchsorted(all_classes, self.classes_)
        self.statistics_ = self.statistics_.among(places, len(all_classes))
        self.classes_ = all_classes

    def _copy_for(self, classes: np.ndarray) -> Self:
        model = copy.copy(self)
        model.classes_ = classes
        return model


def _learned(models: Sequence[Any], stack: Any, classes: np.ndarray, scaling: Any) -> list[Any]:
    """found[model][fold], all folds of a stack at once where each has rows of all classes."""
    if (stack.mass > 0).all():
        if scaling is not None:
            shift, scale = map(np.array, zip(*scaling, strict=True))
            stack = models[0]._scaled(stack, shift, scale)
        return [model._copy_for(classes)._learn_stack(stack) for model in models]
    found: list[list[Any]] = [[] for _ in models]
    for j, left in enumerate(stack.split()):
        sums, seen = of_present_classes(left, classes)
        if scaling is not None:
            sums = models[0]._scaled(sums, *scaling[j])
        for model, fits in zip(models, found, strict=True):
            fits.append(model._copy_for(seen)._learn(sums))
    return found


def with_refits(model: Any, X: Any, y: Any, Z: np.ndarray, lone: np.ndarray) -> np.ndarray:
    """Scores Z (n, K) of rows by the models of the others, those of lone rows fitted without them."""
    alone = np.flatnonzero(lone)
    if len(alone):
        frame = validation.matrix(X, sparse=model.takes_sparse)
        fits = model.fit_many(frame, y, [np.array([i]) for i in alone], [{}])
        for i, (fit,) in zip(alone, fits, strict=True):
            seen = np.isin(model.classes_, fit.classes_)
            z = fit.decision_function(frame[[i]])
            Z[i] = np.where(seen, 0, -np.inf)
            Z[i, seen] = z[0] if z.ndim == 2 else (0, z[0])
    if Z.shape[1] > 2:
        return Z
    with np.errstate(invalid="ignore"):
        return Z[:, 1] - Z[:, 0]


def _alike(models: Sequence[Any]) -> Iterator[list[int]]:
    """Numbers of models that gather the same."""
    keys = [repr(model._gathering()) for model in models]
    for key in dict.fromkeys(keys):
        yield [i for i, other in enumerate(keys) if other == key]


def _check_kind(known: np.ndarray, new: np.ndarray) -> None:
    """Numbers and words have no order among each other."""
    if isinstance(known.tolist()[0], str) != isinstance(new.tolist()[0], str):
        raise ValueError(
            f"y holds {new.tolist()[0]!r}, but the classes so far are {known.tolist()[:3]}; "
            "give all labels as numbers or all as words."
        )


def of_present_classes(statistics: Any, classes: np.ndarray) -> tuple[Any, np.ndarray]:
    kept = statistics.mass > 0
    if kept.all():
        return statistics, classes
    if kept.sum() < 2:
        raise NotApplicable("a fold leaves rows of fewer than two classes; use fewer folds.")
    return statistics.of_classes(kept), classes[kept]
