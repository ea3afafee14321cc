"""Quadratic programs with kinks:  min_v  q(v) = ½ vᵀH v − cᵀv + Σ_j κ_j |v_j|,  κ_j = 0 where free.

With the signs σ of the support P known the minimum solves  H_PP v_P = c_P − κ_P σ_P.  Where some
entry of that comes out with another sign, those are set to 0 at once if q falls, else the step ends
at the first zero on the way. When none does, entries join P whose slope exceeds κ. Blocks of them
are dropped and added while q falls, single ones when not: each support is then met at most once.
The inverse of H_PP follows P (`sweep`), and also a diagonal of H that changes between programs: what
it is off then is made good by what is left of the equation, H_PP⁻¹ times.
Osborne, Presnell & Turlach (2000), IMA J. Numerical Analysis 20
"""

from __future__ import annotations

import numpy as np

from linclass.numerics import Array
from linclass.optimization.sweep import Swept

JOIN = 0.1  # of the largest violation: those above it join together
STEPS = 500
ANEW = 0.2  # of what was left, is left after a step with an inverse that is too old
PRECISE = 1e-10  # of the kink: a slack that is as good as none


class ActiveSet:
    """Programs of one H, each begun where the last one ended."""

    def __init__(self, H: Array):
        self.H, self.swept = H, Swept(H)

    def minimize(self, c: Array, kinks: Array, v: Array, slack: float) -> tuple[Array, Array]:
        """The minimizer v and H v, from a start; slopes may exceed kinks by the slack."""
        swept, inside = self.swept, self.swept.inside
        signs = np.sign(v) * (kinks > 0)
        self._begin((v != 0) | (kinks == 0))
        Hv, least, q, exact = self.H @ v, np.inf, np.inf, False
        for _ in range(STEPS):
            slope = c - Hv
            beyond = np.abs(slope) - kinks
            beyond[inside] = 0
            worst = float(beyond.max(initial=0))
            if worst > slack:
                one = exact and q >= least  # no progress since the last full solution
                joining = np.flatnonzero(beyond >= worst if one else beyond > JOIN * worst)
                signs[joining] = np.sign(slope[joining])
                swept.join(joining)
                least = q
            elif exact:
                break
            b = c - kinks * signs
            a, Ha = self._solve(b, v, Hv, slack)
            crossed = (a * signs <= 0) & (signs != 0)
            while crossed.any():
                leaving = crossed & (v == 0)  # joined on the wrong side
                if not leaving.any():
                    v = self._shorten(v, a, crossed)
                    Hv = self.H @ v
                    leaving = crossed & (v == 0)
                signs[leaving] = 0
                swept.leave(np.flatnonzero(leaving))
                b = c - kinks * signs
                a, Ha = self._solve(b, v, Hv, slack)
                crossed = (a * signs <= 0) & (signs != 0)
            v, Hv, q, exact = a, Ha, -0.5 * float(a @ b), True
        return v, Hv

    def _begin(self, inside: Array) -> None:
        had = self.swept.inside
        if (change := inside != had).any():
            self.swept.leave(np.flatnonzero(change & had))
            self.swept.join(np.flatnonzero(change & inside))

    def _solve(self, b: Array, v: Array, Hv: Array, slack: float) -> tuple[Array, Array]:
        """(a, H a) with H_PP a_P = b_P to within the slack, or to rounding; from v."""
        swept, fresh = self.swept, False
        while True:
            a, Ha = v, Hv
            r = (b - Ha) * swept.inside
            left, before = float(np.abs(r).max(initial=0)), np.inf
            while left > slack and left <= ANEW * before:
                step = swept.M @ r
                a, Ha = a + step, Ha + self.H @ step
                r = (b - Ha) * swept.inside
                left, before = float(np.abs(r).max()), left
            if left <= slack or fresh:
                return a, Ha
            swept.anew()
            fresh = True

    def _shorten(self, v: Array, a: Array, crossed: Array) -> Array:
        """From v toward the minimum a for their signs, not beyond where q stops falling; crossed
        entries end at 0."""
        to_zero = np.where(crossed, 0, a)
        if self._above(to_zero - a) < self._above(v - a):
            return to_zero
        t = np.where(crossed, v / np.where(crossed, v - a, 1), np.inf)
        first = int(np.argmin(t))
        short = v + t[first] * (a - v)
        short[first] = 0
        return short

    def _above(self, off: Array) -> float:
        """2(q − min q) for given signs, so far off the minimum."""
        return float(off @ (self.H @ off))


def scale(c: Array, kink: float) -> float:
    """Of slopes: the kink; of what they are without weights no more than all, and some at least."""
    most = float(np.abs(c).max(initial=0))
    return min(max(kink, 1e-3 * most), most)
