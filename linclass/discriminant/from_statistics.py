"""Classifiers that are functions of sums over rows, such as the means and covariances of the classes.

Such a classifier defines the sums (`_gather`) and what it learns from them (`_estimates`, `_set_estimates`). The sums
of shards add up to those of all rows (`merge`), and rows that do not fit into memory are summed block by block
(`partial_fit`, `fit_blocks`). The sums over the training rows of a fold are those of all rows minus those of the
fold, so cross-validation reads the rows once, whatever the number of folds (`fit_many`).
Hastie, Tibshirani & Friedman (2009), §7.10
"""

from __future__ import annotations

import copy
from collections.abc import Hashable, Iterable, Iterator, Sequence
from typing import Any, ClassVar, Self

import numpy as np

from linclass.base import validation
from linclass.base.arrays import Array, ArrayLike, Matrix, MatrixLike
from linclass.base.classifier import Classifier
from linclass.base.estimator import compare_names
from linclass.base.many_fits import Folds, Scaling, fit_many, leave_one_out
from linclass.base.messages import NotApplicable, counted
from linclass.base.parameters import key_of
from linclass.base.validation import (
    count_factor,
    have_weight,
    warn_of_relative_weights,
    weights_of_some,
)
from linclass.discriminant.class_moments import ClassMoments
from linclass.discriminant.fold_sums import HeldOut, moments_left_out

BALANCED = (
    "class_weight='balanced' depends on all the rows of a fit, and their sums cannot share it."
)
UNFITTED = "merge needs two fitted classifiers; call fit or partial_fit on both."
WITHOUT_SUMS = (
    "This fit kept no sums of its rows, to which more rows could be added; give all rows to fit, or "
    "all to partial_fit of a new estimator."
)
OTHER_SUMS = (
    "parameters on which the sums of the rows depend were changed since; set them back, or give all rows to a new "
    "estimator."
)

Priors = str | Sequence[float] | None
# indices of folds, and the shard of each row (its fold's position; the last for the rest)
Partition = tuple[list[int], Array]


