"""The linear classifier with the fewest training errors:  min over (W, b) of Σ w_i [x_i misclassified].

Other losses are convex surrogates of this one, whose minimization is NP-hard. First the rows are tested for
separability; two classes of few rows and features are then solved exactly, by enumeration. Other problems get a local
search, and a search for conflicts, sets of rows that no linear classifier has all correct. `bound_` is a lower bound on
the errors of every linear classifier: the minimum if all cells were enumerated, else the least weight of rows that hit
all known conflicts. If `n_errors_` equals it, the fit is optimal and `converged`. Otherwise the best solution is kept,
the status is `max_iter`, and `reason_` states the bound. Several hyperplanes have the same errors. Which one is found
may differ between sparse and dense rows, whose products are rounded differently. Of all hyperplanes with the same rows
correct, the fit keeps one that is far from them.

Predicts: scores, linear in x.
Cost: O(n C(n, d − 1)) by enumeration, up to about a second: 1,400 rows of two features, 150 of three; else a local
    search of about a second, and up to `node_limit` linear programs and nodes of integer programs.
Certificate: gap to bound.
Reference: Nguyen & Sanner (2013), Algorithms for direct 0–1 loss optimization in binary classification. ICML.
"""

from __future__ import annotations

import math
from typing import Self

import numpy as np
from scipy import sparse

from linclass.base.arrays import Array, ArrayLike, ClassWeight, MatrixLike, PerRow, Seed
from linclass.base.linear_scores import LinearScores
from linclass.base.parameters import require_whole
from linclass.separation.signed_rows import echelon
from linclass.separation.zero_one_cells import all_cells, is_coarse, turns
from linclass.separation.zero_one_problem import (
    Answer,
    ZeroOneProblem,
    search_conflicts,
    search_lines,
    separating,
)


class ZeroOneClassifier(LinearScores):
    """Parameters
    ----------
    node_limit : int, default=100
        Limit on the linear programs and the nodes of integer programs in the search for conflicts, the same on every
        machine. 0 skips this search.
    random_state : int, numpy.random.Generator or None, default=0
        Seed of the starting points of the local search. None draws a new one for each fit.

    Attributes
    ----------
    coef_
    intercept_
    n_errors_ : float
        Number (sum of weights) of the training rows on the wrong side or on the boundary.
    bound_ : float
        Lower bound on that number, for every linear classifier. That the classes are inseparable and that rows
        conflict is proved; cells are examined, and integer programs solved, in floating point.
    exact_ : bool
        Whether the two are equal, so that no linear classifier has fewer errors.
    """

    n_errors_: float
    bound_: float
    exact_: bool

    def __init__(
        self,
        *,
        node_limit: int = 100,
        fit_intercept: bool = True,
        random_state: Seed = 0,
        class_weight: ClassWeight = None,
    ):
        self.node_limit = node_limit
        self.fit_intercept = fit_intercept
        self.random_state = random_state
        self.class_weight = class_weight

    def check(self) -> None:
        super().check()
        require_whole("node_limit", self.node_limit)

    def fit(self, X: MatrixLike, y: ArrayLike, sample_weight: PerRow = None) -> Self:
        X, codes, weights = self._start_fit(X, y, sample_weight)
        problem = ZeroOneProblem(X, codes, weights, len(self.classes_), self.fit_intercept)
        answer = fewest_errors(problem, self.node_limit, self.random_state)
        self.coef_, self.intercept_ = problem.scores(answer.d)
        cost = problem.cost_of_scores(self.coef_, self.intercept_)  # of rounded scores
        answer = answer._replace(cost=cost)
        self.n_errors_, self.bound_ = answer.cost, answer.bound
        self.exact_ = answer.bound == answer.cost
        status, reason = "converged", ""
        if not self.exact_:
            status = "max_iter"
            reason = (
                f"not certified as optimal: {answer.cost:g} errors, and at least {answer.bound:g} "
                f"are unavoidable. Raise node_limit={self.node_limit}, or use fewer rows or features."
            )
        return self._record(
            status,
            reason,
            objective=answer.cost / problem.total,
            certificate=(answer.cost - answer.bound) / problem.total,
            certificate_kind="gap_to_bound",
        )


# The fewest errors: first separation, then all cells if they are few, else a descent along lines and
# a search for conflicts.
#
# The errors of d are always counted on the rows, and bounds are about the same rows: an answer is certified if the
# count equals the bound.

FEW_TURNS = 2_000_000  # about a second
UNIT = 4 * np.finfo(float).eps
COST_TOL = 1e-9  # relative to the cost of an answer


def fewest_errors(
    problem: ZeroOneProblem, node_limit: int, seed: int | np.random.Generator | None = 0
) -> Answer:
    d, inseparable = separating(problem, np.ones(problem.n_rows, dtype=bool))
    if d is not None:
        return Answer(d, 0.0, 0.0)
    least = float(problem.costs.min()) if inseparable else 0.0  # a row is wrong
    n, p = problem.Z.shape
    few = turns(n, p) <= FEW_TURNS and (not sparse.issparse(problem.Z) or n * p <= FEW_TURNS)
    answer = _by_cells(problem) if few and problem.n_classes == 2 else None
    if answer is None or answer.bound < answer.cost:
        by_lines = search_lines(problem, seed)
        answer = by_lines if answer is None or by_lines.cost < answer.cost else answer
        answer = answer._replace(bound=max(answer.bound, least))
        answer = search_conflicts(problem, answer, node_limit)
    far, _ = separating(problem, problem.margins(answer.d) > 0)  # from the rows
    return answer if far is None or problem.cost(far) > answer.cost else answer._replace(d=far)


def _by_cells(problem: ZeroOneProblem) -> Answer:
    """Certified if no cell was too narrow to examine, no two rows too close to tell apart, and sums of costs exact."""
    rows = problem.rows
    Z = problem.Z.toarray() if sparse.issparse(problem.Z) else problem.Z
    found = all_cells(Z, problem.costs)
    reached = problem.cost(found.d)
    exact = rows.exactly()
    whole = is_coarse(exact) or (
        found.whole
        and found.directions == len(distinct_directions(exact))
        and found.rank == len(echelon(exact)[2])
    )
    rounding = max(abs(reached - found.cost), UNIT * problem.n_rows * problem.total)  # of its sums
    same = whole and rounding <= COST_TOL * reached
    return Answer(found.d, reached, reached if same else 0.0)


def distinct_directions(Z: Array) -> set[tuple[int, ...]]:
    """The directions of the nonzero rows of an integer matrix, up to their sign."""
    directions = set()
    for row in Z.tolist():
        if divisor := math.gcd(*row):
            first = next(v for v in row if v)
            directions.add(tuple(v // (divisor if first > 0 else -divisor) for v in row))
    return directions
