"""Search for both witnesses of linclass/separation/witness.py by Newton's method; the proof is made there.

A λ with Zᵀλ = 0 makes every d with Z d ≥ 0 orthogonal to the rows S with λ_i > 0. So rows in the span of S are
decided, the others are projected orthogonally to it, and the rank decreases with every round.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from scipy import linalg, sparse
from scipy.linalg import lapack

from linclass.base.arrays import Array, diagonal
from linclass.base.messages import require_memory
from linclass.base.numerics import conjugate_gradients, decreased, length, minimize_along
from linclass.separation.signed_rows import SignedRows
from linclass.separation.witness import Alternative

TINY = np.finfo(float).tiny
NONZERO = 1e-9  # multipliers below this share of the largest are 0
CLEAR = 1e-4  # multipliers below this share of the largest are increased
IN_SPAN = 1e-9  # relative to a row's norm: residual below which it is in a span
RANK = 1e-11  # singular values below this share of the largest are 0
POLISHED = 3  # corrections of λ, at most
RESIDUAL_TOLERANCE = 1e-15  # ‖Zᵀλ‖∞ at which they end
ABSORBING_ROWS = 100  # rows whose multipliers absorb the residual
MAX_ENTRIES_AT_ONCE = 500_000  # entries of Z up to which all rows take part from the start


def alternative(rows: SignedRows) -> Alternative:
    index, violation = _of_growing_part(rows)
    multipliers = np.zeros(rows.n_rows)
    if violation.separates:
        return Alternative(violation.w, multipliers)
    positive = violation.multipliers > NONZERO * violation.multipliers.max()
    multipliers[index[positive]] = violation.multipliers[positive]
    direction = _decide_the_others(rows, multipliers)
    return Alternative(direction, polished(rows, multipliers))


def polished(rows: SignedRows, multipliers: Array) -> Array:
    """Σλ = 1, and Zᵀλ = 0 up to the last digits, by corrections in proportion to λ_i²."""
    multipliers = multipliers / multipliers.sum()
    for _ in range(POLISHED):
        r = rows.rmatvec(multipliers)
        if np.abs(r).max(initial=0) <= RESIDUAL_TOLERANCE:
            break
        largest = np.argsort(-multipliers, kind="stable")[: max(4 * rows.width, ABSORBING_ROWS)]
        largest = largest[multipliers[largest] > 0]
        Z = rows.take(largest)
        if Z.shape[0] * Z.shape[1] > MAX_ENTRIES_AT_ONCE:
            break
        Z = Z.toarray() if sparse.issparse(Z) else Z
        ratio = np.linalg.lstsq((multipliers[largest, None] * Z).T, r, rcond=1e-13)[0]
        if ratio.max() >= 1:
            break
        multipliers[largest] *= 1 - ratio
        multipliers = multipliers / multipliers.sum()
    return multipliers


def _of_growing_part(rows: SignedRows) -> tuple[Array, Violation]:
    """A λ of a subset of the rows is valid for all; a w of a subset is tested on all rows, and those that fail join."""
    n, p = rows.n_rows, rows.width
    part = max(20 * p, n // 20)
    if n * p <= MAX_ENTRIES_AT_ONCE or 2 * part > n:
        return np.arange(n), least_violation(ProjectedRows(rows.take()))
    chosen, w = np.arange(n) % (n // part) == 0, None
    while True:
        index = np.flatnonzero(chosen)
        violation = least_violation(ProjectedRows(rows.take(index)), w)
        if not violation.separates:
            return index, violation
        w = violation.w
        z = rows.times(w)
        wrong = np.flatnonzero((z <= 0) & ~chosen)
        if not len(wrong):
            return index, violation
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
    ratio = np.linalg.lstsq((old[:, None] * Z).T, rows.rmatvec(new), rcond=1e-13)[0]  # μ/λ
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


# The least violation of  Z w ≥ 1:  min_w f(w) = ½ Σ max(0, 1 − Z_i w)²,  by Newton's method.
#
# f is quadratic between kinks, so the method is finite. Its minimum decides existence: if all Z_i w > 0, w
# separates; otherwise λ = max(0, 1 − Z w) ≠ 0 has Zᵀλ = 0, which proves that no w does (Gordan's theorem). No penalty
# is needed, because −∇f and every step lie in the span of the rows.
# Mangasarian (2002), Optimization Methods and Software 17

DIRECT = 500  # columns up to which Hessians are formed
MAX_STEPS = 200
EXCLUDED = 1e-10  # ‖Zᵀλ‖∞ / Σλ, the columns of Z being within [−1, 1]
MARGIN_TOL = 1e-6  # tolerance of Z w ≥ 1
STRICT = 1e-12  # relative to ‖w‖₁, the scale of the rounding of Z w
MIN_RESIDUAL = 1e-14  # smallest residual that Newton's method attains
RIDGE = 1e-10  # relative to the mean of H's diagonal: columns may be linearly dependent
FORCING = 0.1
PATIENCE = 4
FLAT = 1e-3  # ratio of the derivatives at the end and at the start of a line search


class ProjectedRows:
    """A matrix Z with columns within [−1, 1], without its part in the span of orthonormal columns V."""

    def __init__(self, Z: Any, V: Array | None = None):
        self.Z, self.V, self.width = Z, V, Z.shape[1]
        self.ZT = Z.T.tocsr() if sparse.issparse(Z) else Z.T

    def times(self, w: Array) -> Array:
        return self.Z @ self.off(w)

    def rmatvec(self, m: Array) -> Array:
        return self.off(self.ZT @ m)

    def off(self, w: Array) -> Array:
        return w if self.V is None else w - self.V @ (self.V.T @ w)

    def step(self, g: Array, z: Array) -> tuple[Array, Array]:
        """(s, Z s),  s = H⁻¹g,  H = Σ Z_i Z_iᵀ over the rows with z_i < 1."""
        active = z < 1
        if self.V is not None or self.width > DIRECT:
            return self._by_conjugate_gradients(g, z, active)
        Z = self.Z if active.all() else self.Z[active]
        H = Z.T @ Z
        H = H.toarray() if sparse.issparse(H) else H
        diagonal(H)[...] += RIDGE * max(np.trace(H) / self.width, 1e-300)
        _, s, info = lapack.dposv(H, g, lower=1)
        if info:  # singular in spite of the ridge
            s = linalg.solve(H, g, assume_a="sym", check_finite=False)
        return s, self.times(s)

    def _by_conjugate_gradients(self, g: Array, z: Array, active: Array) -> tuple[Array, Array]:
        """Stops when ‖g − Hs‖ is small, or when all rows are on their side."""

        def times(p: Array) -> tuple[Array, Array]:
            Zp = self.times(p)
            return self.rmatvec(active * Zp), Zp

        def all_right(along: Array) -> bool:
            return bool((z + along).min() > MARGIN_TOL)

        s, along, _ = conjugate_gradients(times, g, FORCING * length(g), until=all_right)
        return s, np.zeros_like(z) if along is None else along


class Violation(NamedTuple):
    w: Array
    scores: Array  # Z w
    multipliers: Array  # max(0, 1 − Z w)
    residual: float  # ‖Zᵀλ‖∞ / Σλ

    @property
    def separates(self) -> bool:
        """Whether all scores are positive beyond rounding, or no row has a violation, so that λ = 0."""
        clearly = self.scores.min() > STRICT * np.abs(self.w).sum()
        return bool(clearly or not self.multipliers.any())


def least_violation(rows: ProjectedRows, w: Array | None = None) -> Violation:
    """Starting from w, until all rows are on their side or λ proves that this is impossible."""
    w = np.zeros(rows.width) if w is None else w
    z = rows.times(w)
    best, stalls = None, 0
    for _ in range(MAX_STEPS):
        m = np.maximum(0, 1 - z)
        g = rows.rmatvec(m)
        here = Violation(w, z, m, float(np.abs(g).max() / max(m.sum(), 1e-300)))
        if here.separates or here.residual <= MIN_RESIDUAL:
            return here
        stalls = stalls + 1 if best is not None and here.residual > best.residual / 2 else 0
        best = here if best is None or here.residual < best.residual else best
        if best.residual <= EXCLUDED and stalls == PATIENCE:
            break  # limited by rounding
        s, along = rows.step(g, z)
        t = _along_line(z, along, float(g @ s))
        w, z = w + t * s, z + t * along
    assert best is not None
    return best


class OnLine(NamedTuple):
    left: Array  # max(0, 1 − Z w) at a point of the line

    @property
    def value(self) -> float:
        return float(self.left @ self.left) / 2


def _along_line(z: Array, along: Array, decrement: float) -> float:
    """Line search: t = 1 if that is a good step, else the minimum of f on the line."""

    def evaluate(t: float) -> OnLine:
        return OnLine(np.maximum(0, 1 - z - t * along))

    def derivatives(new: OnLine, t: float) -> tuple[float, float]:
        return -float(along @ new.left), float(along @ (along * (new.left > 0)))

    old, new = evaluate(0.0), evaluate(1.0)
    if decreased(new.value, old.value, -decrement) or (z + along).min() > MARGIN_TOL:
        return 1.0
    return minimize_along(old, new, evaluate, -decrement, derivatives, FLAT)[1]