class FromStatistics(Classifier):
    """Base of classifiers that are functions of sums over rows.

    Sums are `ClassMoments`, unless a subclass overrides `_gather`; other sums have the same methods (as
    naive_bayes/class_sums.py). The sums of several folds are a stack, with a leading axis.

    Attributes
    ----------
    statistics_ : object
        The sums over rows that the fit is a function of; `partial_fit` and `merge` add to them.
    """

    sums_count_rows: ClassVar[bool] = True  # `_counted`
    statistics_: Any  # before `_counted` rescales the weights
    _summed_with: dict[str, Any]  # parameters when the rows were summed
    _n_rows: int  # number of rows of positive weight

    fit_many, leave_one_out = fit_many, leave_one_out

    def _form(self, X: Matrix, K: int) -> str:
        """The form of the moments for these rows of K classes (class_moments.FORMS)."""
        raise NotImplementedError

    def _gather(self, X: Matrix, codes: np.ndarray, weights: np.ndarray, K: int) -> Any:
        """The sums over these rows of K classes."""
        return ClassMoments.of(X, codes, weights, K, self._form(X, K))

    def _left_out(
        self, X: Matrix, codes: np.ndarray, weights: np.ndarray, K: int, folds: HeldOut
    ) -> Iterator[Any]:
        """The sums over all rows but those of each fold, in stacks of folds."""
        return moments_left_out(X, codes, weights, K, self._form(X, K), folds)

    def _parameters_of_sums(self) -> object:
        """The parameters on which the sums depend: models that agree in them share the sums."""
        return ()

    def _estimates(self, stack: Any) -> Iterable[tuple[Any, ...]]:
        """What `_set_estimates` takes, for each fold of a stack: here the sums of the fold."""
        return ((fold,) for fold in stack.split())

    def _set_estimates(self, *estimates: Any) -> Self:
        """Set the fitted attributes but `classes_` and those of the features."""
        raise NotImplementedError

    def _learn(self) -> Self:
        """Set the fitted attributes from `statistics_`."""
        (estimates,) = self._estimates(self._counted().stacked())
        return self._set_estimates(*estimates)

    def _counted(self) -> Any:
        """`statistics_`, with weights that count rows if the fit depends on it."""
        factor = float(count_factor(self.statistics_.mass.sum(), self._n_rows))
        rescaled = factor > 1 and self._counts_rows
        return self.statistics_.times(factor) if rescaled else self.statistics_

    def fit(self, X: MatrixLike, y: ArrayLike, sample_weight: ArrayLike | None = None) -> Self:
        self._sum_rows(*self._start_fit(X, y, sample_weight))
        return self._learn()

    def _sum_rows(self, X: Matrix, codes: np.ndarray, weights: np.ndarray) -> None:
        """Set `statistics_` to the sums over these rows."""
        self._n_rows = int(have_weight(weights).sum())
        self.statistics_ = self._gather(X, codes, weights, len(self.classes_))
        self._summed_with = self.get_params(deep=False)

    def _shared(self) -> Hashable:
        """Key of what the sums depend on: models with equal keys can share the sums."""
        return key_of((self._parameters_of_sums(), getattr(self, "class_weight", None)))

    _fit_group = _shared

    def _shared_when_summed(self) -> Hashable:
        return type(self)(**self._summed_with)._shared()

    def _fit_together(self, models: list[Self], folds: Folds) -> list[list[Self]]:
        """Fit with one pass over the rows; class_weight='balanced' is refused, as it differs from fold to fold."""
        checked = models[0]
        if checked._is_balanced():
            raise NotApplicable(BALANCED + " Fit fold by fold, or give a dict.")
        X, codes, weights = checked._start_fit(folds.X, folds.y, folds.sample_weight)
        models = [copy.copy(checked).set_params(**m.get_params(deep=False)) for m in models]
        K = len(checked.classes_)
        there = have_weight(weights)
        n_rows = there.sum() - np.array([there[rows].sum() for rows in folds.held_out])
        fits: list[list[Self]] = []
        for stack in checked._left_out(X, codes, weights, K, folds.held_out):
            rest = slice(len(fits), len(fits) + len(stack.mass))
            factors = count_factor(stack.mass.sum(axis=1), n_rows[rest])
            if any(model._counts_rows for model in models) and (factors > 1).any():
                stack = stack.times(factors)
            units = None if folds.scaling is None else folds.scaling[rest]
            fits += map(
                list, zip(*_fits_of_stack(models, stack, checked.classes_, units), strict=True)
            )
        return fits

    def _scaled(self, statistics: Any, shift: np.ndarray, scale: np.ndarray) -> Any:
        """The sums over the rows (x − shift) / scale."""
        return statistics.scaled(shift, scale)

    def _is_balanced(self) -> bool:
        return isinstance(getattr(self, "class_weight", None), str)

    def partial_fit(
        self,
        X: MatrixLike,
        y: ArrayLike,
        classes: ArrayLike | None = None,
        sample_weight: ArrayLike | None = None,
    ) -> Self:
        """Update the fit with more rows.

        Parameters
        ----------
        classes : sequence or None, default=None
            All classes, also those without rows so far. None takes the classes seen so far.

        Returns
        -------
        self
        """
        self._add_rows(X, y, classes, sample_weight)
        if len(self.classes_) < 2:
            raise NotApplicable(
                f"y has 1 class so far: {self.classes_.tolist()[0]!r}; give classes=[…] at first."
            )
        return self._learn()

    def fit_blocks(
        self, blocks: Iterable[tuple[MatrixLike, ArrayLike]], classes: ArrayLike | None = None
    ) -> Self:
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
        self._forget("statistics_", "status_", "classes_", "n_features_in_", "feature_names_in_")
        for X, y in blocks:
            self._add_rows(X, y, classes)
        if len(getattr(self, "classes_", ())) < 2:
            raise NotApplicable("the blocks hold fewer than two classes; give blocks with rows.")
        return self._learn()

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
        both = copy.copy(self)  # so that an error leaves this fit as it is
        for other in others:
            both._check_mergeable(other)
            both._add(other.statistics_, other.classes_, other._n_rows)
        for name in ("statistics_", "classes_", "_n_rows"):
            setattr(self, name, getattr(both, name))
        return self._learn()

    def _check_mergeable(self, other: Self) -> None:
        for fit in (self, other):
            if not hasattr(fit, "statistics_"):
                raise ValueError(WITHOUT_SUMS if hasattr(fit, "status_") else UNFITTED)
        if type(self) is not type(other):
            ours, theirs = type(self).__name__, type(other).__name__
            raise ValueError(f"merge adds the sums of {theirs} to those of {ours}; give a {ours}.")
        alike = self._shared_when_summed() == other._shared_when_summed()
        if self.n_features_in_ != other.n_features_in_ or not alike:
            raise ValueError(
                "merge needs the same features and parameters in both; fit them alike."
            )
        if hasattr(self, "feature_names_in_") and hasattr(other, "feature_names_in_"):
            compare_names(other.feature_names_in_, self.feature_names_in_)
        if self._is_balanced():
            raise ValueError(BALANCED + " Give a dict from class to weight.")
        _check_kind(self.classes_, other.classes_)

    def _add_rows(
        self,
        X: MatrixLike,
        y: ArrayLike,
        classes: ArrayLike | None = None,
        sample_weight: ArrayLike | None = None,
    ) -> None:
        """Add rows to the sums, without computing the fit."""
        self.check()
        known = hasattr(self, "statistics_")
        if not known and hasattr(self, "status_"):
            raise ValueError(WITHOUT_SUMS)
        if known and self._shared() != self._shared_when_summed():
            raise ValueError(OTHER_SUMS)
        self._summed_with = self.get_params(deep=False)
        X = self._check_rows(X) if known else validation.rows_to_learn(self, X)
        y = validation.labels(y, X.shape[0], type(self).__name__)
        weights = validation.row_weights(sample_weight, X.shape[0])
        X, y, weights = validation.of_positive_weight(X, y, weights)
        if sample_weight is not None and self._counts_rows:
            warn_of_relative_weights(weights, type(self).__name__)
        found, codes = validation.encode(y)
        class_weight = getattr(self, "class_weight", None)
        if class_weight is not None:
            weights *= weights_of_some(class_weight, found)[codes]
        if known:
            _check_kind(self.classes_, found)
        if classes is not None:
            given = np.unique(np.asarray(classes)).tolist()
            seen = {*found.tolist(), *(self.classes_.tolist() if known else ())}
            if unknown := sorted(seen - {*given}):
                raise ValueError(
                    f"y holds {unknown[0]!r}, which is not in classes={given}; add it."
                )
        sums = self._gather(X, codes, weights, len(found))
        rows = int(have_weight(weights).sum())
        if known:
            self._add(sums, found, rows)
        else:
            self.statistics_, self.classes_, self._n_rows = sums, found, rows
        if classes is not None:
            all_classes = np.unique(np.asarray(classes))
            places = np.searchsorted(all_classes, self.classes_)
            self.statistics_ = self.statistics_.among(places, len(all_classes))
            self.classes_ = all_classes

    def _add(self, sums: Any, classes: np.ndarray, rows: int) -> None:
        both = np.union1d(self.classes_, classes)
        ours = self.statistics_.among(np.searchsorted(both, self.classes_), len(both))
        theirs = sums.among(np.searchsorted(both, classes), len(both))
        self.statistics_, self.classes_ = ours + theirs, both
        self._n_rows += rows


