"""The linear classifier with the fewest training errors:  min over (W, b) of Σ w_i [x_i not on its class's side].

What all other losses stand in for, and hard: exact answers, by enumeration or by hitting sets of
conflicts, are for small problems. `bound_` is what no linear classifier can be below; the answer is
exact when `n_errors_` is equal to it, and only then is the fit `converged`. Otherwise it is a good
answer by descent along lines, `max_iter`, and `reason_` says what is proved.
Nguyen & Sanner (2013), Algorithms for direct 0–1 loss optimization in binary classification. ICML
"""

from __future__ import annotations

from numbers import Integral, Real
from typing import Any, Self

from linclass.conventions import LinearScores
from linclass.estimators.geometry import LinearGeometry
from linclass.zero_one.problem import Problem
from linclass.zero_one.solve import fewest_errors


class ZeroOneClassifier(LinearGeometry, LinearScores):
    """After `fit`: n_errors_ (the weight of) the training rows on a wrong side or on the boundary,
    bound_ proved to be the least possible at most, exact_ whether the two are equal.

    node_limit    of linear and integer programs: the same on every machine; 0 asks for no proof
    time_limit    in seconds, None for none; with one the answer depends on the machine
    """

    n_errors_: float
    bound_: float
    exact_: bool

    def __init__(
        self,
        *,
        node_limit: int = 30,
        time_limit: float | None = None,
        fit_intercept: bool = True,
        random_state: Any = 0,
    ):
        self.node_limit = node_limit
        self.time_limit = time_limit
        self.fit_intercept = fit_intercept
        self.random_state = random_state

    def check(self) -> None:
        if not (isinstance(self.node_limit, Integral) and self.node_limit >= 0):
            raise ValueError(
                f"node_limit is {self.node_limit!r}; it must be a whole number, at least 0."
            )
        limit = self.time_limit
        if limit is not None and not (isinstance(limit, Real) and limit > 0):
            raise ValueError(f"time_limit is {limit!r}; it must be seconds above 0, or None.")

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        X, codes, weights = self._start_fit(X, y, sample_weight)
        problem = Problem(X, codes, weights, len(self.classes_), self.fit_intercept)
        found = fewest_errors(problem, self.node_limit, self.time_limit, self.random_state)
        self.coef_, self.intercept_ = problem.scores(found.d)
        self.n_errors_, self.bound_ = found.cost, found.bound
        self.exact_ = found.bound == found.cost
        status, reason = "converged", ""
        if not self.exact_:
            status, reason = (
                "max_iter",
                (
                    f"a good answer, not proved: {found.cost:g} errors, and at least {found.bound:g} "
                    f"are unavoidable. Raise node_limit={self.node_limit}, or take fewer rows."
                ),
            )
        return self._record(
            status,
            reason,
            objective=found.cost / problem.total,
            certificate=(found.cost - found.bound) / problem.total,
            certificate_kind="gap_to_bound",
            n_iter=found.nodes,
        )
