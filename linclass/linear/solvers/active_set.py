"""Active-set method for quadratic programs with an L1 term:  min_v  q(v) = ½ vᵀH v − cᵀv + Σ_j κ_j |v_j|,  κ_j ≥ 0.

For known signs σ of the support P the minimum solves  H_PP v_P = c_P − κ_P σ_P.  If some entries of that solution
have another sign, all of them are set to 0 if q decreases, else the first half of them on the way there, a quarter, …,
or the first. If there is none, entries whose slope exceeds κ join P. Blocks of entries are dropped and added while q
decreases, single ones otherwise, so no support occurs twice.
Osborne, Presnell & Turlach (2000), IMA J. Numerical Analysis 20"""

from __future__ import annotations

import numpy as np
from scipy.linalg import lapack

from linclass.base.arrays import SMALLEST, Array, diagonal
from linclass.linear.penalties.group_lasso import lengths

# Block pivoting: with the slopes s = c − H v, all entries with  |d v + s| > κ,  d a share of the diagonal of H, are the
# next support, with the signs of d v + s. A support that repeats itself is that of the minimum. Usually four systems
# suffice; otherwise the supports do not settle, as where entries nearly depend on each other.
# Hintermüller, Ito & Kunisch (2002), SIAM J. Optimization 13

PIVOT_SHARE = 0.1  # share of the diagonal
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


# The program with norms of groups,  min_v  q(v) + Σ_g κ_g ‖v_g‖:  all groups with  ‖d v_g + s_g‖ > κ_g  are the next
# support. Near the proximal point, of length  ν = (‖d v + s‖ − κ)/d  in the direction e of d v + s, the penalty of such
# a group has the slope κ e and the curvature  κ (I − e eᵀ)/ν.  With groups of one entry this is block pivoting.
#
# The objective has to decrease: otherwise the first groups that turn back stay 0, and where the step still overshoots,
# as around short groups with little curvature, each group in turn goes to its minimum, which always is a decrease. It
# settles the support, and a Newton step of the groups in it, which line search shortens, their lengths.

GROUP_SHARE = 0.5  # share of the mean diagonal of a group
GROUP_PIVOTS = 20  # at most; usually two to five
GROUP_LEFT = 1e-5  # relative to the largest slope at the start, that may be left
HALVED = 0.5  # relative to the largest slope that is left: a step to it is good, where rounding hides the decrease
ROUNDING = 1e-14  # relative to the terms of the objective
HALVINGS = 10  # of a Newton step


class Groups:
    """Σ_g κ_g ‖v_g‖, from the group of each entry and its kink; a group whose kink is 0 is free."""

    def __init__(self, place: Array, kinks: Array):
        self.place, self.kinks, self.free = place, kinks, kinks == 0
        self.sizes = np.bincount(place)[place]

    def sums(self, v: Array) -> Array:
        """The sum over the group of each entry."""
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
        """The excess of slopes s over the kinks at v."""
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
            new = newton_within(H, c, groups, d, Tried(H, c, groups, one_by_one(H, groups, now)))
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
    v[P] = lapack.dpotrs(factor(M), c[P] - kinks[P] * e, lower=1)[0]
    return v


def one_by_one(H: Array, groups: Groups, now: Tried) -> Array:
    """The point after each group in turn went to its minimum while the others stayed."""
    v, slopes = now.v.copy(), now.slopes.copy()
    for group in groups.members():
        B = H[np.ix_(group, group)]
        new = minimum_of_group(B, slopes[group] + B @ v[group], groups.kinks[group[0]])
        slopes -= H[:, group] @ (new - v[group])
        v[group] = new
    return v


def newton_within(H: Array, c: Array, groups: Groups, d: Array, now: Tried) -> Tried:
    """A Newton step of the groups that are not 0, halved until the objective decreases."""
    norms = groups.norms(now.v)
    u = d * now.v + groups.kinks * now.v / np.where(norms > 0, norms, 1)
    way = pivoted(H, c, groups, d, u) - now.v
    for k in range(HALVINGS):
        new = Tried(H, c, groups, now.v + 0.5**k * way)
        if new.improves(now):
            return new
    return now


def minimum_of_group(B: Array, b: Array, kink: float) -> Array:
    """The minimizer of  ½ vᵀBv − bᵀv + κ‖v‖,  whose length ν solves  Σ (b/(B ν + κ))² = 1  along the axes of B."""
    values, V = np.linalg.eigh(B)
    values, b = np.maximum(values, ROUNDING * values[-1]), b @ V
    if b @ b <= kink * kink:
        return np.zeros(len(b))
    if not kink:
        return V @ (b / values)
    one = np.zeros(len(b), int)
    length = lengths(b * b, values, np.full(len(b), kink), one)[0]
    return V @ (b * length / (values * length + kink))


