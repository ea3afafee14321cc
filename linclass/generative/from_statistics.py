"""Classifiers that are functions of sums over rows: cross-validation, shards and streams for one pass.

Such a classifier defines the sums (`_gather`) and what it learns from them (`_learn`). The sums over the
training rows of a fold are those of all rows minus those of the fold, so cross-validation reads the rows
once, whatever the number of folds (`fit_many`). Sums of shards add up to the sums of all rows (`merge`),
and rows that do not fit into memory are summed block by block (`partial_fit`, `fit_blocks`).
Hastie, Tibshirani & Friedman (2009), §7.10
"""

from __future__ import annotations

import copy
from collections.abc import Iterable, Iterator, Sequence
from typing import Any, Self

import numpy as np

from linclass import validation
from linclass.applicability import NotApplicable
from linclass.class_weights import weights_of_some
from linclass.conventions.classifier import Classifier
from linclass.unfinished import one_warning

Folds = Sequence[np.ndarray]
BALANCED = (
    "class_weight='balanced' depends on all the rows of a fit, and their sums cannot share it."
)


class FromStatistics(Classifier):
    """Base of classifiers that are functions of sums over rows."""

    statistics_: Any

    def _observed(self, X: Any) -> Any:
        """The rows in the form in which they are summed."""
        return X

    def _gather(self, X: Any, codes: np.ndarray, weights: np.ndarray, K: int) -> Any:
        """The sums over these rows of K classes; they can be added, subtracted and checked for cancellation."""
        raise NotImplementedError

    def _left_out(
        self, X: Any, codes: np.ndarray, weights: np.ndarray, K: int, folds: Folds
    ) -> Iterator[Any]:
        """The sums over all rows but those of each fold, in stacks of folds.

        They are the total minus the part. If that cancels too many digits, the rows are summed again.
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
        """The sums over some of the rows of `total`, in its form."""
        raise NotImplementedError

    def _learn_stack(self, stack: Any) -> list[Self]:
        """A model for each fold of a stack; subclasses may compute all of them at once."""
        return [copy.copy(self)._learn(statistics) for statistics in stack.split()]

    def _learn(self, statistics: Any) -> Self:
        """Set everything but `classes_` and the features, from the sums alone."""
        raise NotImplementedError

    def _gathering(self) -> Any:
        """The parameters on which the sums depend: models that agree in them share the sums."""
        return ()

    def _scaled(self, statistics: Any, shift: Any, scale: Any) -> Any:
        """The sums over the rows (x − shift) / scale."""
        return statistics.scaled(shift, scale)

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        X, codes, weights = self._start_fit(X, y, sample_weight)
        self.statistics_ = self._gather(self._observed(X), codes, weights, len(self.classes_))
        return self._learn(self.statistics_)

    @one_warning
    def fit_many(
        self,
        X: Any,
        y: Any,
        folds: Folds,
        params: Sequence[dict[str, Any]],
        scaling: Sequence[tuple[Any, Any]] | None = None,
        sample_weight: Any = None,
    ) -> list[list[Self]]:
        """Fit on the training rows of each fold, for each setting of parameters, with one pass over the rows.

        Raises NotApplicable for class_weight='balanced', which differs from fold to fold.

        Parameters
        ----------
        X : array, sparse matrix or data frame of shape (n, d)
            All rows.
        y : array of shape (n,)
            Class of each row.
        folds : sequence of arrays
            Held-out rows of each fold: indices, or a boolean mask of shape (n,).
        params : sequence of dict
            Parameters to set for each fit of a fold; [{}] fits once with the present ones.
        scaling : sequence of (shift, scale) or None, default=None
            For each fold, fit on (X − shift)/scale. None leaves X as it is.
        sample_weight : array of shape (n,) or None, default=None
            Weight of each row, at least 0; None weighs all rows equally.

        Returns
        -------
        list of lists of estimators
            `fits[fold][param]`, fitted to the rows that are not in the fold.
        """
        asked = self._unfitted()
        X, codes, weights = asked._start_rows(X, y, sample_weight)
        folds, _ = validation.among_weighted(folds, len(y), sample_weight)
        models = [copy.copy(asked).set_params(**param) for param in params]
        for model in models:
            model.check()
            model._refuse_balanced()
        fits: list[list[Any]] = [[None] * len(models) for _ in folds]
        for group in _alike(models):
            first, own = models[group[0]], [models[i] for i in group]
            rows = first._observed(X)
            own_weights = first._class_weighted(codes, weights)
            lefts = first._left_out(rows, codes, own_weights, len(asked.classes_), folds)
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

    def leave_one_out(self, X: Any, y: Any, sample_weight: Any = None) -> np.ndarray:
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
        asked = self._unfitted()
        asked._refuse_balanced()
        rows, codes, weights = asked._start_fit(X, y, sample_weight)
        asked.statistics_ = asked._gather(
            asked._observed(rows), codes, weights, len(asked.classes_)
        )
        Z, lone = asked._scores_of_others(asked._observed(rows), codes, weights)
        return with_refits(asked, X, y, Z, lone, sample_weight)

    def _scores_of_others(
        self, X: Any, codes: np.ndarray, weights: np.ndarray
    ) -> tuple[np.ndarray, np.ndarray]:
        """(scores (n, K), mask of the rows that need a fit of their own): here all of them."""
        return np.zeros((len(codes), len(self.classes_))), np.ones(len(codes), dtype=bool)

    def partial_fit(self, X: Any, y: Any, classes: Any = None, sample_weight: Any = None) -> Self:
        """Update the fit with more rows.

        Parameters
        ----------
        X : array, sparse matrix or data frame of shape (n, d)
            New rows.
        y : array of shape (n,)
            Class of each row.
        classes : sequence or None, default=None
            All classes, also those without rows so far. None takes the classes seen so far.
        sample_weight : array of shape (n,) or None, default=None
            Weight of each row, at least 0; None weighs all rows equally.

        Returns
        -------
        self
        """
        self.take_in(X, y, classes, sample_weight)
        if len(self.classes_) < 2:
            raise NotApplicable(
                f"y has 1 class so far: {self.classes_.tolist()[0]!r}; give classes=[…] at first."
            )
        return self._learn(self.statistics_)

    def fit_blocks(self, blocks: Iterable[tuple[Any, Any]], classes: Any = None) -> Self:
        """Fit to blocks of rows; each is read once, and only one is in memory.

        Parameters
        ----------
        blocks : iterable of (X, y)
            Training rows and their classes.
        classes : sequence or None, default=None
            All classes, also those without rows. None takes the classes that occur.

        Returns
        -------
        self
        """
        self._forget()
        for X, y in blocks:
            self.take_in(X, y, classes)
        if len(getattr(self, "classes_", ())) < 2:
            raise NotApplicable("the blocks hold fewer than two classes; give blocks with rows.")
        return self._learn(self.statistics_)

    def merge(self, other: Self) -> Self:
        """Add the training rows of another fitted classifier, as if this one had been fitted to both.

        Parameters
        ----------
        other : classifier
            Of the same class, parameters and features.

        Returns
        -------
        self
        """
        return self.merge_all([other])

    def merge_all(self, others: Iterable[Self]) -> Self:
        """Add the training rows of several fitted classifiers, and compute the fit once at the end.

        Parameters
        ----------
        others : iterable of classifiers
            Of the same class, parameters and features.

        Returns
        -------
        self
        """
        for other in others:
            self._check_mergeable(other)
            self._add(other.statistics_, other.classes_)
        return self._learn(self.statistics_)

    def _check_mergeable(self, other: Self) -> None:
        if not (hasattr(self, "statistics_") and hasattr(other, "statistics_")):
            raise ValueError("merge needs two fitted classifiers; call fit or partial_fit on both.")
        if self.n_features_in_ != other.n_features_in_ or self._shared() != other._shared():
            raise ValueError(
                "merge needs the same features and parameters in both; fit them alike."
            )
        if self._is_balanced():
            raise ValueError(BALANCED + " Give a dict from class to weight.")
        _check_kind(self.classes_, other.classes_)

    def _shared(self) -> str:
        """What the sums of two models have in common, if it is equal."""
        return repr((self._gathering(), getattr(self, "class_weight", None)))

    def _is_balanced(self) -> bool:
        return isinstance(getattr(self, "class_weight", None), str)

    def _refuse_balanced(self) -> None:
        if self._is_balanced():
            raise NotApplicable(BALANCED + " Fit fold by fold, or give a dict.")

    def _forget(self) -> None:
        for name in ("statistics_", "classes_", "n_features_in_", "feature_names_in_"):
            vars(self).pop(name, None)

    def take_in(self, X: Any, y: Any, classes: Any = None, sample_weight: Any = None) -> None:
        """Add rows to the sums, without computing the fit.

        Parameters
        ----------
        X : array, sparse matrix or data frame of shape (n, d)
            New rows.
        y : array of shape (n,)
            Class of each row.
        classes : sequence or None, default=None
            All classes, also those without rows so far. None takes the classes seen so far.
        sample_weight : array of shape (n,) or None, default=None
            Weight of each row, at least 0; None weighs all rows equally.
        """
        self.check()
        self._gathering()
        known = hasattr(self, "statistics_")
        X = self._check_rows(X) if known else self._matrix_for_fit(X)
        y = validation.labels(y, X.shape[0], type(self).__name__)
        weights = validation.row_weights(sample_weight, X.shape[0])
        found, codes = validation.encode(y)
        class_weight = getattr(self, "class_weight", None)
        if class_weight is not None:
            weights *= weights_of_some(class_weight, found)[codes]
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
        if unknown := sorted(set(self.classes_.tolist()) - set(all_classes.tolist())):
            raise ValueError(
                f"y holds {unknown[0]!r}, which is not in classes={all_classes.tolist()}; add it."
            )
        places = np.searchsorted(all_classes, self.classes_)
        self.statistics_ = self.statistics_.among(places, len(all_classes))
        self.classes_ = all_classes

    def _copy_for(self, classes: np.ndarray) -> Self:
        model = copy.copy(self)
        model.classes_ = classes
        return model


def _learned(models: Sequence[Any], stack: Any, classes: np.ndarray, scaling: Any) -> list[Any]:
    """found[model][fold]; all folds of a stack at once if each has rows of all classes."""
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


def with_refits(
    model: Any, X: Any, y: Any, Z: np.ndarray, lone: np.ndarray, sample_weight: Any = None
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


def _alike(models: Sequence[Any]) -> Iterator[list[int]]:
    """Indices of models that share their sums."""
    keys = [model._shared() for model in models]
    for key in dict.fromkeys(keys):
        yield [i for i, other in enumerate(keys) if other == key]


def _check_kind(known: np.ndarray, new: np.ndarray) -> None:
    """Numbers and strings cannot be sorted together."""
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
