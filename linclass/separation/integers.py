"""Exact integer arithmetic: floats are integers times powers of two, so separation can be decided exactly.

Fraction-free elimination keeps integers: every division is exact, and entries are minors of the matrix, which bounds
their size.   Bareiss (1968), Mathematics of Computation 22
"""

from __future__ import annotations

import math
from fractions import Fraction
from math import lcm
from typing import NamedTuple

import numpy as np

from linclass.base.arrays import Array

FITS = 62  # bits of an int64


def integers(A: Array, power: Array | int = 0) -> Array:
    """A·2^power times a power of two, as the smallest integers: int64, or Python's integers."""
    mantissa, exponent = np.frexp(np.asarray(A, float))
    whole = np.ldexp(mantissa, 53).astype(np.int64)
    spare = np.log2(np.where(whole == 0, 1, whole & -whole)).astype(int)  # trailing zeros
    whole >>= spare
    exponent = exponent + power + spare
    used = whole != 0
    shift = np.where(used, exponent - exponent[used].min() if used.any() else 0, 0)
    bits = np.where(used, shift + 53 - spare, 0)
    if bits.max(initial=0) <= FITS:
        return whole << shift
    return whole.astype(object) << shift.astype(object)


def product(A: Array, B: Array) -> Array:
    """A B without overflow."""
    if A.dtype != object and B.dtype != object:
        largest = int(np.abs(A).max(initial=0)) * int(np.abs(B).max(initial=0)) * A.shape[-1]
        if largest.bit_length() <= FITS:
            return A @ B
    return A.astype(object) @ B.astype(object)


def smallest(vector: Array) -> Array:
    """The same direction in the smallest integers."""
    vector = vector.astype(object)
    divisor = math.gcd(*vector)
    return vector // divisor if divisor > 1 else vector


def echelon(A: Array) -> tuple[Array, list[int], list[int]]:
    """Gauss–Jordan elimination: (E, rows, columns). E has a pivot in each of `columns`, all equal.

    `rows` are those of the pivots; the other rows depend on them and are left out.
    """
    A, order, columns, last = A.astype(object), np.arange(len(A)), list[int](), 1
    for j in range(A.shape[1]):
        k = len(columns)
        if k == len(A):
            break
        left = np.flatnonzero(A[k:, j])
        if not len(left):
            continue
        swap = k + int(left[0])
        A[[k, swap]], order[[k, swap]] = A[[swap, k]], order[[swap, k]]
        pivot, own = A[k, j], A[k].copy()
        A = (A * pivot - np.multiply.outer(A[:, j], own)) // last
        A[k], last = own, pivot
        columns.append(j)
    return A[: len(columns)], order[: len(columns)].tolist(), columns


def null_space(A: Array) -> Array:
    """Columns of integers that span {d : A d = 0}."""
    E, _, columns = echelon(A)
    free = np.setdiff1d(np.arange(A.shape[1]), columns)
    N = np.zeros((A.shape[1], len(free)), dtype=object)
    for k, j in enumerate(free):
        N[j, k] = E[0, columns[0]] if columns else 1
        N[columns, k] = -E[:, j]
        N[:, k] = smallest(N[:, k])
    return N


# The point of a convex hull that is nearest to the origin, in integer arithmetic: it decides separability exactly.
#
#     min ‖x‖,   x = Σ λ_i Z_i,   λ ≥ 0,  Σ λ_i = 1.
#
# If x ≠ 0, then Z_i·x ≥ ‖x‖² > 0 for all rows: x separates, with the maximum margin. x = 0 proves that nothing does;
# then every d with Z d ≥ 0 is orthogonal to the rows with λ_i > 0, and the others are decided in the orthogonal
# complement. There is no tolerance, and ‖x‖ decreases with every step, so the algorithm is finite.
# Wolfe (1976), Mathematical Programming 11


