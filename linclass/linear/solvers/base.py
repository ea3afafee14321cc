"""The interface of solvers: `solve(objective, start)` returns a `Solution`, a point with its certificate.

`choose_solver` says which solver solver="auto" runs, `require_minimizer` in compatibility.py whether a solver can
minimize a loss and a penalty, and starts.py where a search begins.

A solver reads no entry of X, only products with X, those of `DesignMatrix`; tests/test_architecture.py checks it.
"""

from __future__ import annotations

import copy
import time
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from math import log
from numbers import Real
from typing import Any, ClassVar

import numpy as np

from linclass.base.arrays import Array
from linclass.base.parameters import checks_of, require_whole
from linclass.base.parts import NamedPart
from linclass.linear.objective.certificate import certify, relative_gap
from linclass.linear.objective.coordinates import InUnits, centred
from linclass.linear.objective.objective import Objective, Point
from linclass.linear.penalties.base import Penalty
from linclass.linear.solvers.starts import SUBSET_ABOVE_ROWS, few_rows

UNPENALIZED_STEPS = 10  # for a subset without a penalty, which has no solution if it is separable

CERTIFICATES = {
    "duality_gap": "a relative duality gap",
    "gradient_cosine": "a largest gradient cosine",
    "training_mistakes": "a share of misclassified training rows",
}


@dataclass
class Solution:
    theta: Array
    objective: float
    certificate: float
    certificate_kind: str
    converged: bool
    n_iter: int
    rank: int | None = None  # of the Hessian, if it is singular
    slopes: Array | None = None  # the dual point of the certificate, if there is one
    alpha: Array | None = None  # dual variables, if they are not slopes times row weights
    scores: Array | None = None  # of the rows at theta, if they are known
    separates: bool = False  # the rows, before it converged: there is no optimum
    source: Point | None = None  # point of Newton's last Hessian, for a fit at a near strength
    optimum: Point | None = None  # point at theta with its Hessian, of an unpenalized Newton fit
    slow_passes: float = 0.0  # of conjugate gradients that took longer than Newton steps would
    extra: dict[str, Any] = field(default_factory=dict)  # fitted attributes of this solver alone

    @property
    def distance(self) -> str:
        """The certificate in words, for the reason of a fit that did not converge."""
        return f"{CERTIFICATES.get(self.certificate_kind, self.certificate_kind)} of {self.certificate:.1e}"

    @classmethod
    def at(cls, point: Point, certificate: float, tol: float, n_iter: int, **more: Any) -> Solution:
        """The solution at a point; it has converged if its certificate is at most `tol`."""
        kind = point.objective.certificate_kind
        done = certificate <= tol
        separates = not done and point.separates
        return cls(
            point.theta, point.value, certificate, kind, done, n_iter, separates=separates, **more
        )

    def point_of(self, objective: Objective) -> Point:
        """The point of an objective at theta; `optimum` if it is that point."""
        point = self.optimum
        return point if point and point.objective is objective else objective.at(self.theta)


class Trace:
    """Records passes, seconds, objective and gradient norm after every step; and `watched`, the value of `watch`."""

    def __init__(self, watch: Callable[[Point], float | None] | None = None) -> None:
        self.rows: list[dict[str, Any]] = []
        self.watch = watch
        self._original: tuple[Objective, Callable[[Array], Array]] | None = None
        self._start = time.perf_counter()

    def of(self, objective: Objective, back: Callable[[Array], Array]) -> Trace:
        """This trace, for a solver in other coordinates, which `back` transforms to those of the objective."""
        trace = copy.copy(self)
        trace._original = objective, back
        return trace

    def __call__(self, point: Point) -> None:
        if self._original is not None:
            objective, back = self._original
            point = objective.at(back(point.theta))
        seconds = time.perf_counter() - self._start
        begun = time.perf_counter()
        g, passes = point.steepest, point.objective.design.passes  # the next step needs ∇P as well
        row = {"passes": passes, "seconds": seconds, "objective": point.value}
        self.rows.append(row | {"gradient_norm": float((g * g).sum() ** 0.5)})
        if self.watch is not None:
            self.rows[-1]["watched"] = self.watch(point)
        self._start += time.perf_counter() - begun  # the time of recording does not count


