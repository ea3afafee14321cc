"""Two classes, exactly: enumeration of the cells into which the planes  Z_i d = 0  divide the space of d.

No row changes sides within a cell, so the minimum is over cells. A facet of the best cell belongs to a row that is
correct (otherwise the cell behind it would be better). So for each row i the best cell on its plane is found, a problem
with one dimension less, and d is moved from there to the row's side. In two dimensions a half-turn visits all cells.

That is  C(n, p − 2)  turns over n rows each for p parameters. Cells narrower than the rounding of their planes' angles
are skipped, and may be empty. If there were any, the minimum is certified only for rows on a coarse grid, where planes
through one point pass through it exactly.
Nguyen & Sanner (2013), ICML; Edelsbrunner (1987), Algorithms in Combinatorial Geometry
"""

from __future__ import annotations

from math import comb
from typing import NamedTuple

import numpy as np
from scipy import linalg

from linclass.base.arrays import Array
from linclass.separation.alternative import row_space

ROUNDING = 8 * np.finfo(float).eps  # of a row of length 1, in coordinates of its span
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
    V = row_space(unit, ROUNDING)
    A = unit @ V
    directions, cost, lost = merge_parallel(A / np.linalg.norm(A, axis=1)[:, None], costs[~zero])
    d, value, whole = _search(directions, cost, 0, ROUNDING)
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
    n, p = A.shape
    if not n:  # all rows are in the plane but for rounding
        return np.eye(p)[0], 0.0, False
    if p == 1:
        right = float(costs[A[:, 0] > 0].sum())
        total = float(costs.sum())
        return np.array([1.0 if 2 * right >= total else -1.0]), min(right, total - right), True
    if p == 2:
        return _half_turn(A, costs, rounding)
    best: tuple[Array, float] = np.zeros(p), np.inf
    whole = True
    for i in range(first, n):
        basis = _plane_of(A[i])
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


def _plane_of(normal: Array) -> Array:
    """Orthonormal columns that span the plane."""
    if len(normal) > 3:
        return np.asarray(linalg.null_space(normal[None]))
    unit = normal / np.linalg.norm(normal)
    one = np.cross(unit, np.eye(3)[np.abs(unit).argmin()])
    one /= np.linalg.norm(one)
    return np.column_stack([one, np.cross(unit, one)])


def _half_turn(P: Array, costs: Array, rounding: float) -> tuple[Array, float, bool]:
    """(d of least cost, its cost, whether all cells were wide enough) for rows P (n, 2).

    d at angle φ has row i correct while φ is within π/2 of the row's own angle. So in [0, π) each row changes once, and
    d at φ + π has correct what d at φ has wrong.
    """
    enters = np.arctan2(P[:, 1], P[:, 0]) - np.pi / 2
    turn = np.floor(enters / np.pi)
    at = enters - turn * np.pi
    order = np.argsort(at)
    at, change = at[order], np.where(turn % 2 == 0, costs, -costs)[order]
    total = float(costs.sum())
    right = np.maximum(-change, 0).sum() + np.cumsum(change)
    following = np.append(at[1:], at[:1] + np.pi)
    off = rounding * (1 + 1 / np.maximum(np.hypot(P[:, 0], P[:, 1]), rounding))[order]
    wide = following - at > off + np.roll(off, -1)
    whole = bool(wide.all())
    wide |= not wide.any()
    k = int(np.where(wide, right, -np.inf).argmax())
    l = int(np.where(wide, right, np.inf).argmin())
    ahead = right[k] >= total - right[l]
    cell = k if ahead else l
    angle = (at[cell] + following[cell]) / 2 + (0 if ahead else np.pi)
    value = float(total - right[k] if ahead else right[l])
    return np.array([np.cos(angle), np.sin(angle)]), value, whole


def _to_the_side_of(A: Array, i: int, d: Array, flat: Array) -> Array:
    """Move d from the plane of row i to its side, so little that no other row changes."""
    other, along = np.abs(A[~flat] @ d), np.abs(A[~flat] @ A[i])
    return d + 0.5 * float((other / np.maximum(along, 1e-300)).min(initial=1.0)) * A[i]
