"""Fewest errors in terms of inequalities: row i is correct if all its  Z_j d > 0,  and costs c_i otherwise.

Two classes have one inequality per row, y_i (w·x_i + b) > 0; K classes have K − 1, z_y > z_k for each other class. A
row on the boundary counts as misclassified. Equal rows are merged, with the sum of their weights,
in an order that depends on their content and not on their position.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from scipy import sparse

from linclass.base.arrays import Array, Matrix
from linclass.separation.alternative import DIRECT, ProjectedRows, least_violation
from linclass.separation.separability import Undecided, proved
from linclass.separation.signed_rows import SignedRows, contents_of_rows
from linclass.separation.witness import only_zero

SPARSE_BELOW = (
    0.25  # share of nonzero entries below which products with sparse inequalities are faster
)


class ZeroOneProblem:
    """min over d of Σ c_i [some Z_j d ≤ 0, j of row i];  `d` is in scaled coordinates, which `theta` undoes."""

    owner: Array  # the row of each inequality

    def __init__(self, X: Matrix, codes: Array, weights: Array, n_classes: int, intercept: bool):
        first, self.costs = distinct(X, codes, weights)
        self.n_rows, self.n_classes, self.intercept = len(first), n_classes, intercept
        self.codes = codes = codes[first]
        y = np.where(codes == 1, 1.0, -1.0) if n_classes == 2 else np.ones(len(first))
        self.rows = SignedRows(X[first], y, intercept, centre=n_classes == 2)
        Z = self.rows.take()
        two = n_classes == 2
        self.Z, self.owner = (Z, np.arange(len(first))) if two else _pairs(Z, codes, n_classes)
        self.total = float(self.costs.sum())

    def margins(self, d: Array) -> Array:
        """The least Z_j d of every row."""
        return np.minimum.reduceat(self.Z @ d, self.starts)

    def cost(self, d: Array) -> float:
        return float(self.costs[self.margins(d) <= 0].sum())

    @property
    def starts(self) -> Array:
        """First inequality of each row; the inequalities of a row are consecutive."""
        return np.arange(0, len(self.owner), max(self.n_classes - 1, 1))

    def inequalities_of(self, index: Array) -> SignedRows:
        """Some of the inequalities, without rounding."""
        if self.n_classes == 2:
            return self.rows.part(index)
        return SignedRows(self.Z[index], np.ones(len(index)), constant=False)

    def cost_of_scores(self, W: Array, b: Array) -> float:
        """The cost of the scores as predictions compute them, with the same rounding."""
        scores = self.rows.X @ W.T + b
        if self.n_classes == 2:
            return float(self.costs[self.rows.y * scores[:, 0] <= 0].sum())
        own = scores[np.arange(self.n_rows), self.codes]
        scores[np.arange(self.n_rows), self.codes] = -np.inf
        return float(self.costs[own <= scores.max(axis=1)].sum())

    def scores(self, d: Array) -> tuple[Array, Array]:
        """(W, b), one score for two classes, else one per class."""
        if self.n_classes == 2:
            w, b = self.rows.hyperplane(d)
            return w[None], np.array([b])
        planes = [self.rows.hyperplane(part) for part in d.reshape(self.n_classes - 1, -1)]
        planes.append((np.zeros(self.rows.n_features), 0.0))  # the last class is the reference
        return np.array([w for w, _ in planes]), np.array([b for _, b in planes])


class Answer(NamedTuple):
    """d with its cost, and a lower bound of the cost of every d."""

    d: Array
    cost: float
    bound: float


def distinct(X: Matrix, codes: Array, weights: Array) -> tuple[Array, Array]:
    """(a row of each kind, in canonical order; summed weights)."""
    groups: dict[bytes, list[int]] = {}
    for i, content in enumerate(contents_of_rows(X)):
        groups.setdefault(int(codes[i]).to_bytes(8, "big") + content, []).append(i)
    members = [groups[key] for key in sorted(groups)]
    return np.array([m[0] for m in members]), np.array([weights[m].sum() for m in members])


def _pairs(Z: Any, codes: Array, K: int) -> tuple[Any, Array]:
    """Rows (k ↦ z_y − z_k) over the weights of K − 1 classes, K − 1 of them for each row of Z."""
    n, p = Z.shape
    others = np.array([[k for k in range(K) if k != y] for y in range(K)])[codes].ravel()
    owner, own = np.repeat(np.arange(n), K - 1), np.repeat(codes, K - 1)
    sign = (np.arange(K - 1) == own[:, None]) * 1.0 - (np.arange(K - 1) == others[:, None])
    only_products = not sparse.issparse(Z) and (K - 1) * p > DIRECT
    if only_products and 2 * np.count_nonzero(Z) < SPARSE_BELOW * (K - 1) * Z.size:
        Z = sparse.csr_array(Z)
    if sparse.issparse(Z):
        blocks = [sparse.diags_array(sign[:, k]) @ Z[owner] for k in range(K - 1)]
        return sparse.csr_array(sparse.hstack(blocks)), owner
    return (sign[:, :, None] * Z[owner][:, None, :]).reshape(len(owner), (K - 1) * p), owner


# Many rows: a good answer without a certificate, by exact line search over  d + t u.
#
# On a line each row is correct in one interval of t, so sorting the ends of the intervals gives the best t. The
# directions u are the axes and random ones; the best of a batch is taken. The search starts at the least violation of
# all rows, then repeatedly of the correct rows only; when no direction decreases the cost, d is perturbed and the
# search restarted.   Li & Lin (2007), SIAM Int. Conf. on Data Mining

TRIMS = 5  # starts: the least violation of all rows, then of those correct at the start before
KICKS = 8  # starts from a perturbed d
MAX_LINE_SEARCHES = 50  # line searches from one start, at most
DIRECTIONS = 60  # directions u of which the best is taken
WORK = 3_000_000  # inequalities × lines in all: about a second
AT_ONCE = 1_000_000  # inequalities × directions whose products are in memory
MIN_INTERVAL = 1e-9  # relative width below which an interval of t is ignored


def search_lines(problem: ZeroOneProblem, seed: int | np.random.Generator | None = 0) -> Answer:
    rng = np.random.default_rng(seed)
    left = WORK // len(problem.owner)  # line searches
    many = max(3, min(DIRECTIONS, AT_ONCE // len(problem.owner)))

    def downhill(d: Array) -> Answer:
        nonlocal left
        cost, failures = problem.cost(d), 0
        for _ in range(MAX_LINE_SEARCHES):
            if failures == 2 or cost == 0 or left <= 0:
                break
            U = _directions(problem, d, many, rng, axes=failures == 0)
            left -= U.shape[1]
            t, value = best_on_lines(problem, d, U)
            k = int(value.argmin())
            new = d + t[k] * U[:, k]
            reached = problem.cost(new)
            failures = 0 if reached < cost else failures + 1
            d, cost = (new, reached) if reached <= cost else (d, cost)
        return Answer(d, cost, 0.0)

    best = min(map(downhill, _starts(problem)), key=lambda found: found.cost)
    for _ in range(KICKS):
        if best.cost == 0 or left <= 0:
            break
        p = len(best.d)
        kick = rng.standard_normal(p) * np.linalg.norm(best.d) / p**0.5
        found = downhill(best.d + rng.choice([0.1, 0.3, 1.0]) * kick)
        best = found if found.cost < best.cost else best
    return best


def _starts(problem: ZeroOneProblem) -> list[Array]:
    """The least violation of all rows, then of those that it has correct, which removes the influence of outliers."""
    d = least_violation(ProjectedRows(problem.Z)).w
    found = [d]
    for _ in range(TRIMS - 1):
        right = (problem.margins(d) > 0)[problem.owner]
        if right.all() or not right.any():
            break
        d = least_violation(ProjectedRows(problem.Z[right]), d).w
        found.append(d)
    return found


def _directions(
    problem: ZeroOneProblem, d: Array, many: int, rng: np.random.Generator, axes: bool
) -> Array:
    """Columns: axes (all if they are few), directions towards misclassified rows, and random ones."""
    p = len(d)
    wrong = np.flatnonzero((problem.margins(d) <= 0)[problem.owner])
    own = rng.permutation(wrong)[: many // 3]
    Z = problem.Z[own]
    towards = (Z.toarray() if sparse.issparse(Z) else Z).T
    chosen = rng.permutation(p)[: many // 3] if axes else np.arange(0)
    axis = np.zeros((p, len(chosen)))
    axis[chosen, np.arange(len(chosen))] = 1
    return np.hstack([axis, towards, rng.standard_normal((p, max(1, many // 3)))])


def best_on_lines(problem: ZeroOneProblem, d: Array, U: Array) -> tuple[Array, Array]:
    """(t, cost at d + t u) for each column u of U: the middle of the widest of the best intervals."""
    m, S = problem.Z @ d, np.ascontiguousarray((problem.Z @ U).T)
    with np.errstate(divide="ignore", invalid="ignore"):
        at = -m / S
    low = np.where(S > 0, at, np.where((S == 0) & (m <= 0), np.inf, -np.inf))
    high = np.where(S < 0, at, np.inf)
    if problem.n_classes > 2:
        low = np.maximum.reduceat(low, problem.starts, axis=1)
        high = np.minimum.reduceat(high, problem.starts, axis=1)
    best = [_best_on_line(*line, problem.costs) for line in zip(low, high, strict=True)]
    return np.array([t for t, _ in best]), problem.total - np.array([right for _, right in best])


def _best_on_line(low: Array, high: Array, costs: Array) -> tuple[float, float]:
    """(t, Σ costs of the rows with low < t < high)."""
    from_start, enters = low == -np.inf, np.isfinite(low) & (low < high)
    leaves = np.isfinite(high) & (low < high)
    ends = np.concatenate([low[enters], high[leaves]])
    order = np.argsort(ends)
    ends = ends[order]
    change = np.concatenate([costs[enters], -costs[leaves]])[order]
    right = np.concatenate([[0.0], np.cumsum(change)]) + costs[from_start].sum()
    reach = 1 + max(abs(ends[0]), abs(ends[-1])) if len(ends) else 1.0
    ends = np.concatenate([[-2 * reach], ends, [2 * reach]])  # beyond them nothing changes
    width = np.diff(ends)
    right[width <= MIN_INTERVAL * reach] = -np.inf
    most = right.max()
    k = int(np.where(right >= most - 1e-9 * costs.sum(), width, -1.0).argmax())
    return float(ends[k] + width[k] / 2), float(most)


# Fewest errors by conflicts, for any number of parameters and classes: the cheapest set of rows that hits all of them.
#
# A conflict is a set of rows that no d has all correct; Farkas' vector λ ≥ 0, Zᵀλ = 0 proves it, with at most p + 1
# rows if λ is a vertex. At least one row of each conflict is misclassified, so
#
#     min Σ c_i e_i   subject to   Σ_{i ∈ S} e_i ≥ 1 for the conflicts S found so far,   e_i ∈ {0, 1}
#
# is a lower bound of the cost of every d. If the rows with e_i = 0 are separable it is the minimum; otherwise their
# conflicts are added. Conflicts are proved (witness.py); the integer programs are in floating point, with tolerances
# below the cost of a row.
# Parker & Ryan (1996), Ann. Math. Artif. Intell. 17; Codato & Fischetti (2006), Operations Research 54

SEARCHED = 20_000  # entries of Z up to which conflicts are searched for
SPAN = 1e6  # ratio of costs up to which they are; the tolerances of an integer program are 10⁻⁷ and absolute
COST_TOLERANCE = 1e-6  # relative to the smallest cost
INEXACT = 1e-3  # error of a bound of whole numbers; an integer program has it to about 10⁻⁶
PER_ROUND = 4  # searches for disjoint conflicts in a round


def search_conflicts(problem: ZeroOneProblem, best: Answer, node_limit: int) -> Answer:
    """Improve an answer, or its bound, until it is certified as optimal or the limit on linear programs and nodes of
    integer programs is reached.
    """
    unit, rng = float(problem.costs.min()), np.random.default_rng(0)
    if problem.Z.shape[0] * problem.Z.shape[1] > SEARCHED or problem.costs.max() > SPAN * unit:
        return best
    conflicts: list[Array] = []
    slack = 2 * COST_TOLERANCE * unit
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
            limit = max(node_limit - nodes, 1)
            wrong, bound, more = cheapest(problem.costs / unit, conflicts, limit)
            nodes += more
            best = best._replace(bound=max(best.bound, bound * unit))
    return best if best.bound < best.cost - slack else best._replace(bound=best.cost)


def conflict(problem: ZeroOneProblem, left: Array, rng: np.random.Generator) -> Array | None:
    """The rows of a vertex of {λ ≥ 0 : Zᵀλ = 0, Σ λ = 1} over the rows of a mask, if one is found and proved."""
    from scipy.optimize import linprog  # slow to import

    kept = np.flatnonzero(left[problem.owner])
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
    bound = float(np.ceil(below - INEXACT)) if whole else below - COST_TOLERANCE
    hit = result.x > 0.5 if result.status == 0 else np.zeros(len(costs), dtype=bool)
    return hit, bound, 1 + (result.mip_node_count or 0)


def separating(problem: ZeroOneProblem, right: Array) -> tuple[Array | None, bool]:
    """(a d that has the rows of a mask correct, at the distance that the least violation gives, or None; whether it is
    proved that there is none)
    """
    own = np.flatnonzero(right[problem.owner])
    if not len(own):
        return None, False
    rows = problem.inequalities_of(own)
    try:
        found = proved(rows)
    except Undecided:
        return None, False
    if found.direction is None or found.kind != "complete":
        return None, True
    w, b = rows.hyperplane(found.direction)
    return (problem.rows.coordinates(w, b) if problem.n_classes == 2 else w), False
