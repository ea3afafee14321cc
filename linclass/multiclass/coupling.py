"""Class probabilities from those of two-class problems: of pairs of classes, and of the splits of a code."""

from __future__ import annotations

import numpy as np
from scipy.special import expit

from linclass.base.arrays import Array, log_softmax

# Class probabilities p from probabilities of pairs of classes,  r_ij ≈ P(i | i or j) = p_i / (p_i + p_j).
#
# There are K − 1 free numbers p and K(K − 1)/2 numbers r, which need not be consistent, so p is a compromise:
#
#     hastie_tibshirani:  min −Σ_{i<j} (r_ij ln μ_ij + r_ji ln μ_ji),   μ_ij = p_i/(p_i + p_j),
#     wu_lin_weng:        min Σ_i Σ_{j≠i} (r_ji p_i − r_ij p_j)²,       both subject to Σ p_i = 1.
#
# The first is the likelihood of Bradley and Terry, convex in ln p. The iteration of the paper converges to the same p,
# but takes thousands of steps where some r are near 0 or 1; Newton's method takes about ten. Its steps are damped by
# ln(1 + m)/m with m the range of the step, so that the objective decreases, since |f‴| ≤ f″ along differences of ln p
# (Sun & Tran-Dinh 2019). The second is a linear system, whose solution has p ≥ 0. Both return p
# itself if the r are consistent.   Hastie & Tibshirani (1998), Ann. Statist. 26; Wu, Lin & Weng (2004), JMLR 5

LEAST = 1e-10  # of r, and ε: at r = 0 a single problem would exclude a class
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


# Class probabilities p from the two-class problems of a code:  r_s ≈ P(side +1 of split s) = q_s,
#
#     max Σ_s r_s ln q_s + (1 − r_s) ln(1 − q_s),   q_s = Σ_{k: M_ks = 1} p_k,   Σ_k p_k = 1.
#
# The likelihood of Bradley and Terry for teams of classes; it is concave in p if each class takes part in each problem.
# There are K − 1 free numbers p and often more numbers r, which need not be consistent; if they are, and the code tells
# the classes apart in enough ways, p is the one they come from. The optimum often has p_k = 0, where ln p_k is no
# number, so ε Σ_k ln p_k is added with a tiny ε; it also makes p unique. ε decreases to it from 1, and Newton's method
# follows. With m the largest relative decrease of a p_k, a step of 1/(1 + m) raises the objective and keeps p > 0,
# since along the step no curvature exceeds 1/(1 − t m)² times the first.
# Zadrozny (2001), NIPS 14; Huang, Weng & Lin (2006), JMLR 7

WEIGHTS = np.geomspace(1, LEAST, 11)  # of Σ ln p
CODE_STEPS, CODE_ROUNDING = 50, 1e-12


def couple_code(R: Array, M: Array) -> Array:
    """ln p (n, K) from the probabilities R (n, L) of the sides +1 of a code M (K, L) of −1 and 1."""
    R, (K, L) = np.clip(R, LEAST, 1 - LEAST), M.shape
    rows = max(BLOCK // ((K + 1) * (K + 2 * L)), 1)
    parts = [_most_likely(R[i : i + rows], M > 0) for i in range(0, len(R), rows)]
    return log_softmax(np.concatenate(parts)) if parts else np.empty((0, K))


def _most_likely(R: Array, sides: Array) -> Array:
    """ln p of these rows, up to rounding of Σ p."""
    both = np.hstack([sides, ~sides]).astype(float)  # K × 2L: the classes of each side
    shares = np.hstack([R, 1 - R])
    P = np.full((len(R), len(sides)), 1 / len(sides))
    for weight in WEIGHTS:
        todo = np.arange(len(R))
        for _ in range(CODE_STEPS):
            change = _newton_step(P[todo], shares[todo], both, weight)
            m = np.maximum(-change.min(axis=1), 0)
            P[todo] *= 1 + change / (1 + m)[:, None]
            todo = todo[np.abs(change).max(axis=1) > CODE_ROUNDING]
            if not len(todo):
                break
        P /= P.sum(axis=1, keepdims=True)
    return np.log(P)


def _newton_step(P: Array, shares: Array, both: Array, weight: float) -> Array:
    """Relative changes u of p, with Σ p_k u_k = 0:  (D H D + ε I) u + λ p = D g + ε 1,  D = diag(p)."""
    n, K = P.shape
    parts = P[:, :, None] * both / (P @ both)[:, None, :]  # of each class in its side
    system = np.zeros((n, K + 1, K + 1))
    system[:, :K, :K] = (parts * shares[:, None, :]) @ parts.swapaxes(1, 2) + weight * np.eye(K)
    system[:, :K, K] = system[:, K, :K] = P
    right = np.zeros((n, K + 1, 1))
    right[:, :K, 0] = (parts @ shares[:, :, None])[:, :, 0] + weight
    found: Array = np.linalg.solve(system, right)[:, :K, 0]
    return found
