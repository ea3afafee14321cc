"""Balanced Winnow: the difference of two sets of positive weights, changed by factors at each mistake,

    w_j = u_j − v_j,   u_j ← u_j e^{η y x_j},  v_j ← v_j e^{−η y x_j}   where y (w·x + b) ≤ 0,

beginning with u = v = 1, which is Winnow for features of any sign. The intercept is the weight of a constant feature.
The scale of w does not matter, so it is also the exponentiated gradient, whose weights sum to 1. If some hyperplane
with ‖w‖₁ + |b| = 1 has margins y (w·x + b) ≥ γ, and |x_j| ≤ X, it makes, for η < 2γ/X², at most

    ln(2d + 2) / (η γ − η² X²/2)

mistakes: with the best η 2 (X/γ)² ln(2d + 2), which grows with the logarithm of the number of features. The
perceptron's bound is in Euclidean norms; this one is smaller if few features matter and rows are dense. K classes use
Kesler's construction, with ln(2K(d + 1)).

Predicts: scores, linear in x.
Cost: O(n d K) per pass over the rows, and O(d K) for each row that follows a mistake in a block of 64.
Certificate: training mistakes, as a share of the rows.
Reference: Littlestone (1989), thesis; Kivinen & Warmuth (1997), Information and Computation 132; Grove, Littlestone &
    Schuurmans (2001), Machine Learning 43.
"""

from __future__ import annotations

from linclass.base.arrays import Array, ClassWeight, Matrix, Seed
from linclass.base.parameters import require_positive
from linclass.linear.solvers.corrections import Block, Tally
from linclass.online.log_weights import LogWeights, correct_by_factors
from linclass.online.online_classifier import LinearOnlineClassifier


class BalancedWinnow(LinearOnlineClassifier):
    """Parameters
    ----------
    learning_rate : float, default=0.1
        η, above 0. What it does depends on the unit of the features.

    Attributes
    ----------
    coef_ : array of shape (1, d) for two classes, (K, d) for more
        Weights W = U − V, divided by a common power of e.
    n_mistakes_
    """

    _weights: LogWeights

    def __init__(
        self,
        *,
        learning_rate: float = 0.1,
        order: str = "random",
        fit_intercept: bool = True,
        max_iter: int = 100,
        random_state: Seed = 0,
        class_weight: ClassWeight = None,
    ):
        self.learning_rate = learning_rate
        self.order = order
        self.fit_intercept = fit_intercept
        self.max_iter = max_iter
        self.random_state = random_state
        self.class_weight = class_weight

    def check(self) -> None:
        super().check()
        require_positive("learning_rate", self.learning_rate)

    def _begin(self, X: Matrix, weights: Array) -> None:
        super()._begin(X, weights)
        scores = 1 if self._theta.ndim == 1 else self._theta.shape[1]
        self._weights = LogWeights(scores, len(self._theta), signed=True)

    def _visit(self, block: Block, codes: Array, weights: Array, tally: Tally) -> None:
        correct_by_factors(block, self._weights, codes, weights, self.learning_rate, 0.0, tally)

    def _parameters(self) -> Array:
        return self._weights.values[0] if self._theta.ndim == 1 else self._weights.values.T