JOIN_SHARE = 0.1  # share of the largest violation: entries above it join at once
MAX_STEPS = 500
MAX_REFINEMENTS = 5
STALLED = 0.2  # ratio of residuals above which a refinement is the last
DEPENDENT_LIFT = 1e-12  # relative to the diagonal, added if features are linearly dependent
NEGLIGIBLE_SLACK = 1e-10  # relative to the kink: a negligible slack


def by_active_set(H: Array, c: Array, kinks: Array, v: Array, slack: float) -> Array:
    """The minimizer of the program, from a start; slopes may exceed kinks by the slack.

    With the slopes s = c − H v, v is optimal if and only if  s_j = κ_j sign(v_j)  on the support and  |s_j| ≤ κ_j
    elsewhere. The outer loop lets entries with |s_j| > κ_j join with the sign of s_j; the inner one solves
    H_PP a_P = c_P − κ_P σ_P, and shortens the step from v to a as long as some a_j has another sign than σ_j.
    """
    signs, inside = np.sign(v) * (kinks > 0), (v != 0) | (kinks == 0)
    Hv, least, q, exact = H @ v, np.inf, np.inf, False
    for _ in range(MAX_STEPS):
        slope = c - Hv
        beyond = np.abs(slope) - kinks
        beyond[inside] = 0
        worst = float(beyond.max(initial=0))
        if worst > slack:
            one = exact and q >= least  # no progress since the last full solution
            joining = beyond >= worst if one else beyond > JOIN_SHARE * worst
            signs[joining] = np.sign(slope[joining])
            inside |= joining
            least = q
        elif exact:
            break
        while True:
            b = c - kinks * signs
            a, Ha = _solved(H, b, inside, slack, v, Hv)
            crossed = (a * signs <= 0) & (signs != 0)
            if not crossed.any():
                break
            leaving = crossed & (v == 0)  # joined on the wrong side
            if not leaving.any():
                v = _shortened(H, v, a, crossed)
                Hv = H @ v
                leaving = crossed & (v == 0)
            signs[leaving] = 0
            inside &= ~leaving
        v, Hv, q, exact = a, Ha, -0.5 * float(a @ b), True
    return v


def _solved(
    H: Array, b: Array, inside: Array, slack: float, v: Array, Hv: Array
) -> tuple[Array, Array]:
    """(a, H a) with H_PP a_P = b_P up to the slack or to rounding for the entries P inside; the others are 0, as those
    of the start v are, whose residual is smaller than that of 0.
    """
    P = np.flatnonzero(inside)
    if not len(P):
        return v, Hv
    rows = H[P]
    L = factor(rows[:, P])
    a, Ha, left = v.copy(), Hv, np.inf
    for _ in range(MAX_REFINEMENTS):
        step = lapack.dpotrs(L, b[P] - Ha[P], lower=1)[0]
        a[P] += step
        Ha = Ha + step @ rows
        before, left = left, float(np.abs(b[P] - Ha[P]).max())
        if left <= slack or left > STALLED * before:
            break
    return a, Ha


def factor(M: Array) -> Array:
    """The Cholesky factor of a matrix without negative eigenvalues, its diagonal lifted where rounding needs it."""
    size, lift = np.maximum(M.diagonal(), SMALLEST), DEPENDENT_LIFT
    L, info = lapack.dpotrf(M, lower=1)
    if (L.diagonal() ** 2 <= DEPENDENT_LIFT * size).any():
        info = 1
    while info:
        if not np.isfinite(M).all():
            raise FloatingPointError("products of features overflow; standardize them.")
        lifted = M.copy()
        diagonal(lifted)[...] += lift * size
        L, info = lapack.dpotrf(lifted, lower=1)
        lift *= 100
    return L


def _shortened(H: Array, v: Array, a: Array, crossed: Array) -> Array:
    """A step from v toward the minimum a for its signs. Entries that cross 0 on the way are set to 0: all of them, the
    first half, quarter, … if q decreases, else only the first.
    """

    def above(off: Array) -> float:
        """2(q − min q) for given signs, from the distance to the minimum."""
        return float(off @ (H @ off))

    times = np.divide(v, v - a, out=np.full(len(v), np.inf), where=crossed)
    ends, start = np.sort(times[crossed]), above(v - a)
    n, end = len(ends), 1.0
    while True:
        short = v + end * (a - v)
        short[times <= end] = 0
        if n == 1 or above(short - a) < start:
            return short
        n //= 2
        end = ends[n - 1]


def scale(most: float, kink: float) -> float:
    """Scale of the slopes: the kink, but not more than the slopes at 0, of which this is the largest, and not 0."""
    return min(max(kink, 1e-3 * most), most)
