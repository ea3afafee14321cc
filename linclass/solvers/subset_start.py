"""A start and a preconditioner from a subset of the rows, for any solver; they do not change the optimum.

The objective is a mean over rows, so on every k-th row it has the same strength. Its solution is a good start
for all rows, and its Hessian a good preconditioner.
"""

from __future__ import annotations

import numpy as np

from linclass.numerics import Array
from linclass.objective.objective import Objective

LARGE = 20_000  # rows above which a fit to a subset pays


def few_rows(objective: Objective, start: Array, part: int = 20) -> Objective | None:
    """The objective on n/part rows, at least 20 per feature; None if that would not pay.

    It needs a penalty: without one a subset may be separable, with an infinite fit.
    """
    n, p = objective.design.n_rows, objective.n_parameters
    rows = max(n // part, 20 * objective.design.width, 4 * p)
    if n < LARGE or 2 * rows > n or not objective.strength or np.any(start):
        return None
    return objective.take(slice(None, None, n // rows))
