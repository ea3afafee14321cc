"""Two classes, exactly: enumeration of the cells into which the planes  Z_i d = 0  divide the space of d.

No row changes sides within a cell, so the minimum is over cells. A facet of the best cell belongs to a row that is
correct (otherwise the cell behind it would be better). So for each row i the best cell on its plane is found, a problem
with one dimension less, and d is moved from there to the row's side. In two dimensions a half-turn visits all cells,
for all pairs of planes at once.

That is  C(n, p − 2)  turns over n rows each for p parameters. Cells narrower than the rounding of their planes' angles
are skipped, and may be empty. If there were any, the minimum is certified only for rows on a coarse grid, where planes
through one point pass through it exactly.
Nguyen & Sanner (2013), ICML; Edelsbrunner (1987), Algorithms in Combinatorial Geometry
"""

from __future__ import annotations

from math import comb
from typing import Any, NamedTuple

import numpy as np
from scipy import linalg

from linclass.base.arrays import Array
from linclass.separation.alternative import row_space

SIDE_TOLERANCE = 8 * np.finfo(float).eps  # of a row of length 1, in coordinates of its span
AT_ONCE = 400_000  # angles that are sorted together
COARSE = 1e11  # ratio of determinants up to which rounding cannot hide one


class Cells(NamedTuple):
    d: Array
    cost: float  # the least of all examined cells
    whole: bool  # none was skipped
    rank: int
    directions: int  # distinct directions of rows, up to rounding


def is_coarse(Z: Array) -> bool:
    """Whether angles between integer rows that differ do so by more than rounding."""
    n, p = Z.shape
    largest = float(max(abs(int(Z.max())), abs(int(Z.min())))) if n else 0.0
    return 2 * p * np.log(max(largest, 1) * p**0.5) < np.log(COARSE)


def turns(n: int, p: int) -> int:
    """Total number of rows that are passed: the cost of an enumeration."""
    return n * comb(n, max(p - 2, 0))


def all_cells(Z: Array, costs: Array) -> Cells:
    """The best cell of dense Z, after all were examined."""
    length = np.linalg.norm(Z, axis=1)
    zero = length == 0
    if zero.all():
        return Cells(np.zeros(Z.shape[1]), float(costs.sum()), True, 0, 0)
    unit = Z[~zero] / length[~zero, None]
    V = row_space(unit, SIDE_TOLERANCE)
    A = unit @ V
    directions, cost, lost = merge_parallel(A / np.linalg.norm(A, axis=1)[:, None], costs[~zero])
    d, value, whole = _search(directions, cost, 0, SIDE_TOLERANCE)
    total = float(costs[zero].sum()) + lost + value
    return Cells(V @ d, total, whole, V.shape[1], len(directions))


def merge_parallel(A: Array, costs: Array) -> tuple[Array, Array, float]:
    """Rows with the same or opposite directions are merged: (directions, their gains, the unavoidable cost).

    A row without gain is kept: d must not lie in its plane.
    """
    first = np.argmax(np.abs(A) > 1e-6, axis=1)
    sign = np.sign(A[np.arange(len(A)), first])
    _, chosen, group = np.unique(
        np.round(A * sign[:, None], 14) + 0.0, axis=0, return_index=True, return_inverse=True
    )
    balance = np.bincount(group, costs * sign)  # > 0: better on the canonical side
    lost = (np.bincount(group, costs) - np.abs(balance)).sum() / 2
    side = np.where(balance < 0, -1, 1) * sign[chosen]
    return A[chosen] * side[:, None], np.abs(balance), float(lost)


def _search(A: Array, costs: Array, first: int, rounding: float) -> tuple[Array, float, bool]:
    """The best cell with a facet in the plane of a row from `first` on, and whether every cell was examined.

    An error `rounding` of a row turns its plane by that divided by its length, and all rows in it.
    """
    p = A.shape[1]
    if p == 1:
        right = float(costs[A[:, 0] > 0].sum())
        total = float(costs.sum())
        return np.array([1.0 if 2 * right >= total else -1.0]), min(right, total - right), True
    if p == 2:
        none = np.zeros((1, len(A)), dtype=bool)
        values, angle, whole = _half_turns(A[None], costs, none, rounding)
        return np.array([np.cos(angle[0]), np.sin(angle[0])]), float(values[0]), whole
    if p == 3:
        return _on_planes(A, costs, first, rounding)
    best: tuple[Array, float] = np.zeros(p), np.inf
    whole = True
    for i in range(first, len(A)):
        basis = linalg.null_space(A[i : i + 1])
        P = A @ basis
        turned = rounding * (1 + 1 / float(np.linalg.norm(A[i])))
        flat = np.linalg.norm(P, axis=1) <= turned
        beneath = float(costs[flat & (A @ A[i] < 0)].sum())
        after = int(np.count_nonzero(~flat[: i + 1]))
        d, value, each = _search(P[~flat], costs[~flat], after, turned)
        whole = whole and each and np.count_nonzero(flat) == 1
        if value + beneath < best[1]:
            best = _to_the_side_of(A, i, basis @ d, flat), value + beneath
    return *best, whole


