"""Zero–one loss  ℓ(m) = 1[m ≤ 0], the number of misclassified rows.

Its slope is zero wherever it exists, so no gradient method can use it. It is for evaluation and plots; the other
losses are its surrogates. A row on the boundary counts as misclassified.
"""

from __future__ import annotations

import numpy as np

from linclass.base.numerics.arrays import Array
from linclass.linear.losses.base import MarginLoss


class ZeroOne(MarginLoss):
    kind = "discrete"
    convex = False
    has_conjugate = False

    def value(self, m: Array) -> Array:
        return (m <= 0).astype(float)

    def slope(self, m: Array) -> Array:
        return np.zeros_like(m, dtype=float)
