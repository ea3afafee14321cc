"""One versus one: a problem for each pair of K classes, on the rows of the two; the majority vote decides.

The score of a class is its votes + c/(3(|c| + 1)), with c the sum of its scores in its K − 1 problems.
The second term is less than ⅓ in size, so it only breaks ties between votes.

Predicts: scores: votes, ties broken by sums.
Cost: K(K − 1)/2 fits of the estimator, each on the rows of two classes.
Certificate: that of the estimators, of the worst one.
Reference: Hastie & Tibshirani (1998), Classification by pairwise coupling, Annals of Statistics 26.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import combinations
from typing import Any

import numpy as np

from linclass.estimators.from_binary import FromBinary, Problem


class OneVsOne(FromBinary):
    """Parameters
    ----------
    estimator : classifier or None, default=None
        Two-class classifier with `fit` and `decision_function` or `predict_proba`, from linclass or
        elsewhere. It is copied for each problem. None is LogisticRegression().

    Attributes
    ----------
    classes_ : array of shape (K,)
        The classes, sorted.
    estimators_ : list of classifiers
        One fitted classifier per pair (k, l) with k < l, in lexicographic order.
    """

    def __init__(self, estimator: Any = None):
        self.estimator = estimator

    def _problems(self, codes: np.ndarray) -> Iterator[Problem]:
        names = self.classes_.tolist()
        for k, l in combinations(range(len(names)), 2):
            rows = np.flatnonzero((codes == k) | (codes == l))
            yield Problem(
                f"{names[l]!r} against {names[k]!r}", rows, (codes[rows] == l).astype(int)
            )

    def decision_function(self, X: Any) -> np.ndarray:
        Z = self._inner_scores(self._check_rows(X))
        if len(Z) == 1:
            return Z[0]
        K = len(self.classes_)
        votes, said = np.zeros((Z.shape[1], K)), np.zeros((Z.shape[1], K))
        for z, (k, l) in zip(Z, combinations(range(K), 2), strict=True):
            votes[:, l] += z > 0
            votes[:, k] += z <= 0
            said[:, l] += z
            said[:, k] -= z
        return votes + said / (3 * (np.abs(said) + 1))
