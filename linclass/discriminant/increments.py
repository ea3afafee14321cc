"""Fits that grow: sums of shards add up to the sums of all rows (`merge`), and rows that do not fit into memory are
summed block by block (`partial_fit`, `fit_blocks`). What is learned is a function of the sums.
"""

from __future__ import annotations

import copy
from collections.abc import Hashable, Iterable
from typing import Any, Generic, Self, TypeVar

import numpy as np

from linclass.base import validation
from linclass.base.arrays import ArrayLike, Matrix, MatrixLike
from linclass.base.classifier import Classifier
from linclass.base.estimator import compare_names
from linclass.base.messages import NotApplicable
from linclass.base.parameters import key_of
from linclass.base.weights import (
    count_factor,
    have_weight,
    warn_of_relative_weights,
    weights_of_some,
)
from linclass.discriminant.statistics.additive import Additive

BALANCED = (
    "class_weight='balanced' depends on all the rows of a fit, and their sums cannot share it."
)
UNFITTED = "merge needs two fitted classifiers; call fit or partial_fit on both."
WITHOUT_SUMS = (
    "This fit kept no sums of its rows, to which more rows could be added; give all rows to fit, or "
    "all to partial_fit of a new estimator."
)

Sums = TypeVar("Sums", bound=Additive)


class Increments(Classifier, Generic[Sums]):
    """Classifiers that keep the sums that they were learned from."""

    statistics_: Sums  # with the weights as they are given
    _n_rows: int  # as in counts_rows.py

    def _observed(self, X: Matrix) -> Matrix:
        """The rows in the form in which they are summed."""
        return X

    def _gather(self, X: Matrix, codes: np.ndarray, weights: np.ndarray, K: int) -> Sums:
        """The sums over these rows of K classes."""
        raise NotImplementedError

    def _learn(self, statistics: Sums) -> Self:
        """Set everything but `classes_` and the features, from the sums alone."""
        raise NotImplementedError

    def _learn_all(self) -> Self:
        """From the sums of all rows so far."""
        return self._learn(self._counted())

    def _counted(self) -> Sums:
        """`statistics_`, with weights that count rows if the fit depends on it."""
        factor = float(count_factor(self.statistics_.mass.sum(), self._n_rows))
        return (
            self.statistics_.times(factor) if self._counts_rows and factor > 1 else self.statistics_
        )

    def _gathering(self) -> object:
        """The parameters on which the sums depend: models that agree in them share the sums."""
        return ()

    def _shared(self) -> Hashable:
        """Key of what the sums depend on: models with equal ones can share them."""
        return key_of((self._gathering(), getattr(self, "class_weight", None)))

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
        return self._learn_all()

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
        self._forget_statistics()
        for X, y in blocks:
            self.take_in(X, y, classes)
        if len(getattr(self, "classes_", ())) < 2:
            raise NotApplicable("the blocks hold fewer than two classes; give blocks with rows.")
        return self._learn_all()

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
        return self._learn_all()

    def _check_mergeable(self, other: Self) -> None:
        for fit in (self, other):
            if not hasattr(fit, "statistics_"):
                raise ValueError(WITHOUT_SUMS if hasattr(fit, "status_") else UNFITTED)
        if type(self) is not type(other):
            ours, theirs = type(self).__name__, type(other).__name__
            raise ValueError(f"merge adds the sums of {theirs} to those of {ours}; give a {ours}.")
        if self.n_features_in_ != other.n_features_in_ or self._shared() != other._shared():
            raise ValueError(
                "merge needs the same features and parameters in both; fit them alike."
            )
        if hasattr(self, "feature_names_in_") and hasattr(other, "feature_names_in_"):
            compare_names(other.feature_names_in_, self.feature_names_in_)
        if self._is_balanced():
            raise ValueError(BALANCED + " Give a dict from class to weight.")
        _check_kind(self.classes_, other.classes_)

    def _forget_statistics(self) -> None:
        self._forget("statistics_", "status_", "classes_", "n_features_in_", "feature_names_in_")

    def take_in(
        self,
        X: MatrixLike,
        y: ArrayLike,
        classes: ArrayLike | None = None,
        sample_weight: ArrayLike | None = None,
    ) -> None:
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
        known = hasattr(self, "statistics_")
        if not known and hasattr(self, "status_"):
            raise ValueError(WITHOUT_SUMS)
        X = self._check_rows(X) if known else validation.rows_to_learn(self, X)
        y = validation.labels(y, X.shape[0], type(self).__name__)
        weights = validation.row_weights(sample_weight, X.shape[0])
        if not weights.all():
            kept = weights > 0
            X, y, weights = X[kept], y[kept], weights[kept]
        if sample_weight is not None and self._counts_rows:
            warn_of_relative_weights(weights, type(self).__name__)
        found, codes = validation.encode(y)
        class_weight = getattr(self, "class_weight", None)
        if class_weight is not None:
            weights *= weights_of_some(class_weight, found)[codes]
        if known:
            _check_kind(self.classes_, found)
        if classes is not None:
            seen = {*found.tolist(), *(self.classes_.tolist() if known else ())}
            _check_given(seen, classes)
        sums = self._gather(self._observed(X), codes, weights, len(found))
        rows = int(have_weight(weights).sum())
        if known:
            self._add(sums, found, rows)
        else:
            self.statistics_, self.classes_, self._n_rows = sums, found, rows
        if classes is not None:
            self._widen(np.asarray(classes))

    def _add(self, sums: Sums, classes: np.ndarray, rows: int) -> None:
        both = np.union1d(self.classes_, classes)
        ours = self.statistics_.among(np.searchsorted(both, self.classes_), len(both))
        theirs = sums.among(np.searchsorted(both, classes), len(both))
        self.statistics_, self.classes_ = ours + theirs, both
        self._n_rows += rows

    def _widen(self, classes: np.ndarray) -> None:
        all_classes = np.unique(classes)
        places = np.searchsorted(all_classes, self.classes_)
        self.statistics_ = self.statistics_.among(places, len(all_classes))
        self.classes_ = all_classes


def _check_given(seen: set[Any], classes: ArrayLike) -> None:
    """Raise an error for a class that is not among the given ones."""
    given = np.unique(np.asarray(classes)).tolist()
    if unknown := sorted(seen - set(given)):
        raise ValueError(f"y holds {unknown[0]!r}, which is not in classes={given}; add it.")


def _check_kind(known: np.ndarray, new: np.ndarray) -> None:
    """Raise an error for numbers and strings together, which cannot be sorted."""
    if isinstance(known.tolist()[0], str) != isinstance(new.tolist()[0], str):
        raise ValueError(
            f"y holds {new.tolist()[0]!r}, but the classes so far are {known.tolist()[:3]}; "
            "give all labels as numbers or all as words."
        )
