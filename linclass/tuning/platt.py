"""Platt's sigmoid  P(class | z) = σ(a z + b)  for scores z of held-out rows.

(a, b) maximizes the likelihood of the targets (N₊ + 1)/(N₊ + 2) and 1/(N₋ + 2) instead of 1 and 0, the
posterior means under a uniform prior, with N the weights of the two sides. With them a finite maximum exists for any
scores. Two classes share one sigmoid; K classes have one each, against the rest, and their probabilities are divided
by their sum.
Platt (2000), Advances in Large Margin Classifiers, ch. 5; Lin, Lin & Weng (2007), Machine Learning 68;
Zadrozny & Elkan (2002), KDD, on more than two classes
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from scipy.special import log_expit

from linclass.base.arrays import Array
from linclass.base.design_matrix import DesignMatrix
from linclass.base.messages import counted
from linclass.linear.losses.margin import Logistic
from linclass.linear.objective.objective import Objective
from linclass.linear.penalties.entrywise import Unpenalized
from linclass.linear.solvers.newton import Newton


class FittedSigmoid(NamedTuple):
    slope: float
    offset: float
    converged: bool = True
    certificate: float = 0.0  # gradient_cosine of the likelihood
    n_iter: int = 0


class PlattSigmoids:
    """One sigmoid for two classes, K for K."""

    def __init__(self, Z: Array, codes: Array, weights: Array):
        """Z (n, K) scores of held-out rows; −z/2 and z/2 for two classes."""
        K = Z.shape[1]
        scores = Z[:, 1:] - Z[:, :1] if K == 2 else Z
        own = range(1, 2) if K == 2 else range(K)
        self.sigmoids = [
            sigmoid(z, codes == k, weights) for z, k in zip(scores.T, own, strict=True)
        ]
        slopes = np.array([found.slope for found in self.sigmoids])
        offsets = np.array([found.offset for found in self.sigmoids])
        self.fitted = {"slopes_": slopes, "offsets_": offsets}
        self.status, self.reason = "converged", ""
        worst = max(self.sigmoids, key=lambda found: (not found.converged, found.certificate))
        if not worst.converged:
            self.status = "max_iter"
            self.reason = (
                f"Newton's method for a sigmoid stopped after {counted(worst.n_iter, 'step')} with a "
                f"gradient_cosine of {worst.certificate:.1e}; standardize the scores"
            )

    def decision(self, Z: Array) -> Array:
        """Log-odds (n,) of two classes; for more the logarithms (n, K) of what is divided by its sum."""
        slopes, offsets = self.fitted["slopes_"], self.fitted["offsets_"]
        if len(slopes) == 1:
            return np.asarray((Z[:, 1] - Z[:, 0]) * slopes[0] + offsets[0])
        return np.asarray(log_expit(Z * slopes + offsets))


def sigmoid(z: Array, own: Array, w: Array) -> FittedSigmoid:
    """Each row counts for both classes, by its target: a weighted logistic regression."""
    middle, scale = float(z.mean()), float(z.std()) or 1.0
    n_own, n_other = w[own].sum(), w[~own].sum()
    target = np.where(own, (n_own + 1) / (n_own + 2), 1 / (n_other + 2))
    x = ((z - middle) / scale)[:, None]
    if (x == x[0]).all():  # constant scores: the class frequency
        share = np.average(target, weights=w)
        return FittedSigmoid(0.0, float(np.log(share / (1 - share))))
    signs = np.repeat([1.0, -1.0], len(z))
    both = np.concatenate([w * target, w * (1 - target)])
    P = Objective(DesignMatrix(np.vstack([x, x])), Logistic(), signs, both, Unpenalized())
    found = Newton(tol=1e-8).solve(P, P.zero())
    a, b = found.theta
    slope, offset = float(a / scale), float(b - a * middle / scale)
    return FittedSigmoid(slope, offset, found.converged, found.certificate, found.n_iter)
