"""One feature, and a threshold: the extreme rows of both classes decide, however near they are.

Complete separation: w and b are floats, so multiples of w are tried until w·x + b has the signs of the last row of one
class and the first of the other, in exact arithmetic. Overlap: both classes have rows below and above some t, so each
has weights λ > 0 with mean t, most of them on its extreme rows. Classes that touch are left to the other methods.
"""

from __future__ import annotations

from fractions import Fraction

import numpy as np

from linclass.separation.proofs.signed_rows import SignedRows
from linclass.separation.proofs.witness import Alternative

MULTIPLES = 10_000  # of w; each rounds w·x + b in another way


def one_feature(rows: SignedRows) -> Alternative | None:
    """None if there are more features, no intercept, or classes that touch."""
    if rows.n_features != 1 or not rows.constant:
        return None
    x = (rows.X.toarray() if rows.is_sparse else rows.X)[:, 0]
    first, second = x[rows.y < 0], x[rows.y > 0]
    if not (len(first) and len(second)):
        return None
    if first.max() > second.min() and second.max() > first.min():
        return Alternative(None, _overlapping(x, rows.y))
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


def _overlapping(x: np.ndarray, y: np.ndarray) -> np.ndarray:
    """λ > 0 with Σ λ_i y_i (x_i, 1) = 0 and Σλ = 1."""
    classes = [np.flatnonzero(y < 0), np.flatnonzero(y > 0)]
    low = Fraction(float(max(x[own].min() for own in classes)))
    high = Fraction(float(min(x[own].max() for own in classes)))
    t, multipliers = (low + high) / 2, np.zeros(len(x))
    for own in classes:
        first, last = own[x[own].argmin()], own[x[own].argmax()]
        least, largest = Fraction(float(x[first])), Fraction(float(x[last]))
        if least == largest:
            multipliers[own] = 0.5 / len(own)
            continue
        mean = min(max(Fraction(float(x[own].mean())), least), largest)
        # the share that all rows have alike
        equal = min(t - least, largest - t) / (2 * (largest - least))
        at_last = (t - equal * mean - (1 - equal) * least) / (largest - least)
        multipliers[own] = float(equal) / (2 * len(own))
        multipliers[last] += float(at_last) / 2
        multipliers[first] += float(1 - equal - at_last) / 2
    return multipliers
