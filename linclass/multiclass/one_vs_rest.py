"""One versus rest: each of K classes against all others; the largest score decides.

Two classes are one problem, and the result is that of the base classifier. The K scores come from K
separate fits and are compared without calibration. If the base classifier has probabilities p_k = P(k against the
rest | x), those of the classes are

    P(k | x) = p_k / Σ_j p_j.

The p_k are of separate fits, and need not sum to 1. LogisticRegression has one model of all classes, and OneVsOne with
`coupling` the P(k | x) that agree best with fits to pairs.

Predicts: the scores of the K fits; probabilities, where the estimator has them.
Cost: K fits of the estimator on all rows.
Certificate: that of the estimators, of the worst one.
Reference: Rifkin & Klautau (2004), JMLR 5.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np

from linclass.base.arrays import MatrixLike, log_softmax
from linclass.base.classifier import SoftmaxProbabilities, of_scores, only_if
from linclass.base.predicted import is_ours
from linclass.multiclass.from_binary import FromBinary, TwoClassProblem


class OneVsRest(FromBinary):
    """Attributes
    ----------
    estimators_ : list of classifiers
        One fitted classifier per class; a single one for two classes.
    coef_ : array of shape (1, d) or (K, d), only if the base classifiers are linear
        Weights, one row per score.
    intercept_ : array of shape (1,) or (K,), only if the base classifiers are linear
        Intercepts.
    """

    def _problems(self, codes: np.ndarray) -> Iterator[TwoClassProblem]:
        names = self.classes_.tolist()
        for k in [1] if len(names) == 2 else range(len(names)):
            target = (codes == k).astype(np.int64)
            yield TwoClassProblem(f"{names[k]!r} against the rest", None, target)

    def decision_function(self, X: MatrixLike) -> np.ndarray:
        Z = self._inner_scores(self._check_rows(X))
        return Z[0] if len(Z) == 1 else Z.T

    def _fit_or_inner(self) -> Any:
        """A fitted classifier of two classes if there is one, otherwise the unfitted one."""
        return next(iter(getattr(self, "estimators_", [])), self._inner())

    def _why_no_probabilities(self) -> str:
        inner = self._fit_or_inner()
        if hasattr(inner, "predict_proba"):
            return ""
        name = type(inner).__name__
        return f"{name} has no probabilities; use OneVsRest(Calibrated({name}(…)))"

    def _why_no_log_proba_from(self) -> str:
        inner = self._fit_or_inner()
        if _follow_from_scores(inner):
            return self._why_no_probabilities()
        return f"{type(inner).__name__} has none; use predict_log_proba"

    predict_proba = only_if(_why_no_probabilities)(SoftmaxProbabilities.predict_proba)

    @only_if(_why_no_probabilities)
    @of_scores
    def predict_log_proba(self, X: MatrixLike) -> np.ndarray:
        """Natural logarithm of the class probabilities, if the estimator has them.

        Returns
        -------
        array of shape (n, K)
            One column per class, in the order of `classes_`.
        """
        if _follow_from_scores(self._fit_or_inner()):
            return self.log_proba_from(self.decision_function(X))
        return _normalized(self._log_pairs(self._check_rows(X)))

    @only_if(_why_no_log_proba_from)
    def log_proba_from(self, Z: np.ndarray) -> np.ndarray:
        """Log-probabilities of rows from their scores, if the estimator has the method.

        Parameters
        ----------
        Z : array of shape (n,) or (n, K)
            Scores as `decision_function` returns them.

        Returns
        -------
        array of shape (n, K)
        """
        fits = zip(self.estimators_, np.atleast_2d(Z.T), strict=True)
        return _normalized([inner.log_proba_from(z) for inner, z in fits])

    @property
    def coef_(self) -> np.ndarray:
        """Weights, one row per score, if the base classifiers are linear."""
        return np.vstack([inner.coef_ for inner in self.estimators_])

    @property
    def intercept_(self) -> np.ndarray:
        """Intercepts, if the base classifiers are linear."""
        return np.hstack([inner.intercept_ for inner in self.estimators_])


def _follow_from_scores(inner: Any) -> bool:
    return is_ours(inner) and hasattr(inner, "log_proba_from")


def _normalized(of_fits: Sequence[np.ndarray]) -> np.ndarray:
    """(n, K) of the log-probabilities (n, 2) of K fits; those of a single one as they are."""
    if len(of_fits) == 1:
        return of_fits[0]
    return log_softmax(np.column_stack([log_proba[:, 1] for log_proba in of_fits]))
