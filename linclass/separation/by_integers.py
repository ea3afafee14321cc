"""The same witnesses in integer arithmetic, for few rows and columns, if floating point does not decide."""

from __future__ import annotations

from fractions import Fraction

import numpy as np

from linclass.separation.proofs.nearest_point import decide_exactly
from linclass.separation.proofs.signed_rows import SignedRows
from linclass.separation.proofs.witness import Alternative, in_integers

MULTIPLES = 32  # of a direction, each of which is rounded in another way


def by_integers(rows: SignedRows) -> Alternative | None:
    """None if there are too many rows; a direction that rounding invalidates in every multiple is not a proof.

    Between 1 and the next float lies none, so w = 1 has no b for a threshold there; w = 3 has.
    """
    Z = in_integers(rows)
    if Z is None:
        return None
    d, multipliers = decide_exactly(Z)
    total = sum(multipliers) or 1
    shares = np.array([float(m / total) for m in multipliers])
    if d is None:
        return Alternative(None, shares)
    largest = max(abs(int(v)) for v in d)
    for multiple in range(1, MULTIPLES):
        direction = np.array([float(Fraction(multiple * int(v), largest)) for v in d])
        if (found := Alternative(direction, shares)).holds(rows):
            return found
    return None
