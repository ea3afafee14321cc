"""Fewest errors by conflicts, for any number of parameters and classes: the cheapest set of rows that hits all of them.

A conflict is a set of rows that no d has all correct; Farkas' vector λ ≥ 0, Zᵀλ = 0 proves it, with at most p + 1
rows if λ is a vertex. At least one row of each conflict is misclassified, so

    min Σ c_i e_i   subject to   Σ_{i ∈ S} e_i ≥ 1 for the conflicts S found so far,   e_i ∈ {0, 1}

is a lower bound of the cost of every d. If the rows with e_i = 0 are separable it is the minimum; otherwise their
conflicts are added. Conflicts are proved (witness.py); the integer programs are in floating point, with tolerances
below the cost of a row.
Parker & Ryan (1996), Ann. Math. Artif. Intell. 17; Codato & Fischetti (2006), Operations Research 54
"""

from __future__ import annotations

import numpy as np
from scipy import sparse

from linclass.base.arrays import Array
from linclass.separation.separability import Undecided, proved
from linclass.separation.signed_rows import SignedRows
from linclass.separation.witness import only_zero
from linclass.separation.zero_one_problem import Answer, ZeroOneProblem

SEARCHED = 20_000  # entries of Z up to which conflicts are searched for
SPAN = 1e6  # ratio of costs up to which they are; the tolerances of an integer program are 10⁻⁷ and absolute
ROUNDING = 1e-6  # of the smallest cost
INEXACT = 1e-3  # of a bound of whole numbers, which an integer program has to 10⁻⁶ or so
PER_ROUND = 4  # searches for disjoint conflicts in a round


def search_conflicts(problem: ZeroOneProblem, best: Answer, node_limit: int) -> Answer:
    """Improve an answer, or its bound, until it is certified as optimal or the limit on linear programs and nodes of
    integer programs is reached.
    """
    unit, rng = float(problem.costs.min()), np.random.default_rng(0)
    if problem.Z.shape[0] * problem.Z.shape[1] > SEARCHED or problem.costs.max() > SPAN * unit:
        return best
    conflicts: list[Array] = []
    slack = 2 * ROUNDING * unit
    nodes, known, wrong = 0, -1, np.zeros(problem.n_rows, dtype=bool)
    while nodes < node_limit and best.bound < best.cost - slack and known < len(conflicts):
        known = len(conflicts)
        for _ in range(PER_ROUND):
            left, before = ~wrong, len(conflicts)
            while nodes < node_limit:
                nodes += 1
                found = conflict(problem, left, rng)
                if found is None:
                    d, _ = separating(problem, left)
                    if d is not None and (cost := problem.cost(d)) < best.cost:
                        best = Answer(d, cost, best.bound)
                    break
                conflicts.append(found)
                left[found] = False
            if len(conflicts) == before:
                break
        if len(conflicts) > known:
            wrong, bound, more = cheapest(
                problem.costs / unit, conflicts, max(node_limit - nodes, 1)
            )
            nodes += more
            best = best._replace(bound=max(best.bound, bound * unit))
    return best if best.bound < best.cost - slack else best._replace(bound=best.cost)


def conflict(problem: ZeroOneProblem, left: Array, rng: np.random.Generator) -> Array | None:
    """The rows of a vertex of {λ ≥ 0 : Zᵀλ = 0, Σ λ = 1} over the rows of a mask, if one is found and proved."""
    from scipy.optimize import linprog  # slow to import

    kept = np.flatnonzero(problem.inequalities(left))
    if not len(kept):
        return None
    Z = sparse.csr_array(problem.Z[kept])
    A = sparse.vstack([Z.T, np.ones((1, len(kept)))], format="csc")
    result = linprog(rng.random(len(kept)), A_eq=A, b_eq=np.eye(A.shape[0])[-1], method="highs-ds")
    if result.status:
        return None
    positive = result.x > 1e-9
    own = kept[positive]
    if not is_conflict(problem.inequalities_of(own), result.x[positive]):
        return None
    return np.unique(problem.owner[own])


def is_conflict(rows: SignedRows, multipliers: Array) -> bool:
    """Whether there is a λ > 0 with Zᵀλ = 0 near these, which a linear program has to 10⁻⁷ only."""
    Z = rows.take()
    Z = Z.toarray() if sparse.issparse(Z) else Z
    A = np.vstack([Z.T, np.ones(len(Z))])
    b = np.eye(len(A))[-1]
    for _ in range(2):
        multipliers = multipliers + np.linalg.lstsq(A, b - A @ multipliers, rcond=None)[0]
    return bool((multipliers > 0).all() and only_zero(rows, multipliers))


def cheapest(costs: Array, conflicts: list[Array], node_limit: int) -> tuple[Array, float, int]:
    """(cheapest rows that hit the conflicts, or none if the limit was reached; lower bound of their cost; nodes).

    The least cost is 1.
    """
    from scipy.optimize import Bounds, LinearConstraint, milp

    starts = np.cumsum([0, *map(len, conflicts)])
    index = np.concatenate(conflicts)
    A = sparse.csr_array((np.ones(len(index)), index, starts), shape=(len(conflicts), len(costs)))
    result = milp(
        costs,
        integrality=np.ones(len(costs)),
        bounds=Bounds(0, 1),
        constraints=LinearConstraint(A, 1, np.inf),
        options={"node_limit": node_limit, "mip_rel_gap": 0},
    )
    below = result.mip_dual_bound
    below = 0.0 if below is None or not np.isfinite(below) else float(below)
    whole = np.abs(costs - np.round(costs)).max() <= 1e-9  # so are their sums
    bound = float(np.ceil(below - INEXACT)) if whole else below - ROUNDING
    hit = result.x > 0.5 if result.status == 0 else np.zeros(len(costs), dtype=bool)
    return hit, bound, 1 + (result.mip_node_count or 0)


def separating(problem: ZeroOneProblem, right: Array) -> tuple[Array | None, bool]:
    """(a d that has the rows of a mask correct, at the distance that the least violation gives, or None; whether it is
    proved that there is none)
    """
    own = np.flatnonzero(problem.inequalities(right))
    if not len(own):
        return None, False
    rows = problem.inequalities_of(own)
    try:
        found = proved(rows)
    except Undecided:
        return None, False
    if found.direction is None or found.kind != "complete":
        return None, True
    return problem.d_of(*rows.hyperplane(found.direction)), False
