"""Systems of linear equations B X = C in integers, solved exactly by Dixon's lifting: X modulo q, q², q³, …

Each digit of X in base q costs a product with B⁻¹ mod q and one with B, both in floating point without rounding. The
fractions that X must be are then found from X mod qᵏ, and proved by inserting them. Elimination in integers takes the
fifth power of the number of equations, because its entries grow; this takes the third.
Dixon (1982), Numerische Mathematik 40; Wang, Guy & Davenport (1982), ACM SIGSAM Bulletin 16"""

from __future__ import annotations

from math import isqrt
from typing import Any

import numpy as np

from linclass.base.arrays import Array

LIMB = 22  # bits: sums of 512 products of such numbers have no rounding
PRIMES = 4194301, 4194287, 4194277, 4194271  # the largest below 2^22
FIRST_DIGITS = 8  # after which X is first guessed; then after twice as many


def echelon_modulo(A: Array, q: int) -> tuple[list[int], list[int]]:
    """Rows and columns of the pivots modulo a prime. These rows are independent, and so are these columns."""
    A, order, columns = (A % q).astype(np.int64), np.arange(len(A)), list[int]()
    for j in range(A.shape[1]):
        k = len(columns)
        left = np.flatnonzero(A[k:, j])
        if not len(left):
            continue
        swap = k + int(left[0])
        A[[k, swap]], order[[k, swap]] = A[[swap, k]], order[[swap, k]]
        A[k] = A[k] * pow(int(A[k, j]), -1, q) % q
        A[k + 1 :] = (A[k + 1 :] - np.multiply.outer(A[k + 1 :, j], A[k])) % q
        columns.append(j)
    return order[: len(columns)].tolist(), columns


def inverse_modulo(B: Array, q: int) -> Array:
    """B⁻¹ mod q of a matrix that is regular modulo q."""
    n = len(B)
    A = np.hstack([(B % q).astype(np.int64), np.eye(n, dtype=np.int64)])
    for j in range(n):
        swap = j + int(np.flatnonzero(A[j:, j])[0])
        A[[j, swap]] = A[[swap, j]]
        A[j] = A[j] * pow(int(A[j, j]), -1, q) % q
        factors = A[:, j].copy()
        factors[j] = 0
        A = (A - np.multiply.outer(factors, A[j])) % q
    return A[:, n:]


def solve_exactly(B: Array, C: Array, q: int) -> tuple[Array, int]:
    """(N, d) in integers with B N = d C, for at most 512 equations that are regular modulo a prime q < 2²²."""
    inverse = inverse_modulo(B, q).astype(float)
    B, C = B.astype(object), C.astype(object)
    limbs, sign = list[Array](), np.sign(B).astype(float)
    rest: Any = abs(B)
    while rest.any():
        limbs.append(sign * (rest & (2**LIMB - 1)).astype(float))
        rest = rest >> LIMB
    X, power, left, wanted = np.zeros_like(C), 1, C, FIRST_DIGITS
    while True:
        digits = []
        for _ in range(wanted):
            digit = (inverse @ (left % q).astype(float)).astype(np.int64) % q
            for place, limb in enumerate(limbs):
                left = left - (
                    (limb @ digit.astype(float)).astype(np.int64).astype(object) << (LIMB * place)
                )
            left = left // q
            digits.append(digit)
        high = np.zeros_like(C)
        for digit in reversed(digits):
            high = high * q + digit
        X, power, wanted = X + high * power, power * q ** len(digits), 2 * wanted
        N, d = _as_fractions(X, power)
        if N is not None and np.array_equal(B @ N, d * C):
            return N, d


def _as_fractions(X: Array, modulus: int) -> tuple[Array | None, int]:
    """(N, d) with N ≡ d X, all of them small against the modulus; N is None if there are none."""
    bound, d = isqrt(modulus // 2), 1
    for x in X.ravel():
        remainder = _centred(x * d % modulus, modulus)
        if abs(remainder) <= bound:
            continue
        # Euclid's algorithm up to the first remainder below the bound
        old, new, s, t = modulus, remainder % modulus, 0, 1
        while new > bound:
            quotient = old // new
            old, new, s, t = new, old - quotient * new, t, s - quotient * t
        d *= abs(t)
        if d > bound:
            return None, 1
    centred = [_centred(x * d % modulus, modulus) for x in X.ravel()]
    return np.array(centred, dtype=object).reshape(X.shape), d


def _centred(x: int, modulus: int) -> int:
    return x - modulus if x > modulus // 2 else x