@dataclass(frozen=True)
class Solver(NamedPart):
    """Minimizes an objective. `needs` and `takes` say which losses and penalties it can handle.

    Parameters
    ----------
    tol : float, default=1e-6
        Tolerance: the solver stops when its certificate is at most `tol`.
    max_iter : int or None, default=None
        Limit on the number of iterations: steps, passes or programs. None is the solver's `limit`.
    """

    tol: float = 1e-6
    max_iter: int | None = None

    # losses: a kind of losses.base.KINDS, or a flag of Loss such as "piecewise-linear", or two: "… or simplicial"
    needs: ClassVar[str] = "twice-smooth"
    convex_only: ClassVar[bool] = True  # else it finds stationary points of other losses, too
    limit: ClassVar[int] = 100
    takes: ClassVar[str] = "smooth"  # penalties: a key of compatibility.TAKES

    def solve(self, objective: Objective, start: Array, trace: Trace | None = None) -> Solution:
        raise NotImplementedError

    def start_from_subset(self, objective: Objective, start: Array, tol: float = 1e-3) -> Array:
        """A start from a fit to a subset of the rows, or the given one where that would not pay."""
        if objective.design.n_rows < SUBSET_ABOVE_ROWS:
            return start
        if (subset := few_rows(objective, start)) is None:
            return start
        limit = None if objective.strength else UNPENALIZED_STEPS
        fit = replace(self, tol=tol, max_iter=limit).solve(subset, start)
        return fit.theta if objective.strength or fit.converged else start

    def solve_near(self, objective: Objective, start: Array, before: Solution) -> Solution:
        """`solve` from a start near the solution; it may use `before`, the solution at a near strength."""
        return self.solve(objective, start)

    def path(
        self, objective: Objective, strengths: Iterable[float], start: Array
    ) -> list[Solution]:
        """A solution for each strength, in the order given, each started from the previous ones.

        Solutions change nearly in proportion to ln strength, so the start is extrapolated from the last two; under a
        penalty with a kink, a weight that would change its sign, or a group that would turn back, starts at 0.
        """
        return [*self.along_path(objective, strengths, start)]

    def along_path(
        self, objective: Objective, strengths: Iterable[float], start: Array
    ) -> Iterator[Solution]:
        """The solutions of `path`, one after another."""
        strengths, solutions = list(strengths), list[Solution]()
        current = objective
        for k, strength in enumerate(strengths):
            current = current.with_strength(strength)  # sharing what was computed of the rows
            if not k:
                solutions.append(self.solve(current, start))
                yield solutions[-1]
                continue
            last = solutions[-1]
            start = last.theta
            if k > 1:
                ahead = _ratio_of_steps(*strengths[k - 2 : k + 1])
                start = start + ahead * (start - solutions[-2].theta)
                if objective.kinked:
                    W, before = objective.weight_part(start), objective.weight_part(last.theta)
                    sizes = current.penalty.sizes
                    turned = sizes(W + before) <= sizes(W - before)
                    leaves = W[turned].any()
                    W[turned] = 0
                    # a start can be far off where large weights, or those of large features, are set to 0
                    if leaves and current.at(start).value > current.at(last.theta).value:
                        start = last.theta
            still = self._still_optimal(last, current, strength / strengths[k - 1])
            solutions.append(still or self.solve_near(current, start, last))
            last.source = None  # a path keeps one Hessian
            yield solutions[-1]

    def _still_optimal(self, last: Solution, weaker: Objective, ratio: float) -> Solution | None:
        """The last solution, if it solves the problem at `ratio` < 1 times its strength to `tol`, too. A solution
        without any loss solves the problems at all smaller strengths.

        Its dual point times the ratio, which is feasible because ℓ*(0) = 0 for a loss that vanishes, certifies it.
        """
        has_gap = weaker.loss.vanishes and weaker.certificate_kind == "duality_gap"
        if not (has_gap and ratio < 1 and last.converged and last.slopes is not None):
            return None
        point, slopes = weaker.at(last.theta), ratio * last.slopes
        gap = certify(point, slopes)
        alpha = None if last.alpha is None else ratio * last.alpha
        solution = Solution.at(
            point, gap, self.tol, 0, slopes=slopes, scores=last.scores, alpha=alpha
        )
        return solution if solution.converged else None

    def in_other_coordinates(
        self,
        other: InUnits,
        solve: Callable[[Objective, Array, Trace | None], Solution],
        objective: Objective,
        start: Array,
        trace: Trace | None,
    ) -> Solution:
        """The solution that `solve` finds of the same problem in other coordinates, in those of the objective.

        The scores of rows far from 0 have rounding errors there; what these add to P is added to a duality gap.
        """
        moved_trace = trace and trace.of(objective, other.units.move)
        solution = solve(other.objective, other.units.coordinates(start), moved_trace)
        solution.theta = other.units.move(solution.theta)
        if other.units.mean.any() and solution.certificate_kind == "duality_gap":
            point = objective.at(solution.theta)
            added = relative_gap(objective, point.value - solution.objective, point.value)
            certificate = solution.certificate + max(added, 0.0)
            solution.objective, solution.certificate = point.value, certificate
            solution.converged = solution.converged and certificate <= self.tol
        return solution

    @property
    def max_steps(self) -> int:
        """The limit on the number of iterations."""
        return self.limit if self.max_iter is None else self.max_iter

    def check(self) -> None:
        """Raise ValueError, with one sentence, if the options are invalid."""
        for name, plain, check in checks_of(type(self).__init__):
            if type(value := getattr(self, name)) not in plain:
                check(name, value)
        if self.max_iter is not None:
            require_whole("max_iter", self.max_iter, 1, or_none=True)
        if not (isinstance(self.tol, Real) and self.tol >= 0):
            raise ValueError(f"tol is {self.tol!r}; it must be a number, at least 0.")


SolverLike = str | Mapping[str, Any] | Solver  # a name, {name: options} or a solver
LearningRate = float | str | Mapping[str, float] | None  # a number, a rule's name or {name: number}


