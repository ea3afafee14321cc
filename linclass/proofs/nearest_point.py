"""The point of a convex hull nearest to the origin, in integers: what decides a separation for certain.

    min ‖x‖,   x = Σ λ_i Z_i,   λ ≥ 0,  Σ λ_i = 1.

x ≠ 0 has Z_i·x ≥ ‖x‖² > 0 for all rows: it separates, with the largest margin. x = 0 shows that nothing
does; then every d with Z d ≥ 0 is orthogonal to the rows with λ_i > 0, and the others are looked at in
what is left of the space. There is no tolerance, and ‖x‖ falls with every step, so it ends.
Wolfe (1976), Mathematical Programming 11
"""

from __future__ import annotations

from fractions import Fraction
from math import lcm
from typing import NamedTuple

import numpy as np

from linclass.numerics import Array
from linclass.proofs.integers import echelon, null_space, product, smallest


class Decision(NamedTuple):
    direction: Array | None  # d of integers: Z d ≥ 0, and > 0 on every row that allows it
    multipliers: Array  # of fractions: > 0 on all other rows, and Zᵀλ = 0


def decide(Z: Array) -> Decision:
    """Of a matrix of integers."""
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
        chosen, weights, x = nearest(A)
        if x is not None:
            return Decision(smallest(basis @ x), multipliers)
        _join(Z, multipliers, left[chosen], weights)
        basis = basis @ null_space(A[chosen])
        left = np.delete(left, chosen)


def _join(Z: Array, multipliers: Array, rows: Array, weights: list[Fraction]) -> None:
    """Σ λ_i Z_i of the joining rows is in the span of those that have joined: take it off theirs."""
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


def nearest(Z: Array) -> tuple[list[int], list[Fraction], Array | None]:
    """(rows, their λ, the point as a multiple of it or None where it is the origin)."""
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
        if products[new] >= products[chosen[0]]:  # which all that are chosen share
            return chosen, weights, x
        chosen, weights = _with(Z, [*chosen, new], [*weights, Fraction(0)])


def _with(Z: Array, chosen: list[int], weights: list[Fraction]) -> tuple[list[int], list[Fraction]]:
    """The nearest point of these rows' plane, or of a face that is met on the way there."""
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
    """Σ α = 1, of the point of the rows' plane that is nearest to 0:  (A Aᵀ + 11ᵀ) α ∝ 1."""
    one = np.ones((len(A), 1), dtype=np.int64).astype(object)
    E, _, _ = echelon(np.hstack([A @ A.T + 1, one]))
    total = int(E[:, -1].sum())
    return [Fraction(int(v), total) for v in E[:, -1]]
