"""Temperature scaling:  P(k | x) ∝ exp(z_k/T),  one temperature T > 0 for all classes,

which maximizes the likelihood of held-out rows. With β = 1/T minus its logarithm is convex in β,

    L(β) = Σ w_i (ln Σ_k e^{β z_ik} − β z_i,y_i),   L′(β) = Σ w_i (E_β[z_i] − z_i,y_i),

and the root of L′ is the only optimum. The order of the classes stays as it is, and so does every prediction. L has no
minimum if every held-out row scores highest for its class (β → ∞), nor one above 0 if the true class has on average
no higher score than the others: β is sought between 10⁻⁴ and 10⁴, in units of the inverse deviation of the scores
within a row.
Guo, Pleiss, Sun & Weinberger (2017), ICML
"""

from __future__ import annotations

import numpy as np
from scipy.optimize import brentq
from scipy.special import softmax

from linclass.base.arrays import Array

LARGEST = 1e4  # β in units of the inverse deviation of scores; its inverse is the smallest


class Temperature:
    """The temperature of given rows."""

    def __init__(self, Z: Array, codes: Array, weights: Array):
        """Z (n, K) scores of held-out rows; −z/2 and z/2 for two classes."""
        self.status, self.reason = "converged", ""
        Z = Z - Z.mean(axis=1, keepdims=True)
        unit = float(np.sqrt(np.average((Z**2).mean(axis=1), weights=weights))) or 1.0
        Z, own = Z / unit, Z[np.arange(len(codes)), codes] / unit

        def slope(log_beta: float) -> float:
            expected = (softmax(np.exp(log_beta) * Z, axis=1) * Z).sum(axis=1)
            return float(weights @ (expected - own))

        low, high = -np.log(LARGEST), np.log(LARGEST)
        if slope(low) >= 0:  # the scores say nothing, or the opposite
            log_beta = low
        elif slope(high) <= 0:
            log_beta = high
            self.status = "separable"
            self.reason = (
                "held-out rows score highest for their classes, so the likelihood rises while the "
                "temperature falls to 0; use method='sigmoid', whose targets are smoothed"
            )
        else:
            log_beta = brentq(slope, low, high, xtol=1e-14, rtol=1e-14)
        self.temperature = unit * float(np.exp(-log_beta))
        self.fitted = {"temperature_": self.temperature}

    def decision(self, Z: Array) -> Array:
        """Log-odds (n,) of two classes; for more z/T (n, K), whose softmax are the probabilities."""
        Z = Z / self.temperature
        return Z[:, 1] - Z[:, 0] if Z.shape[1] == 2 else Z