def _check_kind(known: np.ndarray, new: np.ndarray) -> None:
    """Raise an error for numbers and strings together, which cannot be sorted."""
    if isinstance(known.tolist()[0], str) != isinstance(new.tolist()[0], str):
        raise ValueError(
            f"y holds {new.tolist()[0]!r}, but the classes so far are {known.tolist()[:3]}; "
            "give all labels as numbers or all as words."
        )


def _fits_of_stack(
    models: Sequence[Any], stack: Any, classes: np.ndarray, scaling: Scaling | None
) -> list[list[Any]]:
    """fits[model][fold]; all folds of a stack at once if each has rows of all classes."""

    def of(classes: np.ndarray, stack: Any) -> list[list[Any]]:
        fits = []
        for model in models:
            each = [copy.copy(model) for _ in stack.mass]
            for fit, estimates in zip(each, model._estimates(stack), strict=True):
                fit.classes_ = classes
                fit._set_estimates(*estimates)
            fits.append(each)
        return fits

    if (stack.mass > 0).all():
        if scaling is not None:
            shift, scale = map(np.array, zip(*scaling, strict=True))
            stack = models[0]._scaled(stack, shift, scale)
        return of(classes, stack)
    fits: list[list[Any]] = [[] for _ in models]
    for j, sums in enumerate(stack.split()):
        sums, present = of_present_classes(sums, classes)
        if scaling is not None:
            sums = models[0]._scaled(sums, *scaling[j])
        for own, (fit,) in zip(fits, of(present, sums.stacked()), strict=True):
            own.append(fit)
    return fits


