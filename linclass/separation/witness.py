"""Witnesses of separability and their proof. For a matrix Z one of them exists, or both for different rows (Stiemke,
Gordan, Goldman–Tucker):

    d with Z d ≥ 0, Z d ≠ 0        and        λ ≥ 0, λ ≠ 0 with Zᵀλ = 0.

Only d: all Z_i d > 0, complete separation. Only λ, all λ_i > 0: no separation. Both: quasi-complete separation,
rows with Z_i d > 0 have λ_i = 0, all others Z_i d = 0 and λ_i > 0.

Floats represent neither exactly, so `holds` proves that exact witnesses exist near them:

    λ  any d with Z d ≥ 0 has  ‖ΛZd‖₂ ≤ ‖ΛZd‖₁ = λᵀZd ≤ ‖Zᵀλ‖ ‖d‖,  so  σ_r(ΛZ) > ‖Zᵀλ‖  leaves only
       those with Z d = 0, where r is the rank of Z, computed in integers if it is not full.
    d  is made orthogonal to the rows with a multiplier, in integers, and must still have
       the others on its side.

Both are proofs: all rounding errors of sums and products are bounded (`UNIT`), and what LAPACK returns is only a
candidate that is computed again. What the bounds leave open is computed in integers, for few rows
and columns only: above `MAX_INTEGER_ENTRIES` such witnesses do not hold.
"""

from __future__ import annotations

from fractions import Fraction
from itertools import cycle, islice
from typing import Any, NamedTuple

import numpy as np
from scipy import linalg, sparse

from linclass.base.arrays import Array
from linclass.separation.exact_systems import PRIMES, echelon_modulo, solve_exactly
from linclass.separation.signed_rows import (
    TINY,
    UNIT,
    SignedRows,
    contents_of_rows,
    decide_exactly,
    echelon,
    product,
    smallest,
)

RESIDUAL = 1e-12  # ‖Zᵀλ‖∞ / Σλ, the columns of Z being within [−1, 1]
TOUCHING = 1e-9  # relative to the largest score: rows below it count as lying on the hyperplane
MAX_INTEGER_ENTRIES = 20_000  # entries of Z up to which separation is decided in integers
BITS = 128  # length of such an entry; one of twice the length counts as two
COLUMNS = 24  # columns of Z up to which it is; the cost is of fifth order in them
ELIMINATED = 150  # rows or columns up to which a rank is found in integers
MOST_ROUNDS = 20  # in which rows join until they span all
CELLS = 4_000_000  # entries of Z up to which the rank is checked in integers
MAX_PROOF_ENTRIES = 4_000_000  # entries of Z up to which the proof is of all rows, not of some with large multipliers


class Alternative(NamedTuple):
    direction: Array | None
    multipliers: Array  # Σλ = 1, or all 0 if there is no such λ

    @property
    def kind(self) -> str:
        if self.direction is None:
            return "none"
        return "quasi-complete" if self.multipliers.any() else "complete"

    def holds(self, rows: SignedRows) -> bool:
        plane = None if self.direction is None else rows.hyperplane(self.direction)
        return holds(rows, plane, self.multipliers)


def holds(rows: SignedRows, plane: tuple[Array, float] | None, multipliers: Array) -> bool:
    """Whether (w, b) and λ prove the stated separability of the rows."""
    touching = multipliers > 0
    if not (np.isfinite(multipliers).all() and (multipliers >= 0).all()):
        return False
    if plane is not None and not touching.any():
        return rows.are_right(*plane)
    if plane is None and not touching.all():
        return False
    multipliers = multipliers / multipliers.sum()
    if np.abs(rows.rmatvec(multipliers)).max(initial=0) > RESIDUAL:
        return False
    index = np.flatnonzero(touching)
    touching_rows = rows if plane is None else rows.part(index)
    if not only_zero(touching_rows, multipliers[touching]):
        return False
    if plane is None:
        return True
    basis = _basis(touching_rows)
    return basis is not None and _others_are_right(rows, *plane, touching, index[basis])


def only_zero(rows: SignedRows, multipliers: Array, exactly: bool = True) -> bool:
    """Whether it is proved that every d with Z d ≥ 0 has Z d = 0, by λ > 0 or, in integers, without it."""
    multipliers = multipliers / multipliers.sum()
    used, few = rows.used_columns, _few(rows, multipliers, MAX_PROOF_ENTRIES)
    if not len(used):
        return True
    # the factor 30 allows for a shift of at most FAR spreads, as |Z| ≤ 1
    off = float(np.linalg.norm(rows.rmatvec(multipliers)))
    off += 30 * (rows.n_rows + 4) * UNIT * rows.width**0.5
    Z = rows.take(few)
    Z = Z if len(used) == rows.width else Z[:, used]  # without the columns that are 0
    A = sparse.diags_array(multipliers[few]) @ Z if rows.is_sparse else multipliers[few, None] * Z
    # rounding of x − shift, and of λ_i Z_i
    rounding = 2.1 * UNIT * frobenius(A) + A.shape[0] * A.shape[1] * TINY
    wanted = 1.01 * (off + rounding)
    if exceed(A, wanted):
        return True
    least = lower_bound(A, len(used))
    rank = len(used)
    if least <= rounding:  # the exact rank
        if (basis := _basis(rows, CELLS)) is None:
            return False
        rank = len(basis)
    least = least if rank == len(used) else lower_bound(A, rank)
    return least > wanted or (exactly and _is_decided(rows, multipliers, rank))


