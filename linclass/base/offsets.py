"""Offsets: a known part of the scores,  Z = X Wᵀ + b + offset,  which no coefficient multiplies.

Exposure, a prior log-odds, or the scores of another model. A constant offset moves the intercept by its negative.
McCullagh & Nelder (1989), §2.2
"""

from __future__ import annotations

from typing import Any, Self

import numpy as np

from linclass.base.arrays import Array, ArrayLike, MatrixLike
from linclass.base.classifier import Classifier, of_scores
from linclass.base.parameters import arguments
from linclass.base.regressor import Regressor
from linclass.base.validation import row_weights


def row_offsets(offset: ArrayLike | None, shape: tuple[int, ...]) -> Array:
    """Finite float64 offsets, in the shape of the scores."""
    found = np.asarray(offset, dtype=np.float64)
    if found.shape != shape:
        each = "one per row" if len(shape) == 1 else "one per row and class"
        raise ValueError(f"offset has shape {found.shape}; it must be {shape}, {each}.")
    if not np.isfinite(found).all():
        bad = found[~np.isfinite(found)][0]
        raise ValueError(f"offset holds {bad:g}; offsets must be finite. Drop those rows.")
    return found


def offsets_of(
    offset: ArrayLike | None, sample_weight: ArrayLike | None, y: ArrayLike, K: int
) -> Array:
    """The offsets (n,), or (n, K) of more than two classes, of the rows whose weight is not zero."""
    rows = len(np.asarray(y))
    found = row_offsets(offset, (rows,) if K == 2 else (rows, K))
    return found[row_weights(sample_weight, rows) > 0]


def kept_offsets(
    offset: ArrayLike | None, sample_weight: ArrayLike | None, y: ArrayLike
) -> Array | None:
    """The same for an estimator inside, which knows their form; None if there are none."""
    if offset is None:
        return None
    found, rows = np.asarray(offset, dtype=np.float64), len(np.asarray(y))
    if found.shape[:1] != (rows,):
        raise ValueError(f"offset has shape {found.shape}; it must have {rows} rows, as y.")
    return np.asarray(found[row_weights(sample_weight, rows) > 0])


def require_columns_of_classes(offset: Array | None, y: Array, kept: Array) -> None:
    """Raise ValueError if the kept rows lack a class that has a column of the offset."""
    if offset is None or offset.ndim == 1:
        return
    if lacking := sorted(set(y.tolist()) - set(y[kept].tolist())):
        raise ValueError(
            f"offset has a column of class {lacking[0]!r}, of which one fold holds every row; give folds that leave "
            "rows of each class to the others."
        )


def given_offset(offset: ArrayLike | None) -> dict[str, Any]:
    """The offset as an argument, if there is one: a subclass may define methods without it."""
    return {} if offset is None else {"offset": offset}


def offset_inside(
    model: Any, offset: ArrayLike | None, sample_weight: ArrayLike | None, y: ArrayLike
) -> dict[str, Any]:
    """The offset as an argument of the model's objectives, if there is one: not every model takes it."""
    return {} if offset is None else given_offset(model._offsets(offset, sample_weight, y))


def require_offsets_taken(method: Any) -> None:
    """Raise ValueError unless a method has the argument."""
    if "offset" not in arguments(method):
        owner = getattr(method, "__self__", method)
        such = "LinearRegression" if isinstance(owner, Regressor) else "LogisticRegression"
        raise ValueError(
            f"{type(owner).__name__} takes no offset in {method.__name__}; generalized linear models do, such as "
            f"{such}."
        )


def offset_for(method: Any, offset: ArrayLike | None) -> dict[str, Any]:
    """The argument of an estimator's method, or ValueError if it takes none; nothing if there is no offset."""
    if offset is not None:
        require_offsets_taken(method)
    return given_offset(offset)


class TakesOffset(Classifier):
    """Mixin of models whose scores have the offset as a summand."""

    def _offsets(
        self, offset: ArrayLike | None, sample_weight: ArrayLike | None, y: ArrayLike
    ) -> np.ndarray | None:
        """Those of the rows whose weight is not zero, if there are any, once the classes are known."""
        return None if offset is None else offsets_of(offset, sample_weight, y, len(self.classes_))

    def fit(
        self,
        X: MatrixLike,
        y: ArrayLike,
        sample_weight: ArrayLike | None = None,
        offset: ArrayLike | None = None,
    ) -> Self:
        """Fit the classifier to training rows.

        Parameters
        ----------
        X : array, sparse matrix or data frame of shape (n, d)
            Training rows; finite numbers.
        y : array of shape (n,)
            Class of each row: integers, booleans or strings, at least two classes.
        sample_weight : array of shape (n,) or None, default=None
            Weight of each row, at least 0; rows of weight 0 take no part. None weighs all rows
            equally.
        offset : array of shape (n,), or (n, K) for more than two classes, or None, default=None
            Known part of the scores, in their form. None is 0.

        Returns
        -------
        self
        """
        raise NotImplementedError

    def score(
        self,
        X: MatrixLike,
        y: ArrayLike,
        sample_weight: ArrayLike | None = None,
        offset: ArrayLike | None = None,
    ) -> float:
        """Accuracy: the share of the rows (of their weight) whose class is predicted.

        Parameters
        ----------
        X : array, sparse matrix or data frame of shape (n, d)
            Test rows.
        y : array of shape (n,)
            True class of each row.
        sample_weight : array of shape (n,) or None, default=None
            Weight of each row; None weighs all rows equally.
        offset : array of shape (n,), or (n, K) for more than two classes, or None, default=None
            Known part of the scores. None is 0.

        Returns
        -------
        float
        """
        return self._accuracy(self.predict(X, **given_offset(offset)), y, sample_weight)

    def decision_function(self, X: MatrixLike, offset: ArrayLike | None = None) -> np.ndarray:
        """Scores of rows.

        Parameters
        ----------
        X : array, sparse matrix or data frame of shape (n, d)
            Rows with the features of the training rows.
        offset : array of shape (n,), or (n, K) for more than two classes, or None, default=None
            Known part of the scores, which is added. None is 0.

        Returns
        -------
        array of shape (n,) for two classes, (n, K) for more
            One score per class in the order of `classes_`; for two classes the score of
            `classes_[1]`, which is predicted if it is positive.
        """
        Z = super().decision_function(X)
        return Z if offset is None else Z + row_offsets(offset, Z.shape)

    def predict(self, X: MatrixLike, offset: ArrayLike | None = None) -> np.ndarray:
        """Predicted class of each row.

        Parameters
        ----------
        X : array, sparse matrix or data frame of shape (n, d)
            Rows with the features of the training rows.
        offset : array of shape (n,), or (n, K) for more than two classes, or None, default=None
            Known part of the scores. None is 0.

        Returns
        -------
        array of shape (n,)
        """
        return self.classes_from(self.decision_function(X, **given_offset(offset)))


