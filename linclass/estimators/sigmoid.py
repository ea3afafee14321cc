"""Platt's sigmoid  P(class | z) = σ(a z + b)  for scores z of held-out rows.

(a, b) maximizes the likelihood of the targets (N₊ + 1)/(N₊ + 2) and 1/(N₋ + 2) instead of 1 and 0, the
posterior means under a uniform prior. With them a finite maximum exists for any scores.
Platt (2000), Advances in Large Margin Classifiers, ch. 5; Lin, Lin & Weng (2007), Machine Learning 68
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from linclass.losses.logistic import Logistic
from linclass.numerics import Array, DesignMatrix
from linclass.objective import Objective
from linclass.penalties.unpenalized import Unpenalized
from linclass.solvers.newton import Newton


class Sigmoid(NamedTuple):
    slope: float
    offset: float
    converged: bool = True
    certificate: float = 0.0  # gradient_cosine of the likelihood
    n_iter: int = 0


def sigmoid(z: Array, own: Array) -> Sigmoid:
    """Each row counts for both classes, by its target: a weighted logistic regression."""
    middle, scale = float(z.mean()), float(z.std()) or 1.0
    n_own, n_other = np.count_nonzero(own), np.count_nonzero(~own)
    target = np.where(own, (n_own + 1) / (n_own + 2), 1 / (n_other + 2))
    x = ((z - middle) / scale)[:, None]
    signs = np.repeat([1.0, -1.0], len(z))
    weights = np.concatenate([target, 1 - target])
    P = Objective(DesignMatrix(np.vstack([x, x])), Logistic(), signs, weights, Unpenalized())
    if (x == x[0]).all():  # constant scores: the class frequency
        share = target.mean()
        return Sigmoid(0.0, float(np.log(share / (1 - share))))
    found = Newton(tol=1e-8).solve(P, P.zero())
    a, b = found.theta
    slope, offset = float(a / scale), float(b - a * middle / scale)
    return Sigmoid(slope, offset, found.converged, found.certificate, found.n_iter)
