"""Sigmoid kernel  k(x, x′) = tanh(γ x·x′ + c), as in neural networks.

In general it is not an inner product (its matrix may have negative eigenvalues), so a fit may have no minimum; `fit`
raises NotApplicable if the matrix shows it. Small γ and c ≤ 0 work best.
Lin & Lin (2003), "A study on sigmoid kernels for SVM"
"""

from __future__ import annotations

import numpy as np

from linclass.base.arrays import Array
from linclass.kernels.functions.base import Kernel


class Sigmoid(Kernel):
    """k(x, x′) = tanh(γ x·x′ + c).

    Parameters
    ----------
    gamma : float, default=1.0
        Factor γ, above 0.
    coef0 : float, default=0.0
        Constant term c.
    """

    parameters = ("gamma", "coef0")
    is_psd = False

    def __init__(self, gamma: float = 1.0, coef0: float = 0.0):
        self.gamma, self.coef0 = gamma, coef0

    def block(self, P: Array, a: Array, b: Array) -> None:
        P *= self.gamma
        P += self.coef0
        np.tanh(P, out=P)
