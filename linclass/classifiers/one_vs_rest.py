"""One versus rest: each of K classes against all others; the largest score decides.

Two classes are one problem, and the result is that of the inner classifier. The K scores come from K
separate fits and are compared without calibration.

Predicts: the scores of the K fits.
Cost: K fits of the estimator on all rows.
Certificate: that of the estimators, of the worst one.
Reference: Rifkin & Klautau (2004), JMLR 5.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from linclass.annotations import MatrixLike
from linclass.multiclass.from_binary import FromBinary, TwoClassProblem


class OneVsRest(FromBinary):
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

    def decision_function(self, X: MatrixLike) -> np.ndarray:
        Z = self._inner_scores(self._check_rows(X))
        return Z[0] if len(Z) == 1 else Z.T

    @property
    def coef_(self) -> np.ndarray:
        """Weights, one row per score, if the inner classifiers are linear."""
        return np.vstack([inner.coef_ for inner in self.estimators_])

    @property
    def intercept_(self) -> np.ndarray:
        """Intercepts, if the inner classifiers are linear."""
        return np.hstack([inner.intercept_ for inner in self.estimators_])
