"""Active-set method for quadratic programs with an L1 term:  min_v  q(v) = ½ vᵀH v − cᵀv + Σ_j κ_j |v_j|,  κ_j ≥ 0.

For known signs σ of the support P the minimum solves  H_PP v_P = c_P − κ_P σ_P.  If some entries of that solution
have another sign, all of them are set to 0 if q decreases, else the first half of them on the way there, a quarter, …,
or the first. If there is none, entries whose slope exceeds κ join P. Blocks of entries are dropped and added while q
decreases, single ones otherwise, so no support occurs twice. The inverse of H_PP is updated with P (`Swept`).
If the diagonal of H changes between programs, the old inverse preconditions an iterative refinement.
Osborne, Presnell & Turlach (2000), IMA J. Numerical Analysis 20"""

from __future__ import annotations

import numpy as np
from scipy.linalg import blas, lapack

from linclass.base.arrays import SMALLEST, Array, diagonal

# The inverse of a positive definite matrix H on an index set P that changes, by sweeping:
#
#     M_PP = H_PP⁻¹,   M = 0 elsewhere.
#
# With  u = M h_j − e_j  and  s = h_jj − h_j·M h_j  the index j joins by  M + u uᵀ/s,  and leaves by
# M − m_j m_jᵀ/m_jj;  several at once likewise. M keeps its size, so no submatrix is copied.
# Goodnight (1979), The American Statistician 33

SWEPT_AT_ONCE = 32  # indices that join or leave at once
DEPENDENT_LIFT = 1e-12  # of the diagonal, added if features are linearly dependent


class Swept:
    def __init__(self, H: Array):
        self.H = H
        self.inside = np.zeros(len(H), bool)
        self.M = np.zeros(H.shape, order="F")

    def grow(self, H: Array) -> None:
        """Take a larger H, of which the present one is the first block."""
        m, M = len(self.H), self.M
        self.H, self.M = H, np.zeros(H.shape, order="F")
        self.M[:m, :m] = M
        self.inside = np.append(self.inside, np.zeros(len(H) - m, bool))

    def join(self, joining: Array) -> None:
        if len(joining) > SWEPT_AT_ONCE and not self.inside.any() and self._invert(joining):
            self.inside[joining] = True
            return
        for k in range(0, len(joining), SWEPT_AT_ONCE):
            J = joining[k : k + SWEPT_AT_ONCE]
            R = self.H[J]
            U = R @ self.M
            S = R[:, J] - U @ R.T
            own = np.arange(len(J))
            U[own, J] -= 1
            self._add(1.0, U, S, R[own, J])
        self.inside[joining] = True

    def leave(self, leaving: Array) -> None:
        for k in range(0, len(leaving), SWEPT_AT_ONCE):
            L = leaving[k : k + SWEPT_AT_ONCE]
            U = self.M[L]
            S = U[:, L]
            self._add(-1.0, U, S, S.diagonal())
            self.M[L] = 0
            self.M[:, L] = 0
        self.inside[leaving] = False

    def anew(self) -> None:
        """Recompute the inverse, to remove rounding errors and to follow a change of H."""
        P = np.flatnonzero(self.inside)
        self.M[...], self.inside[:] = 0, False
        self.join(P)

    def _invert(self, P: Array) -> bool:
        """M = H_PP⁻¹ directly, for a quarter of the work, if no index nearly depends on others."""
        H = self.H[np.ix_(P, P)]
        L, info = lapack.dpotrf(H, lower=1)
        if info or (L.diagonal() ** 2 <= DEPENDENT_LIFT * H.diagonal()).any():
            return False
        inverse, _ = lapack.dpotri(L, lower=1)
        self.M[np.ix_(P, P)] = inverse + np.tril(inverse, -1).T
        return True

    def _add(self, sign: float, U: Array, S: Array, scale: Array) -> None:
        """M ± Uᵀ S⁻¹ U, with S slightly regularized."""
        _, X, info = lapack.dposv(S, U)
        lift = DEPENDENT_LIFT
        while info:
            if not np.isfinite(S).all():
                raise FloatingPointError("products of features overflow; standardize them.")
            diagonal(S)[...] += lift * np.maximum(np.abs(scale), SMALLEST)
            _, X, info = lapack.dposv(S, U)
            lift *= 100
        blas.dgemm(sign, U.T, X, beta=1.0, c=self.M, overwrite_c=1)


