"""Class probabilities p from probabilities of pairs of classes,  r_ij ≈ P(i | i or j) = p_i / (p_i + p_j).

There are K − 1 free numbers p and K(K − 1)/2 numbers r, which need not be consistent, so p is a compromise:

    hastie_tibshirani:  min −Σ_{i<j} (r_ij ln μ_ij + r_ji ln μ_ji),   μ_ij = p_i/(p_i + p_j),
    wu_lin_weng:        min Σ_i Σ_{j≠i} (r_ji p_i − r_ij p_j)²,       both subject to Σ p_i = 1.

The first is the likelihood of Bradley and Terry, convex in ln p. The iteration of the paper converges to the same p,
but takes thousands of steps where some r are near 0 or 1; Newton's method takes about ten. Its steps are damped by
ln(1 + m)/m with m the range of the step, so that the objective decreases, since |f‴| ≤ f″ along differences of ln p
(Sun & Tran-Dinh 2019). The second is a linear system, whose solution has p ≥ 0. Both return p
itself if the r are consistent.   Hastie & Tibshirani (1998), Ann. Statist. 26; Wu, Lin & Weng (2004), JMLR 5
"""

from __future__ import annotations

import numpy as np
from scipy.special import expit

from linclass.base.arrays import Array, log_softmax

LEAST = 1e-10  # of r: at r = 0 a single pair would exclude a class
STEPS, ROUNDING = 100, 1e-14
BLOCK = 4_000_000  # entries of the systems that are solved at once


def couple(R: Array, method: str) -> Array:
    """ln p (n, K) from pairs R (n, K, K), of which only entries off the diagonal count; R_ij + R_ji = 1."""
    n, K, _ = R.shape
    R = np.clip(R, LEAST, 1 - LEAST)
    R[:, np.arange(K), np.arange(K)] = 0
    rows = max(BLOCK // (K + 1) ** 2, 1)
    parts = [COUPLINGS[method](R[begin : begin + rows]) for begin in range(0, n, rows)]
    return np.concatenate(parts)


def hastie_tibshirani(R: Array) -> Array:
    """ln p by damped Newton steps, for all rows at once until each has converged."""
    K = R.shape[-1]
    diagonal, todo = np.arange(K), np.arange(len(R))
    log_p = np.log(R.sum(axis=-1))
    for _ in range(STEPS):
        v = log_p[todo]
        mu = expit(v[:, :, None] - v[:, None, :])
        mu[:, diagonal, diagonal] = 0
        slope = (mu - R[todo]).sum(axis=-1)
        curvature = mu * mu.swapaxes(1, 2)
        H = 1 / K - curvature  # 1/K: a constant added to ln p changes nothing
        H[:, diagonal, diagonal] += curvature.sum(axis=-1)
        step = -np.linalg.solve(H, slope[..., None])[..., 0]
        m = np.ptp(step, axis=-1)[:, None]
        log_p[todo] = v + np.divide(np.log1p(m), m, out=np.ones_like(m), where=m > 0) * step
        todo = todo[(np.abs(slope).max(axis=-1) > K * ROUNDING) & (m[:, 0] > ROUNDING)]
        if not len(todo):
            break
    return log_softmax(log_p)


def wu_lin_weng(R: Array) -> Array:
    """ln p from  Q p + b 1 = 0,  Σ p = 1,  Q_ii = Σ_{j≠i} r_ji²,  Q_ij = −r_ji r_ij."""
    n, K, _ = R.shape
    diagonal = np.arange(K)
    system = np.zeros((n, K + 1, K + 1))
    system[:, :K, :K] = -R * R.swapaxes(1, 2)
    system[:, diagonal, diagonal] = (R**2).sum(axis=1)
    system[:, :K, K] = system[:, K, :K] = 1
    right = np.zeros((n, K + 1, 1))
    right[:, K] = 1
    return np.log(np.linalg.solve(system, right)[:, :K, 0])


COUPLINGS = {"wu_lin_weng": wu_lin_weng, "hastie_tibshirani": hastie_tibshirani}
