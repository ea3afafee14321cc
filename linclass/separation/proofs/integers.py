"""Exact integer arithmetic: floats are integers times powers of two, so separation can be decided exactly.

Fraction-free elimination keeps integers: every division is exact, and entries are minors of the matrix, which bounds
their size.   Bareiss (1968), Mathematics of Computation 22
"""

from __future__ import annotations

import math

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