# Block pivoting: with the slopes s = c − H v, all entries with  |d v + s| > κ,  d a share of the diagonal of H, are the
# next support, with the signs of d v + s. A support that repeats itself is that of the minimum. Usually four systems
# suffice; otherwise the supports do not settle, as where entries nearly depend on each other.
# Hintermüller, Ito & Kunisch (2002), SIAM J. Optimization 13

PIVOT_SHARE = 0.1  # of the diagonal
MAX_PIVOTS = 12


def by_block_pivoting(H: Array, c: Array, kinks: Array, v: Array) -> Array | None:
    """The minimizer of the program, from a start near it; None if the supports do not settle."""
    d, free, Hv = PIVOT_SHARE * H.diagonal(), kinks == 0, H @ v
    signs, changed = np.sign(v), len(v) + 1
    for _ in range(MAX_PIVOTS):
        u = d * v + c - Hv
        last, signs = signs, np.sign(u) * ((np.abs(u) > kinks) | free)
        before, changed = changed, int(np.count_nonzero(signs != last))
        if not changed and before <= len(v):
            return v
        if changed > before:
            return None
        P = np.flatnonzero(signs)
        v, Hv = np.zeros(len(c)), np.zeros(len(c))
        if len(P):
            HP = H[P]
            _, a, info = lapack.dposv(HP[:, P], (c - kinks * signs)[P], lower=1)
            if info:
                return None
            v[P], Hv = a, a @ HP
    return None


# The same with norms of groups,  min_v  q(v) + Σ_g κ_g ‖v_g‖:  all groups with  ‖d v_g + s_g‖ > κ_g  are the next
# support. Near the proximal point, of length  ν = (‖d v + s‖ − κ)/d  in the direction e of d v + s, the penalty of such
# a group has the slope κ e and the curvature  κ (I − e eᵀ)/ν.  With groups of one entry this is block pivoting.
#
# The objective has to decrease: otherwise the first groups that turn back stay 0, and where the step still overshoots,
# as around short groups with little curvature, each group in turn goes to its minimum, which always is a decrease.

GROUP_SHARE = 0.5  # of the mean diagonal of a group
GROUP_PIVOTS = 100  # at most; usually two to five
GROUP_LEFT = 1e-5  # of the largest slope at the start, that may be left
HALVED = 0.5  # of the largest slope that is left: a step to it is good, where rounding hides the decrease
ROUNDING = 1e-14  # of the terms of the objective
LENGTH_STEPS = 50  # of Newton's method for a length; few are needed
LENGTH_ROUNDING = 1e-14


