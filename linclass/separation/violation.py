"""The least violation of  Z w ≥ 1:  min_w f(w) = ½ Σ max(0, 1 − Z_i w)²,  by Newton's method.

f is quadratic between kinks, so the method is finite. Its minimum decides existence: if all Z_i w > 0, w
separates; otherwise λ = max(0, 1 − Z w) ≠ 0 has Zᵀλ = 0, which proves that no w does (Gordan's theorem). No penalty
is needed, because −∇f and every step lie in the span of the rows.
Mangasarian (2002), Optimization Methods and Software 17
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from scipy import linalg, sparse
from scipy.linalg import lapack

from linclass.base.arrays import Array, diagonal
from linclass.base.line_search import decreased, minimize_along
from linclass.base.linear_algebra import conjugate_gradients, length

DIRECT = 500  # columns up to which Hessians are formed
STEPS = 200
EXCLUDED = 1e-10  # ‖Zᵀλ‖∞ / Σλ, the columns of Z being within [−1, 1]
NEAR = 1e-6  # tolerance of Z w ≥ 1
STRICT = 1e-12  # of ‖w‖₁, the scale of the rounding of Z w
EXACT = 1e-14  # smallest residual that Newton's method attains
RIDGE = 1e-10  # of the mean of H's diagonal: columns may be linearly dependent
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

    def pull(self, m: Array) -> Array:
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
            return self.pull(active * Zp), Zp

        def all_right(along: Array) -> bool:
            return bool((z + along).min() > NEAR)

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
    for _ in range(STEPS):
        m = np.maximum(0, 1 - z)
        g = rows.pull(m)
        here = Violation(w, z, m, float(np.abs(g).max() / max(m.sum(), 1e-300)))
        if here.separates or here.residual <= EXACT:
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
    if decreased(new.value, old.value, -decrement) or (z + along).min() > NEAR:
        return 1.0
    return minimize_along(old, new, evaluate, -decrement, derivatives, FLAT)[1]
