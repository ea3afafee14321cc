"""The fewest errors: first separation, then all cells if they are few, then conflicts.

The errors of d are always counted on the rows, and bounds are about the same rows: an answer is certified if the count
equals the bound. The certificate is numerical: conflicts are proved (witness.py), but the angles of cells and the
integer programs of HiGHS are in floating point, with tolerances below the cost of a row. Of all d with the same rows
correct, the fit keeps one that is far from them.
"""

from __future__ import annotations

import time
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from scipy import sparse

from linclass.base.arrays import Array
from linclass.separation.integers import echelon, nearest_point
from linclass.separation.separability import Undecided, proved
from linclass.separation.signed_rows import SignedRows
from linclass.separation.witness import in_integers, only_zero
from linclass.separation.zero_one_cells import all_cells, is_coarse, turns
from linclass.separation.zero_one_problem import Answer, ZeroOneProblem, search_lines

# Exactly, for any number of parameters and classes: the cheapest set of rows that hits every conflict.
#
# A conflict is a set of rows that no d has all correct; Farkas' vector λ ≥ 0, Zᵀλ = 0 proves it, with at most p + 1
# rows if λ is a vertex. At least one row of each conflict is misclassified, so
#
#     min Σ c_i e_i   subject to   Σ_{i ∈ S} e_i ≥ 1 for the conflicts S found so far,   e_i ∈ {0, 1}
#
# is a lower bound of the cost of every d. If the rows with e_i = 0 have no conflict it is the minimum; otherwise their
# conflicts are added.
# Parker & Ryan (1996), Ann. Math. Artif. Intell. 17; Codato & Fischetti (2006), Operations Research 54

ROUNDING = 1e-6  # of the smallest cost
INEXACT = 1e-3  # of a bound of whole numbers, which an integer program has to 10⁻⁶ or so
SPAN = 1e6  # ratio of costs in one integer program, whose tolerances are 10⁻⁷
PER_ROUND = 4  # searches for disjoint conflicts in a round


@dataclass
class Search:
    """`nodes` counts the linear programs and the nodes of the integer programs, the same on every machine."""

    problem: ZeroOneProblem
    node_limit: int
    seconds: float | None
    nodes: int = 0
    conflicts: list[Array] = field(default_factory=list)
    begun: float = field(default_factory=time.monotonic)

    @property
    def over(self) -> bool:
        late = self.seconds is not None and time.monotonic() - self.begun > self.seconds
        return late or self.nodes >= self.node_limit

    def run(self, incumbent: Answer) -> Answer:
        """Improve an answer, or its bound, until it is certified as optimal or the limit is reached."""
        problem, best = self.problem, incumbent
        bound, wrong = best.bound, np.zeros(problem.n_rows, dtype=bool)
        rng = np.random.default_rng(0)
        while not self.over and bound < best.cost - self.slack:
            for _ in range(PER_ROUND):
                found, d = self._conflicts(wrong, rng)
                if not wrong.any():  # each conflict takes a row of its own
                    bound = max(bound, sum(float(problem.costs[S].min()) for S in found))
                if d is not None and (cost := problem.cost(d)) < best.cost:
                    best = Answer(d, cost, bound)
                self.conflicts += found
                if not found or self.over:
                    break
            if self.over:
                break
            chosen, below = self._cheapest()
            bound = max(bound, below)
            if chosen is None:
                break
            wrong = chosen
        bound = best.cost if bound >= best.cost - self.slack else bound
        return Answer(best.d, best.cost, bound, self.nodes)

    @property
    def slack(self) -> float:
        return ROUNDING * float(self.problem.costs.min())

    def _conflicts(
        self, wrong: Array, rng: np.random.Generator
    ) -> tuple[list[Array], Array | None]:
        """Disjoint conflicts of the other rows; and a d that has the remaining rows correct."""
        left, found = ~wrong, []
        while left.any() and not self.over:
            self.nodes += 1
            conflict = self._conflict(left, rng)
            if conflict is None:
                break
            found.append(conflict)
            left[conflict] = False
        if self.over or not left.any():
            return found, None
        return found, separating(self.problem, left)

    def _conflict(self, left: Array, rng: np.random.Generator) -> Array | None:
        """A vertex of {λ ≥ 0 : Zᵀλ = 0, Σ λ = 1} over some rows, and whose rows it is."""
        from scipy.optimize import linprog  # slow to import

        kept = np.flatnonzero(self.problem.inequalities(left))
        Z = self.problem.Z[kept]
        one = np.ones((1, len(kept)))
        A = sparse.vstack([Z.T, one], format="csc") if sparse.issparse(Z) else np.vstack([Z.T, one])
        b = np.zeros(A.shape[0])
        b[-1] = 1
        result = linprog(rng.random(len(kept)), A_eq=A, b_eq=b, method="highs-ds")
        if result.status == 0:
            own = result.x > 1e-9
            if is_conflict(self.problem.inequalities_of(kept[own]), result.x[own]):
                return np.unique(self.problem.owner[kept[own]])
        # the tolerance of a linear program is 10⁻⁷
        index = conflict_in_integers(self.problem.inequalities_of(kept))
        return None if index is None else np.unique(self.problem.owner[kept[index]])

    def _cheapest(self) -> tuple[Array | None, float]:
        """(rows, lower bound of the cost of any set); no rows if the limit was reached."""
        if not self.conflicts:
            return np.zeros(self.problem.n_rows, dtype=bool), 0.0
        answers = [self._solved(costs) for costs in comparable(self.problem.costs)]
        return max(answers, key=lambda answer: answer[1])

    def _solved(self, costs: Array) -> tuple[Array | None, float]:
        """The integer program, in units of the smallest cost, since its tolerances are absolute."""
        from scipy.optimize import Bounds, LinearConstraint, milp

        n, S = self.problem.n_rows, self.conflicts
        index = np.concatenate(S)
        starts = np.cumsum([0, *map(len, S)])
        A = sparse.csr_array((np.ones(len(index)), index, starts), shape=(len(S), n))
        options: dict[str, Any] = {
            "node_limit": max(self.node_limit - self.nodes, 0),
            "mip_rel_gap": 0,
        }
        if self.seconds is not None:
            options["time_limit"] = max(0.01, self.seconds - (time.monotonic() - self.begun))
        unit = float(costs[costs > 0].min())
        result = milp(
            costs / unit,
            integrality=np.ones(n),
            bounds=Bounds(0, 1),
            constraints=LinearConstraint(A, 1, np.inf),
            options=options,
        )
        self.nodes += 1 + (result.mip_node_count or 0)
        below = result.mip_dual_bound
        below = 0.0 if below is None or not np.isfinite(below) else float(below)
        bound = rounded_up(below, costs / unit) * unit
        return (result.x > 0.5 if result.status == 0 else None), bound