class Groups:
    """Σ_g κ_g ‖v_g‖, from the group of each entry and its kink; a group whose kink is 0 is free."""

    def __init__(self, place: Array, kinks: Array):
        self.place, self.kinks, self.free = place, kinks, kinks == 0
        self.sizes = np.bincount(place)[place]

    def sums(self, v: Array) -> Array:
        """Of the group of each entry."""
        return np.bincount(self.place, v)[self.place]

    def norms(self, v: Array) -> Array:
        return np.sqrt(self.sums(v * v))

    def members(self) -> list[Array]:
        """The entries of each group."""
        return np.split(np.argsort(self.place, kind="stable"), np.cumsum(np.bincount(self.place)))[
            :-1
        ]

    def value(self, v: Array) -> float:
        return float(self.norms(v) @ (self.kinks / self.sizes))

    def turned(self, old: Array, new: Array) -> Array:
        """Mask of the groups that turn back, of which the first quarter on the way from old to new."""
        way = self.sums((new - old) ** 2)
        times = -self.sums(old * (new - old)) / np.where(way > 0, way, 1)
        times[(self.sums(old * new) >= 0) | self.free] = np.inf
        turns = np.unique(times[times < np.inf])
        return times <= (turns[len(turns) // 4] if len(turns) else -1)

    def excess(self, v: Array, s: Array) -> Array:
        """By how much slopes s exceed the kinks at v."""
        norms = self.norms(v)
        off = self.norms(s - self.kinks * v / np.where(norms > 0, norms, 1))
        return np.where((norms > 0) | self.free, off, np.maximum(off - self.kinks, 0))


class Tried:
    """A point of a program with groups: its product with H, objective, slopes, and the largest of these left."""

    def __init__(self, H: Array, c: Array, groups: Groups, v: Array):
        self.v, Hv = v, H @ v
        bend, fall, penalty = 0.5 * float(Hv @ v), float(c @ v), groups.value(v)
        self.q, self.rounding = bend - fall + penalty, ROUNDING * (bend + abs(fall) + penalty)
        self.slopes = c - Hv
        self.left = float(groups.excess(v, self.slopes).max(initial=0))

    def improves(self, old: Tried) -> bool:
        same = self.q <= old.q + old.rounding
        return self.q < old.q - old.rounding or (same and self.left < HALVED * old.left)


def by_group_pivoting(H: Array, c: Array, groups: Groups, v: Array, slack: float) -> Array:
    """The minimizer of the program, up to a slack of the slopes."""
    d = GROUP_SHARE * groups.sums(H.diagonal()) / groups.sizes
    now = Tried(H, c, groups, v)
    slack = max(slack, GROUP_LEFT * now.left)
    for _ in range(GROUP_PIVOTS):
        if now.left <= slack:
            break
        u = d * now.v + now.slopes
        new = Tried(H, c, groups, pivoted(H, c, groups, d, u))
        while not new.improves(now) and (turned := groups.turned(u / d, new.v)).any():
            u[turned] = 0
            new = Tried(H, c, groups, pivoted(H, c, groups, d, u))
        if not new.improves(now):
            new = Tried(H, c, groups, one_by_one(H, groups, now))
        if not new.improves(now):
            break  # at rounding
        now = new
    return now.v


def pivoted(H: Array, c: Array, groups: Groups, d: Array, u: Array) -> Array:
    """The minimum of the quadratic model at the proximal point  d⁻¹ max(1 − κ/‖u_g‖, 0) u_g."""
    kinks, norms = groups.kinks, groups.norms(u)
    P = np.flatnonzero((norms > kinks) | groups.free)
    e = u[P] / np.where(norms[P] > 0, norms[P], 1)
    length = (norms[P] - kinks[P]) / d[P]
    v = np.zeros(len(c))
    bends = np.where(groups.free[P], 0, kinks[P] / np.where(length > 0, length, 1))
    M, place = H[np.ix_(P, P)], groups.place[P]
    roots = e * np.sqrt(bends)
    M -= np.where(place[:, None] == place, np.outer(roots, roots), 0)
    diagonal(M)[...] += bends
    b = c[P] - kinks[P] * e
    _, a, info = lapack.dposv(M, b, lower=1)
    v[P] = np.linalg.lstsq(M, b)[0] if info else a
    return v


def one_by_one(H: Array, groups: Groups, now: Tried) -> Array:
    """The point after each group in turn went to its minimum while the others stayed."""
    v, slopes = now.v.copy(), now.slopes.copy()
    for own in groups.members():
        B = H[np.ix_(own, own)]
        new = minimum_of_group(B, slopes[own] + B @ v[own], groups.kinks[own[0]])
        slopes -= H[:, own] @ (new - v[own])
        v[own] = new
    return v


def minimum_of_group(B: Array, b: Array, kink: float) -> Array:
    """The minimizer of  ½ vᵀBv − bᵀv + κ‖v‖,  whose length ν solves  Σ (b/(B ν + κ))² = 1  along the axes of B.

    To the power −½ the sum is concave in ν, so Newton's method from 0 never passes the root.
    """
    values, V = np.linalg.eigh(B)
    values, b = np.maximum(values, ROUNDING * values[-1]), b @ V
    if b @ b <= kink * kink:
        return np.zeros(len(b))
    if not kink:
        return V @ (b / values)
    length = 0.0
    for _ in range(LENGTH_STEPS):
        terms = (b / (values * length + kink)) ** 2
        f = terms.sum()
        step = f * (np.sqrt(f) - 1) / (terms @ (values / (values * length + kink)))
        length += step
        if step <= LENGTH_ROUNDING * length:
            break
    return V @ (b * length / (values * length + kink))


JOIN_SHARE = 0.1  # of the largest violation: entries above it join at once
MAX_STEPS = 500
STALE_RATIO = 0.2  # ratio of residuals above which the inverse is too old
NEGLIGIBLE_SLACK = 1e-10  # of the kink: a negligible slack


class ActiveSet:
    """Programs with the same H, each started from the previous solution."""

    def __init__(self, H: Array):
        self.H, self.swept = H, Swept(H)

    def grow(self, H: Array) -> None:
        """Go on with a larger H, of which the present one is the first block."""
        self.H = H
        self.swept.grow(H)

    def minimize(self, c: Array, kinks: Array, v: Array, slack: float) -> tuple[Array, Array]:
        """The minimizer v and H v, from a start; slopes may exceed kinks by the slack."""
        swept, inside = self.swept, self.swept.inside
        signs = np.sign(v) * (kinks > 0)
        self._begin((v != 0) | (kinks == 0))
        Hv, least, q, exact = self.H @ v, np.inf, np.inf, False
        for _ in range(MAX_STEPS):
            slope = c - Hv
            beyond = np.abs(slope) - kinks
            beyond[inside] = 0
            worst = float(beyond.max(initial=0))
            if worst > slack:
                one = exact and q >= least  # no progress since the last full solution
                joining = np.flatnonzero(beyond >= worst if one else beyond > JOIN_SHARE * worst)
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
        """(a, H a) with H_PP a_P = b_P up to the slack or to rounding, starting from v."""
        swept, fresh = self.swept, False
        while True:
            a, Ha = v, Hv
            r = (b - Ha) * swept.inside
            left, before = float(np.abs(r).max(initial=0)), np.inf
            while left > slack and left <= STALE_RATIO * before:
                step = swept.M @ r
                a, Ha = a + step, Ha + self.H @ step
                r = (b - Ha) * swept.inside
                left, before = float(np.abs(r).max()), left
            if left <= slack or fresh:
                return a, Ha
            swept.anew()
            fresh = True

    def _shorten(self, v: Array, a: Array, crossed: Array) -> Array:
        """A step from v toward the minimum a for its signs. Entries that cross 0 on the way are set to 0: all of them,
        the first half, quarter, … if q decreases, else only the first.
        """
        times = np.divide(v, v - a, out=np.full(len(v), np.inf), where=crossed)
        ends, above = np.sort(times[crossed]), self._above(v - a)
        n, end = len(ends), 1.0
        while True:
            short = v + end * (a - v)
            short[times <= end] = 0
            if n == 1 or self._above(short - a) < above:
                return short
            n //= 2
            end = ends[n - 1]

    def _above(self, off: Array) -> float:
        """2(q − min q) for given signs, from the distance to the minimum."""
        return float(off @ (self.H @ off))


def scale(most: float, kink: float) -> float:
    """Scale of the slopes: the kink, but not more than the slopes at 0, of which this is the largest, and not 0."""
    return min(max(kink, 1e-3 * most), most)