class ProbabilitiesWithOffset(TakesOffset):
    """The same with `log_proba_from`, the log-probabilities of given scores."""

    log_proba_from: Any

    @of_scores
    def predict_log_proba(self, X: MatrixLike, offset: ArrayLike | None = None) -> np.ndarray:
        """Natural logarithm of the class probabilities, exact also where a probability underflows.

        Parameters
        ----------
        X : array, sparse matrix or data frame of shape (n, d)
            Rows with the features of the training rows.
        offset : array of shape (n,), or (n, K) for more than two classes, or None, default=None
            Known part of the scores. None is 0.

        Returns
        -------
        array of shape (n, K)
            One column per class, in the order of `classes_`.
        """
        return np.asarray(self.log_proba_from(self.decision_function(X, **given_offset(offset))))

    def predict_proba(self, X: MatrixLike, offset: ArrayLike | None = None) -> np.ndarray:
        """Class probabilities.

        Parameters
        ----------
        X : array, sparse matrix or data frame of shape (n, d)
            Rows with the features of the training rows.
        offset : array of shape (n,), or (n, K) for more than two classes, or None, default=None
            Known part of the scores. None is 0.

        Returns
        -------
        array of shape (n, K)
            One column per class, in the order of `classes_`; each row sums to 1.
        """
        return np.exp(self.predict_log_proba(X, **given_offset(offset)))


# Linear regressors are generalized linear models with identity link, E y = w·x + b + offset, so that the fit is that to
# y − offset.   McCullagh & Nelder (1989), §2.2


class RegressorWithOffset(Regressor):
    """Mixin of regressors whose prediction has the offset as a summand."""

    def fit(
        self,
        X: MatrixLike,
        y: ArrayLike,
        sample_weight: ArrayLike | None = None,
        offset: ArrayLike | None = None,
    ) -> Self:
        """Fit the regressor to training rows.

        Parameters
        ----------
        X : array, sparse matrix or data frame of shape (n, d)
            Training rows; finite numbers.
        y : array of shape (n,)
            Target of each row, a finite number.
        sample_weight : array of shape (n,) or None, default=None
            Weight of each row, at least 0; rows of weight 0 take no part. None weighs all rows
            equally.
        offset : array of shape (n,) or None, default=None
            Known part of the prediction. None is 0.

        Returns
        -------
        self
        """
        raise NotImplementedError

    def predict(self, X: MatrixLike, offset: ArrayLike | None = None) -> np.ndarray:
        """Predicted target of each row.

        Parameters
        ----------
        X : array, sparse matrix or data frame of shape (n, d)
            Rows with the features of the training rows.
        offset : array of shape (n,) or None, default=None
            Known part of the prediction, which is added. None is 0.

        Returns
        -------
        array of shape (n,)
        """
        raise NotImplementedError

    def score(
        self,
        X: MatrixLike,
        y: ArrayLike,
        sample_weight: ArrayLike | None = None,
        offset: ArrayLike | None = None,
    ) -> float:
        """Coefficient of determination R² = 1 − Σ w (y − ŷ)² / Σ w (y − ȳ)².

        A constant y scores 1 if it is predicted exactly, else 0.

        Parameters
        ----------
        X : array, sparse matrix or data frame of shape (n, d)
            Test rows.
        y : array of shape (n,)
            True target of each row.
        sample_weight : array of shape (n,) or None, default=None
            Weight of each row; None weighs all rows equally.
        offset : array of shape (n,) or None, default=None
            Known part of the prediction. None is 0.

        Returns
        -------
        float
        """
        return self._determination(self.predict(X, **given_offset(offset)), y, sample_weight)

    def _offsets(
        self, offset: ArrayLike | None, sample_weight: ArrayLike | None, y: ArrayLike
    ) -> np.ndarray | None:
        """Those of the rows whose weight is not zero, if there are any."""
        return None if offset is None else offsets_of(offset, sample_weight, y, 2)
