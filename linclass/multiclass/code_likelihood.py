"""Class probabilities p from the two-class problems of a code:  r_s ≈ P(side +1 of split s) = q_s,

    max Σ_s r_s ln q_s + (1 − r_s) ln(1 − q_s),   q_s = Σ_{k: M_ks = 1} p_k,   Σ_k p_k = 1.

The likelihood of Bradley and Terry for teams of classes; it is concave in p if each class takes part in each problem.
There are K − 1 free numbers p and often more numbers r, which need not be consistent; if they are, and the code tells
the classes apart in enough ways, p is the one they come from. The optimum often has p_k = 0, where ln p_k is no number,
so ε Σ_k ln p_k is added with a tiny ε; it also makes p unique. ε decreases to it from 1, and Newton's method follows.
With m the largest relative decrease of a p_k, a step of 1/(1 + m) raises the objective and keeps p > 0, since along
the step no curvature exceeds 1/(1 − t m)² times the first.
Zadrozny (2001), NIPS 14; Huang, Weng & Lin (2006), JMLR 7
"""

from __future__ import annotations

import numpy as np

from linclass.base.arrays import Array, log_softmax

LEAST = 1e-10  # of r, and ε: at r = 0 a single problem would exclude its classes
WEIGHTS = np.geomspace(1, LEAST, 11)  # of Σ ln p
STEPS, ROUNDING = 50, 1e-12
BLOCK = 4_000_000  # entries of the systems and their parts that are solved at once


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
        for _ in range(STEPS):
            change = _newton_step(P[todo], shares[todo], both, weight)
            m = np.maximum(-change.min(axis=1), 0)
            P[todo] *= 1 + change / (1 + m)[:, None]
            todo = todo[np.abs(change).max(axis=1) > ROUNDING]
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
