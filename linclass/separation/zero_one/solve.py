"""The fewest errors: first separation, then all cells if they are few, then conflicts.

The errors of d are always counted on the rows, and bounds are about the same rows: an answer is certified if the count
equals the bound. The certificate is numerical: conflicts are proved (proofs/), but the angles of cells and the
integer programs of HiGHS are in floating point, with tolerances below the cost of a row. Of all d with the same rows
correct, the fit keeps one that is far from them.
"""

from __future__ import annotations

import numpy as np
from scipy import sparse

from linclass.base.arrays import Array
from linclass.separation.proofs.integers import echelon
from linclass.separation.zero_one.enumeration import all_cells, is_coarse, turns
from linclass.separation.zero_one.hitting_set import Search, separating
from linclass.separation.zero_one.line_descent import search_lines
from linclass.separation.zero_one.problem import Answer, ZeroOneProblem

FEW_TURNS = 2_000_000  # about a second
UNIT = 4 * np.finfo(float).eps
NEGLIGIBLE = 1e-9  # of the cost of an answer
SEARCHED = 20_000  # entries of Z up to which conflicts are searched for


def fewest_errors(
    problem: ZeroOneProblem,
    node_limit: int,
    seconds: float | None = None,
    seed: int | np.random.Generator | None = 0,
) -> Answer:
    d = separating(problem, np.ones(problem.n_rows, dtype=bool))
    if d is not None:
        return Answer(d, 0.0, 0.0)
    found = _by_cells(problem) if node_limit and is_enumerable(problem) else None
    if found is None or found.bound < found.cost:
        by_lines = search_lines(problem, seed)
        found = by_lines if found is None or by_lines.cost < found.cost else found
        if node_limit and problem.Z.shape[0] * problem.Z.shape[1] <= SEARCHED:
            found = Search(problem, node_limit, seconds).run(found)
    return away_from_rows(problem, found)


def is_enumerable(problem: ZeroOneProblem) -> bool:
    n, p = problem.Z.shape
    dense = not sparse.issparse(problem.Z) or n * p <= FEW_TURNS
    return problem.n_classes == 2 and dense and turns(n, p) <= FEW_TURNS


def _by_cells(problem: ZeroOneProblem) -> Answer:
    """Certified if no cell was too narrow to examine, no two rows too close to tell apart, and sums of costs exact."""
    rows = problem.rows
    Z = problem.Z.toarray() if sparse.issparse(problem.Z) else problem.Z
    found = all_cells(Z, problem.costs)
    reached = problem.cost(found.d)
    exact = rows.exactly()
    whole = is_coarse(exact) or (
        found.whole
        and found.directions == len(distinct_up_to_sign(exact))
        and found.rank == len(echelon(exact)[2])
    )
    rounding = max(abs(reached - found.cost), UNIT * problem.n_rows * problem.total)  # of its sums
    same = whole and rounding <= NEGLIGIBLE * reached
    return Answer(found.d, reached, reached if same else 0.0)


def distinct_up_to_sign(Z: Array) -> set[tuple[int, ...]]:
    """The nonzero rows, up to their sign."""
    found = set()
    for row in Z.tolist():
        first = next((v for v in row if v), 0)
        if first:
            found.add(tuple(row) if first > 0 else tuple(-v for v in row))
    return found


def away_from_rows(problem: ZeroOneProblem, found: Answer) -> Answer:
    d = separating(problem, problem.margins(found.d) > 0)
    if d is None or problem.cost(d) > found.cost:
        return found
    return found._replace(d=d)
