"""Polynomial kernel  k(x, x′) = (γ x·x′ + c)^degree: all monomials up to the degree (c > 0), weighted.

Poggio (1975), Biological Cybernetics 19
"""

from __future__ import annotations

import numpy as np

from linclass.base.arrays import Array, Matrix
from linclass.kernels.functions._about_centre import AboutCentre
from linclass.kernels.functions.base import Kernel


class Polynomial(Kernel):
    """k(x, x′) = (γ x·x′ + c)^degree.

    Parameters
    ----------
    gamma : float, default=1.0
        Factor γ, above 0.
    degree : int, default=3
        Degree, at least 1.
    coef0 : float, default=1.0
        Constant term c, at least 0.
    """

    parameters = ("gamma", "degree", "coef0")

    def __init__(self, gamma: float = 1.0, degree: int = 3, coef0: float = 1.0):
        if coef0 < 0:
            raise ValueError(f"coef0 is {coef0!r}; below 0 the kernel is no inner product.")
        self.gamma, self.degree, self.coef0 = gamma, degree, coef0

    def features(self, X: Matrix) -> Matrix | None:
        return X * self.gamma**0.5 if self.degree == 1 else None

    def about(self, centre: Array) -> Kernel:
        return AboutCentre(centre, self.gamma, self.coef0, self.degree)

    def block(self, P: Array, a: Array, b: Array) -> None:
        P *= self.gamma
        P += self.coef0
        base = P.copy()
        with np.errstate(over="ignore", invalid="ignore"):
            for _ in range(self.degree - 1):
                P *= base
        if not np.isfinite(P).all():
            raise ValueError(
                "kernel 'polynomial' overflows on these rows; standardize them or use a smaller "
                f"degree than {self.degree}."
            )
