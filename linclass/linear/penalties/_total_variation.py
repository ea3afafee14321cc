"""The proximal operator of weighted total variation:  argmin_v  Σ_j ½a_j(v_j − w_j)² + Σ_j λ_j|v_{j+1} − v_j|.

Dynamic programming: the least cost of v_1, …, v_j is a function of v_j whose derivative is increasing and piecewise
linear. With the next term it is clipped to ±λ_j, between knots low_j ≤ high_j, and the best v_j is v_{j+1}, clipped to
them. Every knot is added and removed once, so d entries take O(d).   Johnson (2013), J. Computational and Graphical
Statistics 22
"""

from __future__ import annotations

from collections import deque

import numpy as np

from linclass.base.arrays import Array


def denoised(w: Array, a: Array, links: Array) -> Array:
    """The minimum for the curvatures a > 0 of d entries and d − 1 links λ ≥ 0, equal where entries are tied."""
    if not (spread := np.ptp(w)):
        return w.copy()
    # no pull is half of the bound, and huge links lose digits
    links = np.minimum(links, 2 * spread * a.sum())
    lows, highs = [], []
    knots = deque[tuple[float, float, float]]()  # where the derivative changes, by which line
    left = right = 0.0, 0.0  # slope and intercept of the derivative outside the knots
    for value, curvature, link in zip(w.tolist(), a.tolist(), [*links.tolist(), 0.0], strict=True):
        own = -curvature * value
        left, right = (left[0] + curvature, left[1] + own), (right[0] + curvature, right[1] + own)
        while knots and left[0] * knots[0][0] + left[1] <= -link:
            _, slope, intercept = knots.popleft()
            left = left[0] + slope, left[1] + intercept
        while knots and right[0] * knots[-1][0] + right[1] >= link:
            _, slope, intercept = knots.pop()
            right = right[0] - slope, right[1] - intercept
        # no line is less steep than its own term, but for rounding
        left, right = (max(left[0], curvature), left[1]), (max(right[0], curvature), right[1])
        low, high = (-link - left[1]) / left[0], (link - right[1]) / right[0]
        knots.appendleft((low, left[0], left[1] + link))
        knots.append((high, -right[0], link - right[1]))
        left, right = (0.0, -link), (0.0, link)
        lows.append(low)
        highs.append(high)
    at = lows.pop()
    values = [at]
    for low, high in zip(reversed(lows), reversed(highs[:-1]), strict=True):
        at = min(max(at, low), high)
        values.append(at)
    return np.array(values[::-1])
