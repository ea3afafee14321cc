"""Gaussian kernel  k(x, x′) = e^{−γ‖x − x′‖²}: near rows are alike; γ = 1/(2σ²) says how near.

Its matrix is positive definite for distinct rows, so they can be separated with any labels.
Schölkopf & Smola (2002), §2.3
"""

from __future__ import annotations

import numpy as np

from linclass.kernels.base import Kernel
from linclass.numerics import Array


class Gaussian(Kernel):
    parameters = ("gamma",)

    def __init__(self, gamma: float = 1.0):
        self.gamma = gamma

    def block(self, P: Array, a: Array, b: Array) -> None:
        """−γ(a + b − 2P), at most 0 in spite of rounding."""
        P *= 2 * self.gamma
        P -= self.gamma * a[:, None]
        P -= self.gamma * b
        np.minimum(P, 0, out=P)
        np.exp(P, out=P)
