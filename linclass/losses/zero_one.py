"""Zero–one loss  ℓ(m) = 1[m ≤ 0]: what classification is about, and no descent can use.

Its slope is zero wherever it exists, so it serves evaluation and plots; the other losses stand in
for it. A row on the boundary counts as wrong.
"""

from __future__ import annotations

import numpy as np

from linclass.losses.base import MarginLoss
from linclass.numerics import Array


class ZeroOne(MarginLoss):
    kind = "discrete"
    has_conjugate = False

    def value(self, m: Array) -> Array:
        return (m <= 0).astype(float)

    def slope(self, m: Array) -> Array:
        return np.zeros_like(m, dtype=float)