def _few(rows: SignedRows, multipliers: Array, entries: int) -> Array:
    """All rows or, if they have more entries, those with large multipliers and some others."""
    many = max(entries // rows.width, 2)
    if rows.n_rows <= many:
        return np.arange(rows.n_rows)
    order = np.argsort(-multipliers, kind="stable")
    return np.unique(np.r_[order[: many // 2], order[:: -(-2 * len(order) // many)]])


def _is_decided(rows: SignedRows, multipliers: Array, rank: int) -> bool:
    """Whether integers prove that no direction separates; a subset of the rows suffices if it has the rank of all."""
    if rows.n_rows * rows.width > MAX_INTEGER_ENTRIES:
        rows = rows.part(_few(rows, multipliers, MAX_INTEGER_ENTRIES // 4))
    Z = in_integers(rows)
    if Z is None or len(echelon(Z)[2]) < rank:
        return False
    return decide_exactly(Z).direction is None


def in_integers(rows: SignedRows) -> Array | None:
    """Z in integers, if it is small enough to be decided in seconds."""
    if rows.width > COLUMNS or rows.n_rows * rows.width > MAX_INTEGER_ENTRIES:
        return None
    Z = rows.exactly()
    bits = max((abs(int(v)).bit_length() for v in Z.ravel()), default=0)
    return Z if Z.size * max(1, bits / BITS) <= MAX_INTEGER_ENTRIES else None


def _basis(rows: SignedRows, cells: float = np.inf) -> Array | None:
    """Independent rows whose span is that of all, in integers; None if rows or columns are too many.

    Start with a few rows, and add those that are not in their span.
    """
    contents: dict[bytes, int] = {}
    for i, content in enumerate(contents_of_rows(rows.X)):  # signs do not matter for a span
        contents.setdefault(content, i)
    few = first = np.array(list(contents.values()), dtype=int)
    used = rows.used_columns
    if min(len(first), len(used)) > ELIMINATED or len(first) * len(used) > cells:
        return None
    if len(first) > 2 * len(used):
        Z = rows.take(first)
        Z = (Z.toarray() if sparse.issparse(Z) else Z)[:, used]
        few = first[linalg.qr(Z.T, mode="r", pivoting=True, check_finite=False)[1][: len(used)]]
    for q in islice(cycle(PRIMES), MOST_ROUNDS):
        independent, columns = echelon_modulo(rows.exactly(few, used), q)
        basis = few[independent]
        if len(basis) == len(used):
            return basis
        # rows that are independent modulo q are independent, but those that are not may be, too
        outside = _outside(rows, first, used, _null_space(rows.exactly(basis, used), columns, q))
        if not len(outside):
            return basis
        few = np.r_[basis, outside[: len(used)]]
    return None


def _null_space(B: Array, columns: list[int], q: int) -> Array:
    """Columns of integers that span {d : B d = 0}, for independent rows B with pivots in these columns."""
    free = np.setdiff1d(np.arange(B.shape[1]), columns)
    N = np.zeros((B.shape[1], len(free)), dtype=object)
    N[columns], N[free, np.arange(len(free))] = solve_exactly(B[:, columns], -B[:, free], q)
    return np.column_stack([smallest(vector) for vector in N.T])


def _outside(rows: SignedRows, first: Array, used: Array, null: Array) -> Array:
    """Rows that are not orthogonal to all columns of `null`."""
    for vector in null.T:
        nonzero = np.flatnonzero(vector)
        bits = max(abs(int(v)).bit_length() for v in vector[nonzero])
        weights = vector[nonzero].astype(np.int64) if bits <= 62 else vector[nonzero]
        off = product(rows.exactly(first, used[nonzero]), weights) != 0
        if off.any():
            return first[np.flatnonzero(off)]
    return first[:0]


def _others_are_right(rows: SignedRows, w: Array, b: float, touching: Array, basis: Array) -> bool:
    """Whether d, made orthogonal to the touching rows, still has the others on its side."""
    z = rows.y * (rows.X @ w + b)
    if not z.max() > 0 or np.abs(z[touching]).max() > TOUCHING * z.max():
        return False
    exact = _orthogonal(rows, rows.direction(w, b), basis)
    if exact is None:
        return False
    largest = max(abs(v) for v in exact)
    d = np.array([float(Fraction(int(v), int(largest))) if v else 0.0 for v in exact])
    others = np.flatnonzero(~touching)
    Z = rows.take(others)
    z = Z @ d
    bound = 1.01 * (np.count_nonzero(d) + 4) * UNIT * (abs(Z) @ np.abs(d)) + rows.width * TINY
    if (z < -bound).any():
        return False
    close = others[z <= bound]
    return not len(close) or bool((product(rows.exactly(close), exact) > 0).all())


def _orthogonal(rows: SignedRows, d: Array, basis: Array) -> Array | None:
    """A multiple of d with as many entries changed as there are basis rows B, so that B d = 0."""
    used = np.flatnonzero(abs(rows.take(basis)).sum(axis=0))
    if not len(used):
        return d
    B = rows.exactly(basis, used)
    for q in PRIMES:
        _, columns = echelon_modulo(B, q)
        if len(columns) == len(B):
            fixed = np.setdiff1d(np.arange(len(used)), columns)
            right = product(B[:, fixed], d[used[fixed]])
            changed, multiple = solve_exactly(B[:, columns], right[:, None], q)
            d = d * multiple
            d[used[columns]] = -changed[:, 0]
            return d
    return None


# Lower bounds of singular values that hold whatever LAPACK returns.
#
# Factors and vectors of LAPACK are only candidates; what they show is computed again. The bounds need nothing but the
# error of a product, which holds for sums in any order, with and without fused operations (not for Strassen's),
#
#     |fl(AB) − AB| ≤ γ_k |A||B|,   γ_k = k u/(1 − k u),   k terms in each sum.   Higham (2002), §3.5
#
# Norms in the bounds are sums of positive terms; the factor `ABOVE` is for their rounding and that of γ.

ABOVE = 1.01
MOST_BOUNDED = 2000  # rows or columns of A up to which bounds are computed
MAX_DIRECT_ENTRIES = 100_000  # entries of A up to which V comes from A itself, not from AᵀA


def exceed(A: Any, wanted: float) -> bool:
    """Whether it is proved that all singular values of A (n, p), n ≥ p, are above `wanted`.

    For any R, RᵀR has no negative eigenvalue, so those of  AᵀA = cI + RᵀR + E  are at least c − ‖E‖.
    Rump (2006), BIT 46, on the choice of c
    """
    n, p = A.shape
    if n < p or p > MOST_BOUNDED:
        return False
    G = _gram(A)
    size = ABOVE * float(np.trace(G)) + TINY  # ‖A‖²
    of_gram = ABOVE * (n + 1) * UNIT * size + n * p * TINY
    c = 2 * wanted**2 + 4 * of_gram + 8 * (p + 2) * UNIT * size
    H = G - c * np.eye(p)
    try:
        R = linalg.cholesky(H, check_finite=False)
    except linalg.LinAlgError:
        return False
    E = H - R.T @ R
    of_product = (p + 2) * UNIT * float(np.square(R).sum() + np.abs(H.diagonal()).max())
    off = ABOVE * (float(np.linalg.norm(E)) + of_product + p * p * TINY + 4 * UNIT * c)
    return bool(c - off - of_gram > ABOVE * wanted**2)


def lower_bound(A: Any, k: int) -> float:
    """A lower bound of the k-th singular value of A, 0 if none is found.

    For any V with k columns it is at least σ_min(AV)/‖V‖. If V holds right singular vectors, the columns of AV are
    nearly orthogonal, and Gershgorin's circles are small for columns of length about 1.
    """
    A = A if A.shape[0] >= A.shape[1] else A.T
    n, p = A.shape
    if k > p or p > MOST_BOUNDED:
        return 0.0
    if sparse.issparse(A) or n * p > MAX_DIRECT_ENTRIES:
        V = linalg.eigh(_gram(A), check_finite=False)[1][:, p - k :]
    else:
        V = linalg.svd(A, full_matrices=False, check_finite=False)[2][:k].T
    B = A @ V
    lengths = np.sqrt(np.square(B).sum(axis=0))
    if not (np.isfinite(lengths).all() and lengths.all()):
        return 0.0
    scale = np.exp2(np.floor(np.log2(lengths)))  # powers of two: dividing by them does not round
    C = B / scale
    least = _least_by_circles(C)
    of_product = (p + 1) * UNIT * frobenius(A) * float(np.linalg.norm(V)) + n * p * TINY
    of_V = np.sqrt(ABOVE * float(np.abs(V.T @ V).sum(axis=1).max()))
    return max((float(scale.min()) * least / ABOVE - ABOVE * of_product) / of_V, 0.0)


def _least_by_circles(C: Array) -> float:
    """A lower bound of the least singular value of C:  λ ≥ min_i G_ii − Σ_j |G_ij|,  G = CᵀC.   Gershgorin"""
    n, k = C.shape
    G = C.T @ C
    of_product = ABOVE * k * (n + k + 8) * UNIT * float(G.diagonal().max()) + n * k * TINY
    circles = 2 * G.diagonal() - np.abs(G).sum(axis=1)
    return float(np.sqrt(max(float(circles.min()) - of_product, 0.0)))


def frobenius(A: Any) -> float:
    return float(np.square(A.data if sparse.issparse(A) else A).sum()) ** 0.5


def _gram(A: Any) -> Array:
    G = A.T @ A
    return np.asarray(G.toarray() if sparse.issparse(G) else G)
