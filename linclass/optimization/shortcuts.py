"""Shortcuts that change the way to the optimum, never the optimum; each works with any solver.

Being means, objectives on every k-th row need no other strength: a solution there is a start here,
and a Hessian there a preconditioner here.
"""

from __future__ import annotations

import numpy as np

from linclass.numerics import Array
from linclass.objective import Objective

LARGE = 20_000  # rows from which on a look at a few of them pays


def few_rows(objective: Objective, start: Array, part: int = 20) -> Objective | None:
    """The objective on n/part rows, at least 20 per feature; None where that would not pay.

    It needs a penalty: without one a few rows may be separable, and their fit infinitely far.
    """
    n, p = objective.design.n_rows, objective.n_parameters
    rows = max(n // part, 20 * objective.design.width, 4 * p)
    if n < LARGE or 2 * rows > n or not objective.strength or np.any(start):
        return None
    return objective.take(slice(None, None, n // rows))
