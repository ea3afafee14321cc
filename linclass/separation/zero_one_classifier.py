"""The linear classifier with the fewest training errors:  min over (W, b) of Σ w_i [x_i misclassified].

Other losses are convex surrogates of this one, whose minimization is NP-hard: exact answers, by
enumeration or by hitting sets of conflicts, are for small problems. `bound_` is a lower bound on the
errors of every linear classifier. If `n_errors_` equals it, the fit is optimal and `converged`.
Otherwise the best solution of a local search is kept, the status is `max_iter`, and `reason_` states
the bound. Several hyperplanes have the same errors. Which one is found may differ between sparse and dense rows, whose
products are rounded differently.

Predicts: scores, linear in x.
Cost: exponential in d at worst (NP-hard): O(n C(n, d − 1)) by enumeration; integer programs up to `node_limit`,
    then a local search.
Certificate: gap to bound.
Reference: Nguyen & Sanner (2013), Algorithms for direct 0–1 loss optimization in binary classification. ICML.
"""

from __future__ import annotations

from numbers import Real
from typing import Self

from linclass.base.arrays import ArrayLike, ClassWeight, MatrixLike, Seed
from linclass.base.linear_scores import LinearGeometry, LinearScores
from linclass.base.parameters import require_whole
from linclass.separation.zero_one_problem import ZeroOneProblem
from linclass.separation.zero_one_search import fewest_errors


class ZeroOneClassifier(LinearGeometry, LinearScores):
    """Parameters
    ----------
    node_limit : int, default=30
        Limit on the nodes of the linear and integer programs, the same on every machine. 0 skips the
        certificate of optimality.
    time_limit : float or None, default=None
        Limit on the time for the certificate, in seconds. With a limit the result depends on the machine.
        None is no limit.
    random_state : int, numpy.random.Generator or None, default=0
        Seed of the starting points of the local search. None draws a new one for each fit.

    Attributes
    ----------
    coef_ : array of shape (1, d) for two classes, (K, d) for more
        Weights W.
    intercept_
    n_errors_ : float
        Number (sum of weights) of the training rows on the wrong side or on the boundary.
    bound_ : float
        Lower bound on that number, for every linear classifier, numerically certified: conflicts among
        rows are proved, but cells and integer programs are examined in floating point.
    exact_ : bool
        Whether the two are equal, so that no linear classifier has fewer errors.
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
        random_state: Seed = 0,
        class_weight: ClassWeight = None,
    ):
        self.node_limit = node_limit
        self.time_limit = time_limit
        self.fit_intercept = fit_intercept
        self.random_state = random_state
        self.class_weight = class_weight

    def check(self) -> None:
        super().check()
        require_whole("node_limit", self.node_limit)
        limit = self.time_limit
        if limit is not None and not (isinstance(limit, Real) and limit > 0):
            raise ValueError(f"time_limit is {limit!r}; it must be seconds above 0, or None.")

    def fit(self, X: MatrixLike, y: ArrayLike, sample_weight: ArrayLike | None = None) -> Self:
        X, codes, weights = self._start_fit(X, y, sample_weight)
        problem = ZeroOneProblem(X, codes, weights, len(self.classes_), self.fit_intercept)
        found = fewest_errors(problem, self.node_limit, self.time_limit, self.random_state)
        self.coef_, self.intercept_ = problem.scores(found.d)
        cost = problem.cost_of_scores(self.coef_, self.intercept_)  # of rounded scores
        found = found._replace(cost=cost)
        self.n_errors_, self.bound_ = found.cost, found.bound
        self.exact_ = found.bound == found.cost
        status, reason = "converged", ""
        if not self.exact_:
            status = "max_iter"
            reason = (
                f"not certified as optimal: {found.cost:g} errors, and at least {found.bound:g} "
                f"are unavoidable. Raise node_limit={self.node_limit}, or take fewer rows."
            )
        return self._record(
            status,
            reason,
            objective=found.cost / problem.total,
            certificate=(found.cost - found.bound) / problem.total,
            certificate_kind="gap_to_bound",
            n_iter=found.nodes,
        )
