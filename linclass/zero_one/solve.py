"""Which way to the fewest errors: separation, then all cells where they are few, then conflicts.

Whatever finds d, its errors are counted on the rows, and proofs are about the same rows: an answer is
exact when the count is equal to the bound. Of all d that have the same rows right, the one that the
fit ends with keeps away from them.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy import sparse

from linclass.separation.proof import Undecided
from linclass.zero_one.enumeration import best_cell, turns
from linclass.zero_one.hitting_set import Search, separating
from linclass.zero_one.line_descent import descend
from linclass.zero_one.problem import Answer, Problem

FEW_TURNS = 2_000_000  # about a second
PROVABLE = 20_000  # entries of Z up to which conflicts are searched for


def fewest_errors(
    problem: Problem, node_limit: int, seconds: float | None = None, seed: Any = 0
) -> Answer:
    d = separating(problem, np.ones(problem.n_rows, dtype=bool))
    if d is not None:
        return Answer(d, 0.0, 0.0)
    found = _by_cells(problem) if node_limit and is_enumerable(problem) else None
    if found is None or found.bound < found.cost:
        found = descend(problem, seed)
        if node_limit and problem.Z.shape[0] * problem.Z.shape[1] <= PROVABLE:
            found = Search(problem, node_limit, seconds).run(found)
    return away_from_rows(problem, found)


def is_enumerable(problem: Problem) -> bool:
    n, p = problem.Z.shape
    dense = not sparse.issparse(problem.Z) or n * p <= FEW_TURNS
    return problem.n_classes == 2 and dense and turns(n, p) <= FEW_TURNS


def _by_cells(problem: Problem) -> Answer:
    Z = problem.Z.toarray() if sparse.issparse(problem.Z) else problem.Z
    d, cost = best_cell(Z, problem.costs)
    reached = problem.cost(d)
    same = abs(reached - cost) <= 1e-9 * problem.total
    return Answer(d, reached, reached if same else 0.0)


def away_from_rows(problem: Problem, found: Answer) -> Answer:
    try:
        d = separating(problem, problem.margins(found.d) > 0)
    except Undecided:
        return found
    if d is None or problem.cost(d) > found.cost:
        return found
    return found._replace(d=d)