def comparable(costs: Array) -> list[Array]:
    """The costs; if they differ by more than a factor of `SPAN`, two sets of them, none above the given ones, so that
    their bounds are bounds: large costs cut to `SPAN` times the least, and small costs set to 0.
    """
    least, largest = float(costs.min()), float(costs.max())
    if largest <= SPAN * least:
        return [costs]
    return [np.minimum(costs, SPAN * least), np.where(costs * SPAN < largest, 0.0, costs)]


def rounded_up(bound: float, costs: Array) -> float:
    """The next possible sum of costs in units of the smallest, if all are multiples of it."""
    if np.abs(costs - np.round(costs)).max() > 1e-9:
        return max(bound - ROUNDING, 0.0)
    return max(float(np.ceil(bound - INEXACT)), 0.0)


def is_conflict(rows: SignedRows, multipliers: Array) -> bool:
    """Whether there is a λ > 0 with Zᵀλ = 0 near these, which a linear program has to 10⁻⁷ only."""
    Z = rows.take()
    Z = Z.toarray() if sparse.issparse(Z) else Z
    A = np.vstack([Z.T, np.ones(len(Z))])
    b = np.zeros(len(A))
    b[-1] = 1
    for _ in range(2):
        multipliers = multipliers + np.linalg.lstsq(A, b - A @ multipliers, rcond=None)[0]
    return bool((multipliers > 0).all() and only_zero(rows, multipliers))


def conflict_in_integers(rows: SignedRows) -> Array | None:
    """A conflict among few rows, if there is one."""
    Z = in_integers(rows)
    if Z is None:
        return None
    chosen, _, apart = nearest_point(Z)
    return np.array(chosen) if apart is None else None


def separating(problem: ZeroOneProblem, right: Array) -> Array | None:
    """A d that has these rows correct, at the distance that the least violation gives; or None."""
    own = np.flatnonzero(problem.inequalities(right))
    if not len(own):
        return None
    rows = problem.inequalities_of(own)
    try:
        found = proved(rows)
    except Undecided:
        return None
    if found.direction is None or found.kind != "complete":
        return None
    return problem.d_of(*rows.hyperplane(found.direction))


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
