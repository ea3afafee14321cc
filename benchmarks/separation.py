"""Is there a separating hyperplane? Ours proves yes or no; HiGHS only searches for a feasible  Z w ≥ 1.

The two quality columns are 0 where the answer is right: ours by its own proof, the peer's by its status.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from harness import Case

import data  # isort: skip
import numpy as np
from scipy import sparse
from scipy.optimize import linprog

from linclass.separation.separability import separability

FEASIBLE, INFEASIBLE = 0, 2  # of linprog


def case(name: str, X: Any, y: np.ndarray, separable: bool, target: float) -> Case:
    sign = 2.0 * y - 1
    if sparse.issparse(X):
        A = sparse.hstack([sparse.diags_array(-sign) @ X, -sign[:, None]], format="csr")
    else:
        A = -sign[:, None] * np.column_stack([X, np.ones(len(X))])

    def theirs() -> Any:
        b, p = -np.ones(A.shape[0]), A.shape[1]
        return linprog(np.zeros(p), A_ub=A, b_ub=b, bounds=(None, None), method="highs")

    def off(answer: Any) -> float:
        if hasattr(answer, "holds"):
            return float(answer.separable != separable or not answer.holds(X, y))
        return float(answer.status != (FEASIBLE if separable else INFEASIBLE))

    return Case(
        name, "linprog highs", lambda: separability(X, y), theirs, off, target, within=0.0, pairs=3
    )


def cases() -> Iterator[Case]:
    rng = np.random.default_rng(0)
    X, w = rng.standard_normal((20_000, 50)), rng.standard_normal(50)
    noisy = (X @ w + rng.standard_normal(20_000) > 0).astype(int)
    yield case("separability 20,000 × 50", X, (X @ w > 0.1).astype(int), True, 0.06)
    yield case("inseparability 20,000 × 50", X, noisy, False, 0.06)
    X, y = data.newsgroups_two()
    yield case("separability 20news", X, y, True, 0.2)
