"""Second-order perceptron: the perceptron in coordinates in which the rows of its mistakes are white,

    w = A⁻¹ v,   A = a I + Σ x xᵀ,   v = Σ y x   over the mistakes so far, y (w·x + b) ≤ 0,

with x including the constant 1 of the intercept. This w is the ridge regression of y on the rows of the mistakes, and a
mistake changes it by recursive least squares, g = A⁻¹ x:

    w ← w + ((y − w·x)/(1 + x·g)) g,   A⁻¹ ← A⁻¹ − g gᵀ/(1 + x·g).

For every unit vector u and γ > 0, with λ_i the eigenvalues of Σ x xᵀ, it makes at most

    (1/γ) (Σ max(0, γ − y u·x) + √((a + Σ (u·x)²) Σ_i ln(1 + λ_i/a)))

mistakes, all sums over the rows of its mistakes. That is below the perceptron's bound if u lies where the rows hardly
vary. It is for two classes; OneVsRest(SecondOrderPerceptron()) for others.

Predicts: scores, linear in x.
Cost: O(n d) per pass over the rows and O(d² + d n_b) per mistake, in blocks of n_b = 64 rows; memory d².
Certificate: training mistakes, as a share of the rows.
Reference: Cesa-Bianchi, Conconi & Gentile (2005), SIAM J. Computing 34, theorem 3.1.
"""

from __future__ import annotations

from collections.abc import Mapping
from math import ceil
from typing import ClassVar

import numpy as np

from linclass.base.arrays import Array, ClassWeight, Matrix, Seed
from linclass.base.messages import require_memory
from linclass.base.parameters import require_positive
from linclass.linear.solvers.corrections import Block, Tally
from linclass.online.online_classifier import LinearOnlineClassifier


class SecondOrderPerceptron(LinearOnlineClassifier):
    """Parameters
    ----------
    ridge : float, default=1.0
        a, above 0, in units of ‖x‖². As it grows, the classifier becomes the perceptron.

    Attributes
    ----------
    classes_ : array of shape (2,)
        The classes, sorted.
    coef_ : array of shape (1, d)
        Weights w.
    intercept_ : array of shape (1,)
        Intercept b.
    n_mistakes_
    """

    simpler: ClassVar[Mapping[str, int]] = {"ridge": 1}
    for_more_classes: ClassVar[str] = "OneVsRest(SecondOrderPerceptron())"
    begun_with: ClassVar = ("fit_intercept", "ridge")
    _inverse: Array

    def __init__(
        self,
        *,
        ridge: float = 1.0,
        order: str = "random",
        fit_intercept: bool = True,
        max_iter: int = 10,
        random_state: Seed = 0,
        class_weight: ClassWeight = None,
    ):
        self.ridge = ridge
        self.order = order
        self.fit_intercept = fit_intercept
        self.max_iter = max_iter
        self.random_state = random_state
        self.class_weight = class_weight

    def check(self) -> None:
        super().check()
        require_positive("ridge", self.ridge)

    def _begin(self, X: Matrix, weights: Array) -> None:
        super()._begin(X, weights)
        width = len(self._theta)
        require_memory(
            16 * width**2, f"SecondOrderPerceptron needs a dense {width} × {width} matrix"
        )
        self._inverse = np.eye(width) / self.ridge

    def _visit(self, block: Block, codes: Array, weights: Array, tally: Tally) -> None:
        y = np.where(codes, 1.0, -1.0)
        z, i, n = block.scores(self._theta), 0, len(y)
        while i < n:
            wrong = y[i:] * z[i:] <= 0
            i += int(wrong.argmax()) if wrong.any() else n
            left = float(weights[i]) if i < n else 0.0
            while left > 0 and y[i] * z[i] <= 0:
                visit = min(left, 1.0)
                features, x = block.row(i)
                g = self._inverse[:, features] @ x
                spread = 1 + visit * float(x @ g[features])
                change = visit * float(y[i] - z[i]) / spread * g
                self._inverse -= np.multiply.outer(visit / spread * g, g)
                self._theta += change
                z += block.scores(change)
                visits = visit if g.any() else left  # a row of zeros changes nothing
                tally.mistakes += ceil(visits)
                left -= visits
            i += 1
        tally.visits += float(weights.sum())