def of_present_classes(statistics: Any, classes: np.ndarray) -> tuple[Any, np.ndarray]:
    """The sums of the classes that have rows, and these classes."""
    present = statistics.mass > 0
    if present.all():
        return statistics, classes
    if present.sum() < 2:
        raise NotApplicable("a fold leaves rows of fewer than two classes; use fewer folds.")
    return statistics.of_classes(present), classes[present]


def difference_of_two(Z: np.ndarray) -> np.ndarray:
    """The scores (n, K) of more than two classes, and z₁ − z₀ of two."""
    if Z.shape[1] > 2:
        return Z
    with np.errstate(invalid="ignore"):
        return Z[:, 1] - Z[:, 0]


# Prior probabilities of the classes: estimated  π_k = n_k / Σ n,  uniform, or given


def check_priors(priors: Priors) -> None:
    """Raise ValueError unless priors is None, 'uniform', or probabilities that sum to one."""
    if priors is None or (isinstance(priors, str) and priors == "uniform"):
        return
    if isinstance(priors, str):
        raise ValueError(
            f"priors is {priors!r}; it must be 'uniform', a list, or None (estimated)."
        )
    try:
        values = np.asarray(priors, dtype=np.float64)
    except (TypeError, ValueError):
        values = np.full(1, np.nan)
    if values.ndim != 1 or not (values >= 0).all():
        raise ValueError(f"priors is {priors!r}; it must be a list of numbers that are at least 0.")
    if abs(values.sum() - 1) > 1e-8:
        raise ValueError(f"priors sum to {values.sum():g}; divide them by that, so they sum to 1.")


def class_priors(priors: Priors, mass: np.ndarray) -> np.ndarray:
    """π (…, K) for classes of these total weights."""
    K = mass.shape[-1]
    if priors is None:
        return mass / mass.sum(axis=-1, keepdims=True)
    if isinstance(priors, str):
        return np.full(mass.shape, 1 / K)
    if len(priors) != K:
        raise NotApplicable(
            f"priors has {counted(len(priors), 'entry')} for {K} classes; give as many, and folds with all classes."
        )
    return np.tile(np.asarray(priors, dtype=np.float64), (*mass.shape[:-1], 1))


def log_priors(pi: np.ndarray, mass: np.ndarray | float = np.inf) -> np.ndarray:
    """ln π; −∞ for a class of prior 0 or without rows, which is never predicted."""
    with np.errstate(divide="ignore"):
        return np.log(np.where(mass > 0, pi, 0.0))


# Cross-validation of rows that are read block by block. Disjoint folds and the remaining rows form a partition of the
# rows. The sums of each of its shards are computed in one pass over the blocks, for all partitions at once, and the
# training rows of a fold are the other shards, merged. Only one block and the sums are in memory.


def partitions(folds: Sequence[Array], n: int) -> list[Partition]:
    """Successive folds, grouped into partitions without a common row."""
    found: list[Partition] = []
    for number, rows in enumerate(folds):
        if not found or (found[-1][1][rows] >= 0).any():
            found.append(([], np.full(n, -1, np.int32)))
        members, shard = found[-1]
        shard[rows] = len(members)
        members.append(number)
    for members, shard in found:
        shard[shard < 0] = len(members)
    return found


def fit_without_each(
    model: Any, blocks: Iterable[Matrix], y: Array, folds: Sequence[Array]
) -> list[Any]:
    """Fitted copies of an unfitted model, one for the training rows of each fold.

    `blocks` are matrices of consecutive rows, with the classes y.
    """
    classes = np.unique(y)
    divided = partitions(folds, len(y))
    shards = [[copy.copy(model) for _ in range(len(members) + 1)] for members, _ in divided]
    begin = 0
    for X in blocks:
        some = slice(begin, begin + X.shape[0])
        for own, (_, shard) in zip(shards, divided, strict=True):
            for place in np.unique(shard[some]):
                rows = np.flatnonzero(shard[some] == place)
                own[place]._add_rows(X[rows], y[some][rows], classes)
        begin += X.shape[0]
    fits = [model] * len(folds)
    for own, (members, _) in zip(shards, divided, strict=True):
        for place, number in enumerate(members):
            others = [s for k, s in enumerate(own) if k != place and hasattr(s, "statistics_")]
            fits[number] = copy.copy(others[0]).merge_all(others[1:])
    return fits