class Decision(NamedTuple):
    direction: Array | None  # integers: Z d ≥ 0, and > 0 on every row where that is possible
    multipliers: Array  # fractions: > 0 on all other rows, and Zᵀλ = 0


def decide_exactly(Z: Array) -> Decision:
    """Decide the separability of a matrix of integers."""
    basis = np.eye(Z.shape[1], dtype=np.int64).astype(object)
    left, multipliers = np.arange(len(Z)), np.full(len(Z), Fraction(0))
    while True:
        A = product(Z[left], basis)
        flat = (A == 0).all(axis=1)
        if flat.any():
            _join(Z, multipliers, left[flat], [Fraction(1)] * int(flat.sum()))
        left, A = left[~flat], A[~flat]
        if not len(left):
            return Decision(None, multipliers)
        chosen, weights, x = nearest_point(A)
        if x is not None:
            return Decision(smallest(basis @ x), multipliers)
        _join(Z, multipliers, left[chosen], weights)
        basis = basis @ null_space(A[chosen])
        left = np.delete(left, chosen)


def _join(Z: Array, multipliers: Array, rows: Array, weights: list[Fraction]) -> None:
    """Σ λ_i Z_i of the joining rows is in the span of the previous ones: subtract it from their multipliers."""
    common = lcm(*(w.denominator for w in weights))
    total = np.array([int(w * common) for w in weights], dtype=object) @ Z[rows].astype(object)
    before = np.flatnonzero(multipliers)
    share = Fraction(1)
    if total.any():
        E, _, columns = echelon(np.column_stack([Z[before].T, total]))
        taken = [Fraction(int(v), int(E[0, columns[0]]) * common) for v in E[:, -1]]
        own = before[columns]
        share = min(
            [Fraction(1)]
            + [multipliers[i] / t / 2 for i, t in zip(own, taken, strict=True) if t > 0]
        )
        for i, t in zip(own, taken, strict=True):
            multipliers[i] -= share * t
    multipliers[rows] = [share * w for w in weights]


def nearest_point(Z: Array) -> tuple[list[int], list[Fraction], Array | None]:
    """(rows, their λ, a multiple of the point, or None if it is the origin)."""
    Z = Z.astype(object)
    chosen, weights = [int(np.argmin((Z * Z).sum(axis=1)))], [Fraction(1)]
    while True:
        common = lcm(*(w.denominator for w in weights))
        x = np.array([int(w * common) for w in weights], dtype=object) @ Z[chosen]
        if not x.any():
            return chosen, weights, None
        x = smallest(x)
        products = Z @ x
        new = int(np.argmin(products))
        if products[new] >= products[chosen[0]]:  # the same for all chosen rows
            return chosen, weights, x
        chosen, weights = _with(Z, [*chosen, new], [*weights, Fraction(0)])


def _with(Z: Array, chosen: list[int], weights: list[Fraction]) -> tuple[list[int], list[Fraction]]:
    """The nearest point of the affine hull of these rows, or of a face that is met on the way there."""
    while True:
        wanted = _of_plane(Z[chosen])
        if min(wanted) > 0:
            return chosen, wanted
        pairs = list(zip(weights, wanted, strict=True))
        share = min(old / (old - new) for old, new in pairs if new <= 0)
        moved = [old + share * (new - old) for old, new in pairs]
        kept = [k for k, weight in enumerate(moved) if weight > 0]
        chosen, weights = [chosen[k] for k in kept], [moved[k] for k in kept]


def _of_plane(A: Array) -> list[Fraction]:
    """Weights α, Σ α = 1, of the point of the affine hull that is nearest to 0:  (A Aᵀ + 11ᵀ) α ∝ 1."""
    one = np.ones((len(A), 1), dtype=np.int64).astype(object)
    E, _, _ = echelon(np.hstack([A @ A.T + 1, one]))
    total = int(E[:, -1].sum())
    return [Fraction(int(v), total) for v in E[:, -1]]
