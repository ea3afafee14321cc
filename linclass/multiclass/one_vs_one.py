"""One versus one: a problem for each pair of K classes, on the rows of the two; the majority vote decides.

The score of a class is its votes + c/(3(|c| + 1)), with c the sum of its scores in its K − 1 problems.
The second term is less than ⅓ in size, so it only breaks ties between votes.

With `coupling` the probabilities of the pairs, r_ij ≈ P(i | i or j) = p_i/(p_i + p_j), are combined into those of the K
classes, which need not be consistent with all pairs:

    min Σ_i Σ_{j≠i} (r_ji p_i − r_ij p_j)²   subject to   Σ p_i = 1.

The most probable class is predicted, which may differ from the vote; scores are then ln p_k, for two classes the
log-odds of the pair.

Predicts: scores: votes, ties broken by sums; ln p_k with `coupling`.
Cost: K(K − 1)/2 fits of the estimator, each on the rows of two classes.
Certificate: that of the estimators, of the worst one.
Reference: Wu, Lin & Weng (2004), JMLR 5.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import combinations

import numpy as np

from linclass.base.arrays import Array, ClassWeight, EstimatorLike, MatrixLike
from linclass.base.classifier import SoftmaxProbabilities, only_if
from linclass.multiclass.from_binary import FromBinary, TwoClassProblem


class OneVsOne(FromBinary):
    """Parameters
    ----------
    coupling : 'wu_lin_weng' or None, default=None
        How probabilities of pairs are combined; the estimator needs `predict_proba`. None predicts by votes, without
        probabilities.

    Attributes
    ----------
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
        if self.coupling not in (None, "wu_lin_weng"):
            raise ValueError(f"coupling is {self.coupling!r}; it must be 'wu_lin_weng' or None.")
        if self.coupling is not None and not hasattr(inner := self._inner(), "predict_proba"):
            name = type(inner).__name__
            raise ValueError(
                f"{name} has no predict_proba; coupling needs it. Use Calibrated({name}())."
            )

    def _problems(self, codes: np.ndarray) -> Iterator[TwoClassProblem]:
        names = self.classes_.tolist()
        for k, l in self._pairs():
            rows = np.flatnonzero((codes == k) | (codes == l))
            target = (codes[rows] == l).astype(int)
            yield TwoClassProblem(f"{names[l]!r} against {names[k]!r}", rows, target)

    def _why_no_probabilities(self) -> str:
        return "votes give no probabilities; set coupling" if self.coupling is None else ""

    def decision_function(self, X: MatrixLike) -> Array:
        X = self._check_rows(X)
        return self._votes(X) if self.coupling is None else self._coupled(X)

    predict_proba = only_if(_why_no_probabilities)(SoftmaxProbabilities.predict_proba)
    predict_log_proba = only_if(_why_no_probabilities)(SoftmaxProbabilities.predict_log_proba)
    log_proba_from = only_if(_why_no_probabilities)(SoftmaxProbabilities.log_proba_from)

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
        log_pairs = self._log_pairs(X)
        if len(log_pairs) == 1:
            pair = log_pairs[0]
            with np.errstate(invalid="ignore"):
                return np.asarray(pair[:, 1] - pair[:, 0])
        K = len(self.classes_)
        R = np.zeros((X.shape[0], K, K))
        for pair, (k, l) in zip(log_pairs, self._pairs(), strict=True):
            R[:, k, l], R[:, l, k] = np.exp(pair).T
        return couple(R)


MIN_PAIR_PROBABILITY = 1e-10  # of r: at r = 0 a single problem would exclude a class
BLOCK = 4_000_000  # entries of the systems that are solved at once


def couple(R: Array) -> Array:
    """ln p (n, K) from pairs R (n, K, K), of which only entries off the diagonal count; R_ij + R_ji = 1."""
    n, K, _ = R.shape
    R = np.clip(R, MIN_PAIR_PROBABILITY, 1 - MIN_PAIR_PROBABILITY)
    R[:, np.arange(K), np.arange(K)] = 0
    rows = max(BLOCK // (K + 1) ** 2, 1)
    return np.concatenate([_least_squares(R[i : i + rows]) for i in range(0, n, rows)])


def _least_squares(R: Array) -> Array:
    """ln p from  Q p + b 1 = 0,  Σ p = 1,  Q_ii = Σ_{j≠i} r_ji²,  Q_ij = −r_ji r_ij, which has p ≥ 0."""
    n, K, _ = R.shape
    diagonal = np.arange(K)
    system = np.zeros((n, K + 1, K + 1))
    system[:, :K, :K] = -R * R.swapaxes(1, 2)
    system[:, diagonal, diagonal] = (R**2).sum(axis=1)
    system[:, :K, K] = system[:, K, :K] = 1
    right = np.zeros((n, K + 1, 1))
    right[:, K] = 1
    return np.asarray(np.log(np.linalg.solve(system, right)[:, :K, 0]))
