"""The same witnesses in integer arithmetic, for few rows and columns, if floating point does not decide."""

from __future__ import annotations

from fractions import Fraction

import numpy as np

from linclass.proofs.nearest_point import decide_exactly
from linclass.proofs.signed_rows import SignedRows
from linclass.proofs.witness import Alternative, in_integers


def by_integers(rows: SignedRows) -> Alternative | None:
    """None if there are too many rows; a direction that rounding invalidates is not a proof."""
    Z = in_integers(rows)
    if Z is None:
        return None
    d, multipliers = decide_exactly(Z)
    direction = None
    if d is not None:
        largest = max(abs(int(v)) for v in d)
        direction = np.array([float(Fraction(int(v), largest)) for v in d])
    total = sum(multipliers) or 1
    return Alternative(direction, np.array([float(m / total) for m in multipliers]))
