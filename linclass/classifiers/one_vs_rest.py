"""One versus rest: of K classes each against all others, and the highest score decides.

Two classes are one problem, so that one-vs-rest is then the classifier inside. The K scores come
from K separate fits and are compared as they are.   Rifkin & Klautau (2004), JMLR 5
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from linclass.estimators.from_binary import FromBinary, Problem


class OneVsRest(FromBinary):
    def __init__(self, estimator: Any = None):
        self.estimator = estimator

    def _problems(self, codes: np.ndarray) -> Iterator[Problem]:
        names = self.classes_.tolist()
        for k in [1] if len(names) == 2 else range(len(names)):
            yield Problem(f"{names[k]!r} against the rest", None, (codes == k).astype(np.int64))

    def decision_function(self, X: Any) -> np.ndarray:
        Z = self._inner_scores(self._check_rows(X))
        return Z[0] if len(Z) == 1 else Z.T

    @property
    def coef_(self) -> np.ndarray:
        """One row per score, where the classifiers inside are linear."""
        return np.vstack([inner.coef_ for inner in self.estimators_])

    @property
    def intercept_(self) -> np.ndarray:
        return np.hstack([inner.intercept_ for inner in self.estimators_])