@dataclass(frozen=True)
class CentringSolver(Solver):
    """A solver that loses digits where rows are far from 0, and minimizes about their mean there."""

    def solve(self, objective: Objective, start: Array, trace: Trace | None = None) -> Solution:
        """The minimum: by `minimize` on the rows as they are, unless `centres_first`; and on the rows about their mean
        if they are far from 0, where the first search did not converge or its Hessian was singular, as both may be due
        to rounding errors. Of two searches that did not converge, that of the smaller certificate counts.
        """
        solution = None
        if not self.centres_first(objective):
            solution = self.minimize(objective, start, trace)
            if (solution.converged and solution.rank is None) or solution.separates:
                return solution
        if (about_mean := centred(objective)) is None:
            return solution or self.minimize(objective, start, trace)
        moved = self.in_other_coordinates(about_mean, self.minimize, objective, start, trace)
        if solution and not moved.converged and solution.certificate < moved.certificate:
            return solution
        return moved

    def centres_first(self, objective: Objective) -> bool:
        """Whether to centre the rows without a first search for the rows as they are."""
        return False

    def minimize(self, objective: Objective, start: Array, trace: Trace | None = None) -> Solution:
        """The minimum in the coordinates of the objective."""
        raise NotImplementedError


@dataclass(frozen=True)
class SolverByPasses(Solver):
    """A stochastic solver, whose state after a pass over some rows can be continued on others (`partial_fit`)."""

    def begin(self, objective: Objective, start: Array) -> Any:
        """The state before the first pass: θ, steps taken, means of iterates."""
        raise NotImplementedError

    def run_through(self, objective: Objective, state: Any) -> Any:
        """The state, changed by one pass over the rows in the order given."""
        raise NotImplementedError

    def estimate(self, objective: Objective, state: Any) -> Solution:
        """The solution after some passes, certified on the rows of the objective."""
        point = objective.at(state.mean.copy())
        return Solution.at(point, certify(point), self.tol, state.epoch)


def _ratio_of_steps(before: float, last: float, strength: float) -> float:
    """Ratio of the next step in ln strength to the last; at most 2, and 0 if it is undefined."""
    if not min(before, last, strength) or before == last:
        return 0.0
    return min(max(log(strength / last) / log(last / before), 0.0), 2.0)


# The choice of solver="auto".

AUTOMATIC = (  # solvers that `choose_solver` may name
    "augmented_lagrangian", "finite_newton", "least_squares", "linear_program", "multipliers", "newton", "newton_cg",
    "proximal_gradient", "proximal_newton", "quadratic_program", "quasi_newton", "semismooth_newton", "subgradient",
)  # fmt: skip
MAX_JOINT = 600  # weights of groups up to which their Hessian is formed


def choose_solver(objective: Objective) -> str:
    """The name of the solver that "auto" chooses for this objective.

    It depends on loss, penalty and shape of the rows only, so a study uses the same solvers on every machine.
    """
    loss, penalty, design = objective.loss, objective.penalty, objective.design
    width, one_score = design.width, len(objective.shape) == 1
    if not loss.convex:
        return "proximal_gradient" if penalty.kinked else "quasi_newton"
    if loss.kind != "twice-smooth":
        linear = loss.piecewise_linear and one_score
        if loss.piecewise_linear and is_l2(penalty):
            return "semismooth_newton"
        if loss.simplicial and is_l2(penalty):
            return "multipliers"
        if linear and is_l1_or_none(penalty):
            return "linear_program"
        nonsmooth = loss.kind == "convex" and (linear or loss.simplicial)
        return "augmented_lagrangian" if nonsmooth and is_sum_over_all(penalty) else "subgradient"
    if penalty.kinked:
        joint = objective.n_parameters // width * min(width, design.n_rows)
        if not (penalty.entrywise or (penalty.grouped and joint <= MAX_JOINT)):
            return "proximal_gradient"
        return "quadratic_program" if loss.quadratic and penalty.entrywise else "proximal_newton"
    if loss.quadratic:
        wide = design.n_rows < design.n_features and design.n_rows <= 6000
        if width <= 2000 or (wide and not objective.strength):
            return "least_squares"
    small = width <= 1000 or design.n_rows <= design.n_features
    if loss.piecewise_quadratic and one_score and is_l2(penalty) and small:
        return "finite_newton"
    dense = not design.is_sparse or design.n_rows * width <= 100_000
    return (
        "newton" if dense and objective.n_parameters <= (500 if one_score else 100) else "newton_cg"
    )


def is_l2(penalty: Penalty) -> bool:
    """L2, with factors above 0 of all features."""
    a_sum = penalty.uniform or penalty.entrywise
    return penalty.strongly_convex and a_sum and not penalty.kinked


def is_l1_or_none(penalty: Penalty) -> bool:
    l1 = penalty.entrywise and penalty.kinked and not np.any(penalty.curvature)
    return l1 or not penalty.binds


def is_sum_over_all(penalty: Penalty) -> bool:
    """A sum over all features."""
    return penalty.binds and penalty.entrywise and penalty.unpenalized is None
