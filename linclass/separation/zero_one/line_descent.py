"""Many rows: a good answer without a certificate, by exact line search over  d + t u.

On a line each row is correct in one interval of t, so sorting the ends of the intervals gives the best t. The
directions u are the axes and random ones; the best of a batch is taken. The search starts at the least violation of all
rows, then repeatedly of the correct rows only; when no direction decreases the cost, d is perturbed and the search
restarted.   Li & Lin (2007), SIAM Int. Conf. on Data Mining
"""

from __future__ import annotations

import numpy as np
from scipy import sparse

from linclass.base.arrays import Array
from linclass.separation.violation import ProjectedRows, least_violation
from linclass.separation.zero_one.problem import Answer, ZeroOneProblem

TRIMS = 5  # starts: the least violation of all rows, then of those correct at the start before
KICKS = 8  # starts from a perturbed d
STEPS = 50  # line searches from one start, at most
DIRECTIONS = 60  # directions u of which the best is taken
WORK = 3_000_000  # inequalities × lines in all: about a second
AT_ONCE = 1_000_000  # inequalities × directions whose products are in memory
NARROW = 1e-9  # relative width below which an interval of t is ignored


def search_lines(problem: ZeroOneProblem, seed: int | np.random.Generator | None = 0) -> Answer:
    return _Descent(problem, seed).run()


class _Descent:
    def __init__(self, problem: ZeroOneProblem, seed: int | np.random.Generator | None):
        self.problem, self.rng = problem, np.random.default_rng(seed)
        self.lines = WORK // len(problem.owner)  # remaining line searches
        self.many = max(3, min(DIRECTIONS, AT_ONCE // len(problem.owner)))

    def run(self) -> Answer:
        best: Answer | None = None
        for d in _starts(self.problem):
            found = self.downhill(d)
            best = found if best is None or found.cost < best.cost else best
        assert best is not None
        for _ in range(KICKS):
            if best.cost == 0 or self.lines <= 0:
                break
            p = len(best.d)
            kick = self.rng.standard_normal(p) * np.linalg.norm(best.d) / p**0.5
            found = self.downhill(best.d + self.rng.choice([0.1, 0.3, 1.0]) * kick)
            best = found if found.cost < best.cost else best
        return best

    def downhill(self, d: Array) -> Answer:
        cost, failures = self.problem.cost(d), 0
        for _ in range(STEPS):
            if failures == 2 or cost == 0 or self.lines <= 0:
                break
            U = _directions(self.problem, d, self.many, self.rng, axes=failures == 0)
            self.lines -= U.shape[1]
            t, value = best_on_lines(self.problem, d, U)
            k = int(value.argmin())
            new = d + t[k] * U[:, k]
            reached = self.problem.cost(new)
            failures = 0 if reached < cost else failures + 1
            d, cost = (new, reached) if reached <= cost else (d, cost)
        return Answer(d, cost, 0.0)


def _starts(problem: ZeroOneProblem) -> list[Array]:
    """The least violation of all rows, then of those that it has correct, which removes the influence of outliers."""
    d = least_violation(ProjectedRows(problem.Z)).w
    found = [d]
    for _ in range(TRIMS - 1):
        right = problem.inequalities(problem.margins(d) > 0)
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
    wrong = np.flatnonzero(problem.inequalities(problem.margins(d) <= 0))
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
    right[width <= NARROW * reach] = -np.inf
    most = right.max()
    k = int(np.where(right >= most - 1e-9 * costs.sum(), width, -1.0).argmax())
    return float(ends[k] + width[k] / 2), float(most)
