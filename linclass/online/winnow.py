"""Winnow: positive weights, multiplied by a factor at each mistake, for features x_j ≥ 0, of which few matter,

    ŷ = 1 if w·x > Θ, else 0;   w_j ← w_j α^{x_j} at a row of class 1 with w·x ≤ Θ, w_j α^{−x_j} at one of class 0 with
    w·x ≥ Θ,

beginning with w_j = 1: a row on the boundary counts as a mistake. If y is the disjunction of r of d binary features,
α = 2 and Θ = d, it makes at most

    2 + 3 r (1 + log₂ d)

mistakes, where the perceptron can make of the order of r d. It is Littlestone's second version, for two classes, and
has no negative weights; BalancedWinnow has, for any features and K classes.

Predicts: scores, linear in x.
Cost: O(n d) per pass over the rows, and O(n d) per mistake at worst.
Certificate: training mistakes, as a share of the rows.
Reference: Littlestone (1988), Machine Learning 2; bound as in Blum (1998), On-Line Algorithms in Machine Learning.
"""

from __future__ import annotations

from typing import ClassVar

import numpy as np
from scipy import sparse

from linclass.base.arrays import Array, ClassWeight, Matrix, Seed, Tags
from linclass.base.messages import NotApplicable
from linclass.base.parameters import require_positive
from linclass.linear.solvers.corrections import Block, Tally
from linclass.online.log_weights import LogWeights, correct_by_factors
from linclass.online.online_classifier import LinearOnlineClassifier

LARGEST_LOG = 600.0  # of a factor; its weight was at most Θ/x_j before


class Winnow(LinearOnlineClassifier):
    """Parameters
    ----------
    promotion : float, default=2.0
        α, above 1.
    threshold : float or None, default=None
        Θ, above 0. None is the number of features d.

    Attributes
    ----------
    classes_ : array of shape (2,)
        The classes, sorted.
    coef_ : array of shape (1, d)
        Weights w, above 0.
    intercept_ : array of shape (1,)
        −Θ.
    n_mistakes_
    """

    for_more_classes: ClassVar[str] = "BalancedWinnow()"
    fit_intercept = False  # the threshold is no weight
    poor_score = True  # features without a sign cannot say everything
    _weights: LogWeights

    def __init__(
        self,
        *,
        promotion: float = 2.0,
        threshold: float | None = None,
        order: str = "random",
        max_iter: int = 100,
        random_state: Seed = 0,
        class_weight: ClassWeight = None,
    ):
        self.promotion = promotion
        self.threshold = threshold
        self.order = order
        self.max_iter = max_iter
        self.random_state = random_state
        self.class_weight = class_weight

    def check(self) -> None:
        super().check()
        require_positive("promotion", self.promotion)
        if self.promotion <= 1:
            raise ValueError(f"promotion is {self.promotion!r}; it must be above 1.")
        if self.threshold is not None:
            require_positive("threshold", self.threshold)

    def _begin(self, X: Matrix, weights: Array) -> None:
        self._theta = np.zeros(0)
        self._weights = LogWeights(1, X.shape[1], signed=False)

    @property
    def _threshold(self) -> float:
        return float(self.n_features_in_ if self.threshold is None else self.threshold)

    def _accept(self, X: Matrix) -> None:
        least = float(X.data.min(initial=0) if sparse.issparse(X) else X.min())
        if least < 0:
            raise NotApplicable(
                f"Negative values in data passed to Winnow: X has {least:g}; its features are at least "
                "0. Use BalancedWinnow(), or indicators of the features."
            )
        largest = float(X.data.max(initial=0) if sparse.issparse(X) else X.max())
        if largest * np.log(self.promotion) > LARGEST_LOG:
            raise NotApplicable(
                f"X has {largest:g}, and promotion={self.promotion:g} to this power overflows; scale "
                "the features to [0, 1]."
            )

    def _visit(self, block: Block, codes: Array, weights: Array, tally: Tally) -> None:
        rate = float(np.log(self.promotion))
        correct_by_factors(block, self._weights, codes, weights, rate, self._threshold, tally)

    def _set_model(self) -> None:
        self.coef_ = self._weights.values.copy()
        self.intercept_ = np.array([-self._threshold])

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()
        tags.input_tags.positive_only = True
        return tags
