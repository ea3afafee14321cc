"""One versus one: a problem for each pair of K classes, on the rows of the two; the majority vote decides.

The score of a class is its votes + c/(3(|c| + 1)), with c the sum of its scores in its K − 1 problems.
The second term is less than ⅓ in size, so it only breaks ties between votes.

With `coupling` the probabilities of the pairs are combined into those of the K classes, and the most probable class is
predicted, which may differ from the vote; scores are then ln p_k, for two classes the log-odds of the pair.

Predicts: scores: votes, ties broken by sums; ln p_k with `coupling`.
Cost: K(K − 1)/2 fits of the estimator, each on the rows of two classes.
Certificate: that of the estimators, of the worst one.
Reference: Hastie & Tibshirani (1998), Annals of Statistics 26; Wu, Lin & Weng (2004), JMLR 5.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import combinations
from typing import Any

import numpy as np

from linclass.annotations import ClassWeight, EstimatorLike, MatrixLike
from linclass.conventions.softmax_probabilities import SoftmaxProbabilities
from linclass.multiclass.from_binary import FromBinary, TwoClassProblem
from linclass.multiclass.pairwise_coupling import COUPLINGS, couple
from linclass.numerics import Array
from linclass.predicted import predictions_of


class OneVsOne(FromBinary):
    """Parameters
    ----------
    estimator : classifier or None, default=None
        Two-class classifier with `fit` and `decision_function` or `predict_proba`, from linclass or
        elsewhere. It is copied for each problem. None is LogisticRegression().
    coupling : {'wu_lin_weng', 'hastie_tibshirani'} or None, default=None
        How probabilities of pairs are combined, by the equations of linclass/multiclass/pairwise_coupling.py; the
        estimator needs `predict_proba`. None predicts by votes, without probabilities.
    class_weight : 'balanced', dict or None, default=None
        Factor on the weights of the rows of each class. 'balanced' gives every class the same total
        weight; a dict maps classes to factors (1 for those it leaves out); None is 1 for all.

    Attributes
    ----------
    classes_ : array of shape (K,)
        The classes, sorted.
    estimators_ : list of classifiers
        One fitted classifier per pair (k, l) with k < l, in lexicographic order.
    """

    def __init__(
        self,
        estimator: EstimatorLike = None,
        *,
        coupling: str | None = None,
        class_weight: ClassWeight = None,
    ):
        self.estimator = estimator
        self.coupling = coupling
        self.class_weight = class_weight

    def check(self) -> None:
        super().check()
        if self.coupling is None:
            return
        if self.coupling not in COUPLINGS:
            known = ", ".join(map(repr, COUPLINGS))
            raise ValueError(f"coupling is {self.coupling!r}; it must be one of {known}, or None.")
        if not hasattr(inner := self._inner(), "predict_proba"):
            name = type(inner).__name__
            raise ValueError(
                f"{name} has no predict_proba; coupling needs it. Use Calibrated({name}())."
            )

    def _problems(self, codes: np.ndarray) -> Iterator[TwoClassProblem]:
        names = self.classes_.tolist()
        for k, l in self._pairs():
            rows = np.flatnonzero((codes == k) | (codes == l))
            yield TwoClassProblem(
                f"{names[l]!r} against {names[k]!r}", rows, (codes[rows] == l).astype(int)
            )

    def decision_function(self, X: MatrixLike) -> Array:
        X = self._check_rows(X)
        return self._votes(X) if self.coupling is None else self._coupled(X)

    @property
    def predict_proba(self) -> Any:
        """Class probabilities, as a method `predict_proba(X)`, only with `coupling`.

        Returns an array of shape (n, K), in the order of `classes_`.
        """
        return self._probability("predict_proba")

    @property
    def predict_log_proba(self) -> Any:
        """Logarithms of the class probabilities, as a method `predict_log_proba(X)`, only with `coupling`.

        Returns an array of shape (n, K), in the order of `classes_`.
        """
        return self._probability("predict_log_proba")

    def _probability(self, method: str) -> Any:
        if self.coupling is None:
            raise AttributeError(f"votes give no probabilities, so no {method}; set coupling.")
        return getattr(SoftmaxProbabilities, method).__get__(self)

    def _pairs(self) -> Iterator[tuple[int, int]]:
        return combinations(range(len(self.classes_)), 2)

    def _votes(self, X: MatrixLike) -> Array:
        Z = self._inner_scores(X)
        if len(Z) == 1:
            return Z[0]
        K = len(self.classes_)
        votes, confidence = np.zeros((Z.shape[1], K)), np.zeros((Z.shape[1], K))
        for z, (k, l) in zip(Z, self._pairs(), strict=True):
            votes[:, l] += z > 0
            votes[:, k] += z <= 0
            confidence[:, l] += z
            confidence[:, k] -= z
        return votes + confidence / (3 * (np.abs(confidence) + 1))

    def _coupled(self, X: MatrixLike) -> Array:
        log_pairs = [self._log_pair(inner, X) for inner in self.estimators_]
        if len(log_pairs) == 1:
            with np.errstate(invalid="ignore"):
                return log_pairs[0][:, 1] - log_pairs[0][:, 0]
        K = len(self.classes_)
        R = np.zeros((X.shape[0], K, K))
        for log_pair, (k, l) in zip(log_pairs, self._pairs(), strict=True):
            R[:, k, l], R[:, l, k] = np.exp(log_pair).T
        return couple(R, str(self.coupling))

    def _log_pair(self, inner: EstimatorLike, X: MatrixLike) -> Array:
        log_pair = predictions_of(inner, X, 2)[2]
        if log_pair is None:
            raise ValueError(f"{type(inner).__name__} gave no probabilities; coupling needs them.")
        return log_pair
