"""One versus rest: each of K classes against all others; the largest score decides.

Two classes are one problem, and the result is that of the inner classifier. The K scores come from K
separate fits and are compared without calibration.

Predicts: the scores of the K fits.
Cost: K fits of the estimator on all rows.
Certificate: that of the estimators, of the worst one.
Reference: Rifkin & Klautau (2004), JMLR 5.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, Self

import numpy as np

from linclass.annotations import ArrayLike, MatrixLike
from linclass.conventions.offsets import row_offsets
from linclass.conventions.takes_offset import TakesOffset
from linclass.multiclass.from_binary import FromBinary, TwoClassProblem


class OneVsRest(TakesOffset, FromBinary):
    """Parameters
    ----------
    estimator : classifier or None, default=None
        Two-class classifier with `fit` and `decision_function` or `predict_proba`, from linclass or
        elsewhere. It is copied for each problem. None is LogisticRegression().
    class_weight : 'balanced', dict or None, default=None
        Factor on the weights of the rows of each class. 'balanced' gives every class the same total
        weight; a dict maps classes to factors (1 for those it leaves out); None is 1 for all.

    Attributes
    ----------
    classes_ : array of shape (K,)
        The classes, sorted.
    estimators_ : list of classifiers
        One fitted classifier per class; a single one for two classes.
    coef_ : array of shape (1, d) or (K, d), only if the inner classifiers are linear
        Weights, one row per score.
    intercept_ : array of shape (1,) or (K,), only if the inner classifiers are linear
        Intercepts.
    """

    def _problems(self, codes: np.ndarray) -> Iterator[TwoClassProblem]:
        names = self.classes_.tolist()
        for k in [1] if len(names) == 2 else range(len(names)):
            yield TwoClassProblem(
                f"{names[k]!r} against the rest", None, (codes == k).astype(np.int64)
            )

    def fit(  # type: ignore[override]
        self,
        X: MatrixLike,
        y: ArrayLike,
        sample_weight: ArrayLike | None = None,
        groups: ArrayLike | None = None,
        offset: ArrayLike | None = None,
    ) -> Self:
        """Fit the inner classifier to each two-class problem.

        Parameters
        ----------
        X : array, sparse matrix or data frame of shape (n, d)
            Training rows; finite numbers. An estimator of another library gets them as they are: texts, NaN,
            columns by name.
        y : array of shape (n,)
            Class of each row: integers, booleans or strings, at least two classes.
        sample_weight : array of shape (n,) or None, default=None
            Weight of each row, at least 0; rows of weight 0 take no part. None weighs all rows
            equally.
        groups : array of shape (n,) or None, default=None
            Group of each row, for inner classifiers that hold rows out, such as Calibrated: rows of a
            group are held out together. None is no groups.
        offset : array of shape (n,), or (n, K) for more than two classes, or None, default=None
            Known part of the scores, of each class that of its fit, for inner classifiers that take one. None
            is 0.

        Returns
        -------
        self
        """
        return self._fit_problems(X, y, sample_weight, groups, offset)

    def decision_function(self, X: MatrixLike, offset: ArrayLike | None = None) -> np.ndarray:
        X, K = self._check_rows(X), len(self.classes_)
        if offset is not None:
            offset = row_offsets(offset, X.shape[:1] if K == 2 else (X.shape[0], K))
        Z = self._inner_scores(X, offset)
        return Z[0] if len(Z) == 1 else Z.T

    def _offset_of_problems(self, offset: np.ndarray | None, problems: int) -> Sequence[Any]:
        if offset is None:
            return [None] * problems
        found = row_offsets(offset, (len(offset), problems)[: 1 + (problems > 1)])
        return [found] if problems == 1 else [*found.T]

    @property
    def coef_(self) -> np.ndarray:
        """Weights, one row per score, if the inner classifiers are linear."""
        return np.vstack([inner.coef_ for inner in self.estimators_])

    @property
    def intercept_(self) -> np.ndarray:
        """Intercepts, if the inner classifiers are linear."""
        return np.hstack([inner.intercept_ for inner in self.estimators_])
