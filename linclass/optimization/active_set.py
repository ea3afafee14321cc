"""Quadratic programs with kinks:  min_v  q(v) = ½ vᵀH v − cᵀv + Σ_j κ_j |v_j|,  κ_j = 0 where free.

With the signs σ of the support P known the minimum solves  H_PP v_P = c_P − κ_P σ_P.  Where some
entry of that comes out with another sign, those are set to 0 at once if q falls, else the step ends
at the first zero on the way. When none does, entries join P whose slope exceeds κ. Blocks of them
are dropped and added while q falls, single ones when not: each support is then met at most once.
Osborne, Presnell & Turlach (2000), IMA J. Numerical Analysis 20
"""

from __future__ import annotations

import numpy as np
from scipy.linalg import lapack

from linclass.numerics import Array

JOIN = 0.5  # of the largest violation: those above it join together
STEPS = 500


def minimize(H: Array, c: Array, kinks: Array, v: Array, tol: float = 1e-10) -> Array:
    """The minimizer, from a start v; slopes may exceed kinks by `tol` of the largest kink."""
    v = v.copy()
    slack = tol * max(float(kinks.max(initial=0)), float(np.abs(c).max(initial=0)) * 1e-3)
    signs = np.sign(v)
    inside = (v != 0) | (kinks == 0)
    least, one = np.inf, False
    for _ in range(STEPS):
        P = np.flatnonzero(inside)
        a = solve(H, P, c[P] - kinks[P] * signs[P])
        crossed = (a * signs[P] <= 0) & (kinks[P] > 0)
        if not crossed.any():
            v[P] = a
            slope = c - H[:, P] @ a
            q = -0.5 * float(a @ (c[P] - kinks[P] * signs[P]))  # at the minimum over P
            beyond = np.where(inside, 0, np.abs(slope) - kinks)
            worst = float(beyond.max(initial=0))
            if worst <= slack:
                return v
            one = one or q >= least  # no progress since the last full solution
            joining = beyond >= worst if one else beyond > JOIN * worst
            one, least = False, q
            inside |= joining
            signs[joining] = np.sign(slope[joining])
            continue
        fresh = crossed & (v[P] == 0)
        if fresh.any():  # joined on the wrong side
            inside[P[fresh]] = False
            signs[P[fresh]] = 0
            continue
        v = shorten(H, c, kinks, P, v, a, crossed)
        left = P[(v[P] == 0) & (kinks[P] > 0)]
        inside[left] = False
        signs[left] = 0
    return v


def solve(H: Array, P: Array, right: Array) -> Array:
    """H_PP a = right; where features depend on each other, H_PP a little above singular."""
    if not len(P):
        return right
    square = np.ix_(P, P)
    _, a, info = lapack.dposv(H[square].T, right, lower=1, overwrite_a=1)  # in place: A is Aᵀ
    lift = 1e-12 * float(H[P, P].mean()) + 1e-300
    while info:
        lift *= 100
        A = H[square]
        A[np.diag_indices(len(P))] += lift
        _, a, info = lapack.dposv(A.T, right, lower=1, overwrite_a=1)
    return a


def shorten(
    H: Array, c: Array, kinks: Array, P: Array, v: Array, a: Array, crossed: Array
) -> Array:
    """From v toward a, not beyond where q stops falling; crossed entries end at 0."""
    HP, cP, kP, vP = H[np.ix_(P, P)], c[P], kinks[P], v[P]

    def q(x: Array) -> float:
        return float(0.5 * (x @ (HP @ x)) - cP @ x + kP @ np.abs(x))

    to_zero = np.where(crossed, 0, a)
    if not q(to_zero) < q(vP):
        t = np.where(crossed, vP / np.where(crossed, vP - a, 1), np.inf)
        first = int(np.argmin(t))
        to_zero = vP + t[first] * (a - vP)
        to_zero[first] = 0
    out = v.copy()
    out[P] = to_zero
    return out
