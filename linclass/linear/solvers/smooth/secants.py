"""BFGS: an approximate H⁻¹ is corrected by the last few changes of θ and of the gradient.

With s = Δθ, y = Δ∇P, ρ = 1/(y·s), the two-loop recursion applies
H⁻¹ ← (I − ρ s yᵀ) H⁻¹ (I − ρ y sᵀ) + ρ s sᵀ  for one pair after another. As every y·s > 0, H⁻¹ stays positive definite.
In other coordinates u the pairs are those of u and of the gradient in u.
Nocedal & Wright (2006), algorithm 7.4
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable

import numpy as np

from linclass.base.arrays import Array
from linclass.linear.objective.coordinates import Units
from linclass.linear.objective.objective import Point


class Secants:
    """Pairs of such changes; `inverse` applies the H⁻¹ that they correct, by default (s·y/y·y) I of the last pair."""

    def __init__(
        self,
        memory: int | None = None,
        inverse: Callable[[Array], Array] | None = None,
        units: Units | None = None,
    ):
        self._pairs: deque[tuple[Array, Array, float]] = deque(maxlen=memory)
        self._inverse, self._units = inverse or self._scaled, units

    def __len__(self) -> int:
        return len(self._pairs)

    def add(self, old: Point, new: Point) -> None:
        s, y = new.theta - old.theta, new.gradient - old.gradient
        if self._units is not None:
            s, y = self._units.coordinates(s), self._units.pull(y)
        s, y = s.ravel(), y.ravel()
        sy = float(np.vdot(s, y))
        if sy > 1e-14 * np.linalg.norm(s) * np.linalg.norm(y) > 0:
            self._pairs.append((s, y, 1 / sy))
        else:  # limited by rounding
            self._pairs.clear()

    def times(self, g: Array) -> Array:
        """H⁻¹ g by the two-loop recursion."""
        q: Array = (g.copy() if self._units is None else self._units.pull(g)).ravel()
        kept = []
        for s, y, rho in reversed(self._pairs):
            a = rho * np.vdot(s, q)
            q -= a * y
            kept.append(a)
        q = self._inverse(q)
        for (s, y, rho), a in zip(self._pairs, reversed(kept), strict=True):
            q += (a - rho * np.vdot(y, q)) * s
        q = q.reshape(g.shape)
        return q if self._units is None else self._units.move(q)

    def _scaled(self, g: Array) -> Array:
        if not self._pairs:
            return g
        _, y, rho = self._pairs[-1]
        return g / (rho * np.vdot(y, y))
