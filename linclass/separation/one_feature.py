"""One feature, and a threshold: complete separation by the extreme rows of both classes, however near they are.

The last row of one class and the first of the other decide; w and b are floats, so multiples of w are tried until
w·x + b has the signs of both, in exact arithmetic. What is not completely separated is left to the other methods.
"""

from __future__ import annotations

from fractions import Fraction

import numpy as np

from linclass.proofs.signed_rows import SignedRows
from linclass.proofs.witness import Alternative

MULTIPLES = 10_000  # of w; each rounds w·x + b in another way


def one_feature(rows: SignedRows) -> Alternative | None:
    """None if there are more features, no intercept, or no threshold between the classes."""
    if rows.n_features != 1 or not rows.constant:
        return None
    x = (rows.X.toarray() if rows.is_sparse else rows.X)[:, 0]
    first, second = x[rows.y < 0], x[rows.y > 0]
    if not (len(first) and len(second)):
        return None
    sign = 1.0 if first.max() < second.min() else -1.0
    low, high = sorted([first, second], key=lambda own: float(own.max()))
    below, above = Fraction(float(low.max())), Fraction(float(high.min()))
    if below >= above:
        return None
    shift, inverse = Fraction(float(rows.shift[0])), Fraction(float(rows.inverse[0]))
    at = ((below + above) / 2 - shift) * inverse  # the threshold, in the coordinates of d
    for multiple in range(1, MULTIPLES):
        d = np.array([sign * multiple, float(-int(sign) * multiple * at)])
        w, b = rows.hyperplane(d)
        left, right = (Fraction(float(w[0])) * end + Fraction(b) for end in (below, above))
        if (left < 0 < right) if sign > 0 else (right < 0 < left):
            return Alternative(d, np.zeros(rows.n_rows))
    return None
