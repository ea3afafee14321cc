"""One versus one: a problem for each pair of K classes, on the rows of the two; the majority vote decides.

The score of a class is its votes + c/(3(|c| + 1)), with c the sum of its scores in its K − 1 problems.
The second term is less than ⅓ in size, so it only breaks ties between votes.

With `coupling` the probabilities of the pairs are combined into those of the K classes, and the most probable class is
predicted, which may differ from the vote; scores are then ln p_k, for two classes the log-odds of the pair.

An offset o_k of the score of each class is one of o_l − o_k for the pair (k, l), of whose score class l has the
positive side.

Predicts: scores: votes, ties broken by sums; ln p_k with `coupling`.
Cost: K(K − 1)/2 fits of the estimator, each on the rows of two classes.
Certificate: that of the estimators, of the worst one.
Reference: Hastie & Tibshirani (1998), Annals of Statistics 26; Wu, Lin & Weng (2004), JMLR 5.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import combinations
from typing import Any

import numpy as np

from linclass.base.arrays import Array, ArrayLike, ClassWeight, EstimatorLike, MatrixLike
from linclass.base.classifier import TakesOffset, of_scores, only_if
from linclass.base.offsets import given_offset, row_offsets
from linclass.multiclass.coupling import COUPLINGS, couple
from linclass.multiclass.from_binary import FromBinary, TwoClassProblem, log_odds


class OneVsOne(FromBinary, TakesOffset):  # type: ignore[misc]
    """Parameters
    ----------
    coupling : {'wu_lin_weng', 'hastie_tibshirani'} or None, default=None
        How probabilities of pairs are combined, by the equations of linclass/multiclass/coupling.py; the
        estimator needs `predict_proba`. None predicts by votes, without probabilities.

    Attributes
    ----------
    estimators_ : list of classifiers
        One fitted classifier per pair (k, l) with k < l, in lexicographic order.
    """

    combined_by = "coupling"

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
        self._require_probabilities_inside()

    def _problems(self, codes: np.ndarray) -> Iterator[TwoClassProblem]:
        names = self.classes_.tolist()
        for k, l in self._pairs():
            rows = np.flatnonzero((codes == k) | (codes == l))
            yield TwoClassProblem(
                f"{names[l]!r} against {names[k]!r}", rows, (codes[rows] == l).astype(int)
            )

    def _why_no_probabilities(self) -> str:
        return "votes give no probabilities; set coupling" if self.coupling is None else ""

    def decision_function(self, X: MatrixLike, offset: ArrayLike | None = None) -> Array:
        X, K = self._check_rows(X), len(self.classes_)
        if offset is not None:
            offset = row_offsets(offset, X.shape[:1] if K == 2 else (X.shape[0], K))
        return self._votes(X, offset) if self.coupling is None else self._coupled(X, offset)

    @only_if(_why_no_probabilities)
    def predict_proba(self, X: MatrixLike, offset: ArrayLike | None = None) -> Array:
        return np.exp(self.predict_log_proba(X, **given_offset(offset)))

    @only_if(_why_no_probabilities)
    @of_scores
    def predict_log_proba(self, X: MatrixLike, offset: ArrayLike | None = None) -> Array:
        return self.log_proba_from(self.decision_function(X, **given_offset(offset)))

    def _offset_of_problems(self, offset: Array | None, problems: int) -> Sequence[Any]:
        if offset is None:
            return [None] * problems
        K = len(self.classes_)
        found = row_offsets(offset, (len(offset), K)[: 1 + (K > 2)])
        return [found] if K == 2 else [found[:, l] - found[:, k] for k, l in self._pairs()]

    def _pairs(self) -> Iterator[tuple[int, int]]:
        return combinations(range(len(self.classes_)), 2)

    def _votes(self, X: MatrixLike, offset: Array | None) -> Array:
        Z = self._inner_scores(X, offset)
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

    def _coupled(self, X: MatrixLike, offset: Array | None) -> Array:
        log_pairs = self._log_pairs(X, offset)
        if len(log_pairs) == 1:
            return log_odds(log_pairs[0])
        K = len(self.classes_)
        R = np.zeros((X.shape[0], K, K))
        for pair, (k, l) in zip(log_pairs, self._pairs(), strict=True):
            R[:, k, l], R[:, l, k] = np.exp(pair).T
        return couple(R, str(self.coupling))
