"""Search for both witnesses of linclass/separation/proofs/witness.py by Newton's method; the proof is made there.

A λ with Zᵀλ = 0 makes every d with Z d ≥ 0 orthogonal to the rows S with λ_i > 0. So rows in the span of S are
decided, the others are projected orthogonally to it, and the rank decreases with every round.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy import linalg, sparse

from linclass.base.arrays import Array
from linclass.base.messages import require_memory
from linclass.separation.proofs.signed_rows import SignedRows
from linclass.separation.proofs.witness import Alternative
from linclass.separation.violation import DIRECT, ProjectedRows, Violation, least_violation

TINY = np.finfo(float).tiny
NONZERO = 1e-9  # multipliers below this share of the largest are 0
CLEAR = 1e-4  # multipliers below this share of the largest are increased
IN_SPAN = 1e-9  # of a row's norm: residual below which it is in a span
RANK = 1e-11  # singular values below this share of the largest are 0
POLISHED = 3  # corrections of λ, at most
ROUNDING = 1e-15  # ‖Zᵀλ‖∞ at which they end
FEW = 100  # rows whose multipliers absorb the residual
SMALL = 500_000  # entries of Z up to which all rows take part from the start


def alternative(rows: SignedRows) -> Alternative:
    index, found = _of_growing_part(rows)
    multipliers = np.zeros(rows.n_rows)
    if found.separates:
        return Alternative(found.w, multipliers)
    own = found.multipliers > NONZERO * found.multipliers.max()
    multipliers[index[own]] = found.multipliers[own]
    direction = _decide_the_others(rows, multipliers)
    return Alternative(direction, polished(rows, multipliers))


def polished(rows: SignedRows, multipliers: Array) -> Array:
    """Σλ = 1, and Zᵀλ = 0 up to the last digits, by corrections in proportion to λ_i²."""
    multipliers = multipliers / multipliers.sum()
    for _ in range(POLISHED):
        r = rows.pull(multipliers)
        if np.abs(r).max(initial=0) <= ROUNDING:
            break
        own = np.argsort(-multipliers, kind="stable")[: max(4 * rows.width, FEW)]
        own = own[multipliers[own] > 0]
        Z = rows.take(own)
        if Z.shape[0] * Z.shape[1] > SMALL:
            break
        Z = Z.toarray() if sparse.issparse(Z) else Z
        ratio = np.linalg.lstsq((multipliers[own, None] * Z).T, r, rcond=1e-13)[0]
        if ratio.max() >= 1:
            break
        multipliers[own] *= 1 - ratio
        multipliers = multipliers / multipliers.sum()
    return multipliers


def _of_growing_part(rows: SignedRows) -> tuple[Array, Violation]:
    """A λ of a subset of the rows is valid for all; a w of a subset is tested on all rows, and those that fail join."""
    n, p = rows.n_rows, rows.width
    part = max(20 * p, n // 20)
    if n * p <= SMALL or 2 * part > n:
        return np.arange(n), least_violation(ProjectedRows(rows.take()))
    chosen, w = np.arange(n) % (n // part) == 0, None
    while True:
        index = np.flatnonzero(chosen)
        found = least_violation(ProjectedRows(rows.take(index)), w)
        if not found.separates:
            return index, found
        w = found.w
        z = rows.times(w)
        wrong = np.flatnonzero((z <= 0) & ~chosen)
        if not len(wrong):
            return index, found
        chosen[wrong[np.argsort(z[wrong])[:part]]] = True


def _decide_the_others(rows: SignedRows, multipliers: Array) -> Array | None:
    """Continue orthogonally to the rows with a multiplier, and increase very small multipliers."""
    decided = multipliers > CLEAR * multipliers.max()
    while len(rest := np.flatnonzero(~decided)):
        part, V = spanning(rows, np.where(decided, multipliers, 0))
        joining, of_joining = rest, np.ones(len(rest))
        if V.shape[1] < rows.width:
            Z = rows.take(rest)
            outside = _off(Z, V)
            flat = _lengths(outside) <= IN_SPAN * np.maximum(_lengths(ProjectedRows(Z)), TINY)
            if flat.any():
                joining, of_joining = rest[flat], np.ones(int(flat.sum()))
            else:
                found = least_violation(outside)
                if found.separates:
                    multipliers[rest] = 0
                    return found.w - V @ (V.T @ found.w)
                own = found.multipliers > CLEAR * found.multipliers.max()
                joining, of_joining = rest[own], found.multipliers[own]
        join_multipliers(rows, multipliers, part, joining, of_joining)
        decided[joining] = True
    return None


def spanning(rows: SignedRows, multipliers: Array) -> tuple[Array, Array]:
    """A few rows with large multipliers, and orthonormal columns that span all rows with a multiplier."""
    order = np.argsort(-multipliers, kind="stable")[: np.count_nonzero(multipliers)]
    many = 4 * rows.width
    part, others = order[:many], order[many:]
    while True:
        V = row_space(rows.take(part))
        if V.shape[1] == rows.width or not len(others):
            return part, V
        Z = rows.take(others)
        left = _lengths(_off(Z, V)) > IN_SPAN * np.maximum(_lengths(ProjectedRows(Z)), TINY)
        if not left.any():
            return part, V
        others = others[left]
        part, others = np.r_[part, others[:many]], others[many:]


def join_multipliers(
    rows: SignedRows, multipliers: Array, part: Array, joining: Array, of_joining: Array
) -> None:
    """Zᵀλ of the joining rows is in the span of the others: subtract it from their multipliers.

    The solution with the least Σ (μ_i/λ_i)² keeps them positive for the largest step.
    """
    new = np.zeros_like(multipliers)
    new[joining] = of_joining
    old, Z = multipliers[part], rows.take(part)
    Z = Z.toarray() if sparse.issparse(Z) else Z
    ratio = np.linalg.lstsq((old[:, None] * Z).T, rows.pull(new), rcond=1e-13)[0]  # μ/λ
    share = min(float(old.max()), 0.5 / max(float(ratio.max()), TINY))
    multipliers[joining] += share * of_joining
    multipliers[part] = old * (1 - share * ratio)


def row_space(Z: Any, rank: float = RANK) -> Array:
    """Orthonormal columns that span the rows of Z, up to `rank` of the largest singular value."""
    n, p = Z.shape
    if sparse.issparse(Z):
        require_memory(24 * min(n, p) * p, f"the span of {n} sparse rows of {p} columns is dense")
        Z = Z.toarray()
    if n > p:
        Z = np.linalg.qr(Z, mode="r")
    _, s, VT = linalg.svd(Z, full_matrices=False, check_finite=False)
    return np.ascontiguousarray(VT[s > rank * max(s[0], TINY)].T)


def _off(Z: Any, V: Array) -> ProjectedRows:
    """Z without its part in the span of V."""
    if sparse.issparse(Z) and Z.shape[1] > DIRECT:
        return ProjectedRows(Z, V)
    Z = Z.toarray() if sparse.issparse(Z) else Z
    Z = Z - (Z @ V) @ V.T
    Z -= (Z @ V) @ V.T  # again, to correct cancellation
    return ProjectedRows(Z)


def _lengths(rows: ProjectedRows) -> Array:
    Z, V = rows.Z, rows.V
    squares = (Z * Z).sum(axis=1)
    return np.sqrt(np.maximum(squares if V is None else squares - ((Z @ V) ** 2).sum(axis=1), 0))