def _on_planes(A: Array, costs: Array, first: int, rounding: float) -> tuple[Array, float, bool]:
    """p = 3: half-turns in many planes at once."""
    n, length = len(A), np.linalg.norm(A, axis=1)
    unit = A / length[:, None]
    least = np.abs(unit).argmin(axis=1)
    one = np.cross(unit, np.eye(3)[least])
    one /= np.linalg.norm(one, axis=1)[:, None]
    bases = np.stack([one, np.cross(unit, one)], axis=2)
    best: tuple[Array, float] = np.zeros(3), np.inf
    whole = True
    size = max(1, AT_ONCE // n)
    for start in range(first, n, size):
        own = np.arange(start, min(start + size, n))
        P = A @ bases[own]
        turned = rounding * (1 + 1 / length[own, None])
        flat = np.hypot(P[..., 0], P[..., 1]) <= turned
        value, angle, each = _half_turns(P, costs, flat, turned)
        whole = whole and each and bool((flat.sum(axis=1) == 1).all())
        value = value + ((flat & (unit[own] @ A.T < 0)) @ costs)
        k = int(value.argmin())
        if value[k] < best[1]:
            d = bases[own[k]] @ np.array([np.cos(angle[k]), np.sin(angle[k])])
            best = _to_the_side_of(A, int(own[k]), d, flat[k]), float(value[k])
    return *best, whole


def _half_turns(P: Array, costs: Array, flat: Array, rounding: Any) -> tuple[Array, Array, bool]:
    """(least cost, an angle with it) in each plane of P (planes, rows, 2), without the `flat` rows; and whether all
    cells were wide enough.

    d at angle φ has row i correct while φ is within π/2 of the row's own angle. So in [0, π) each row changes once, and
    d at φ + π has correct what d at φ has wrong.
    """
    c, P = np.where(flat, 0, costs), np.where(flat[..., None], 0, P)
    enters = np.arctan2(P[..., 1], P[..., 0]) - np.pi / 2
    turn = np.floor(enters / np.pi)
    at = enters - turn * np.pi
    change = np.where(turn % 2 == 0, c, -c)
    order = np.argsort(at, axis=1)
    at = np.take_along_axis(at, order, axis=1)
    change = np.take_along_axis(change, order, axis=1)
    total = c.sum(axis=1)
    right = np.maximum(-change, 0).sum(axis=1)[:, None] + np.cumsum(change, axis=1)
    following = np.concatenate([at[:, 1:], at[:, :1] + np.pi], axis=1)
    off = rounding * (1 + 1 / np.maximum(np.hypot(P[..., 0], P[..., 1]), rounding))
    off = np.take_along_axis(np.where(flat, 0, off), order, axis=1)
    wide = following - at > off + np.roll(off, -1, axis=1)
    counts = np.take_along_axis(~flat, order, axis=1)
    whole = bool((wide | ~(counts | np.roll(counts, -1, axis=1))).all())
    wide |= ~wide.any(axis=1, keepdims=True)
    most = np.where(wide, right, -np.inf)
    least = np.where(wide, right, np.inf)
    rows = np.arange(len(P))
    k, l = most.argmax(axis=1), least.argmin(axis=1)
    ahead = most[rows, k] >= total - least[rows, l]
    cell = np.where(ahead, k, l)
    angle = (at[rows, cell] + following[rows, cell]) / 2 + np.where(ahead, 0, np.pi)
    return np.where(ahead, total - most[rows, k], least[rows, l]), angle, whole


def _to_the_side_of(A: Array, i: int, d: Array, flat: Array) -> Array:
    """Move d from the plane of row i to its side, so little that no other row changes."""
    other, along = np.abs(A[~flat] @ d), np.abs(A[~flat] @ A[i])
    return d + 0.5 * float((other / np.maximum(along, 1e-300)).min(initial=1.0)) * A[i]
