"""Averaged perceptron: the mean of the weights after each visit to a row,

    w̄ = (1/T) Σ_t w_t,   w_t = w_{t−1} + y x [y (w_{t−1}·x + b) ≤ 0].

The perceptron's last weights are those that happened to survive the last mistake; the mean weighs every w_t by the
number of rows it survived, and is nearly the vote of all of them at the cost of one linear classifier. On separable
rows it makes at most (R/γ)² mistakes while learning, as the perceptron. K classes use Kesler's construction.

Predicts: scores, linear in x.
Cost: O(n d K) per pass over the rows.
Certificate: training mistakes, as a share of the rows.
Reference: Freund & Schapire (1999), Machine Learning 37; Collins (2002), EMNLP.
"""

from __future__ import annotations

import numpy as np

from linclass.base.arrays import Array, Matrix
from linclass.linear.solvers.corrections import PERCEPTRON, Block, Rule, Tally
from linclass.online.online_classifier import LinearOnlineClassifier


class AveragedPerceptron(LinearOnlineClassifier):
    """Attributes
    ----------
    coef_ : array of shape (1, d) for two classes, (K, d) for more
        Averaged weights W̄.
    intercept_ : array of shape (1,) for two classes, (K,) for more
        Averaged intercepts.
    n_mistakes_
    """

    _delayed: Array

    keeps_grams = True

    def _begin(self, X: Matrix, weights: Array) -> None:
        super()._begin(X, weights)
        self._delayed = np.zeros_like(self._theta)  # Σ of corrections × the visits before them

    def _rule(self) -> Rule:
        return PERCEPTRON

    def _visit(self, block: Block, codes: Array, weights: Array, tally: Tally) -> None:
        before = tally.visits
        rows, coefficients = self._correct(block, codes, weights, tally)
        late = (coefficients.T * (before + rows.before)).T
        for row, k, size, visits in rows.again:
            late.reshape(len(late), -1)[row, k] += size * visits
        block.add(self._delayed, late)

    def _parameters(self) -> Array:
        return self._theta - self._delayed / self._visits
