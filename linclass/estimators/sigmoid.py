"""Platt's sigmoid  P(class | z) = σ(a z + b)  for scores z of held-out rows.

(a, b) maximizes the likelihood of the targets (N₊ + 1)/(N₊ + 2) and 1/(N₋ + 2) instead of 1 and 0, the
posterior means under a uniform prior. With them a finite maximum exists for any scores.
Platt (2000), Advances in Large Margin Classifiers, ch. 5; Lin, Lin & Weng (2007), Machine Learning 68
"""

from __future__ import annotations

import numpy as np

from linclass.losses.logistic import Logistic
from linclass.numerics import Array, DesignMatrix
from linclass.objective import Objective
from linclass.penalties.unpenalized import Unpenalized
from linclass.solvers.newton import Newton


def sigmoid(z: Array, own: Array) -> tuple[float, float]:
    """(a, b). Each row counts for both classes, by its target: a weighted logistic regression."""
    middle, scale = float(z.mean()), float(z.std()) or 1.0
    n_own, n_other = np.count_nonzero(own), np.count_nonzero(~own)
    target = np.where(own, (n_own + 1) / (n_own + 2), 1 / (n_other + 2))
    x = ((z - middle) / scale)[:, None]
    signs = np.repeat([1.0, -1.0], len(z))
    weights = np.concatenate([target, 1 - target])
    P = Objective(DesignMatrix(np.vstack([x, x])), Logistic(), signs, weights, Unpenalized())
    if (x == x[0]).all():  # constant scores: the class frequency
        share = target.mean()
        return 0.0, float(np.log(share / (1 - share)))
    a, b = Newton(tol=1e-8).solve(P, P.zero()).theta
    return float(a / scale), float(b - a * middle / scale)
