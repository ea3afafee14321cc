"""The interface of solvers: `solve(objective, start)` returns a `Solution`, a point with its certificate.

`choose_solver` says which solver solver="auto" runs, `require_minimizer` whether a solver can minimize a loss and a
penalty. A solver reads no entry of X, only products with X, those of `DesignMatrix`; tests/test_architecture.py checks
it.
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

from linclass.base.arrays import EPS, Array
from linclass.base.design_matrix import DesignMatrix
from linclass.base.numerics import backtrack, solve_few
from linclass.base.parameters import checks_of, require_whole
from linclass.base.parts import NamedPart, find
from linclass.linear.losses.base import KINDS, Loss
from linclass.linear.objective.certificate import certify
from linclass.linear.objective.coordinates import InUnits, Units, centred
from linclass.linear.objective.objective import UNPENALIZED, Objective, Point
from linclass.linear.penalties.base import Penalty

SUBSET_ABOVE_ROWS = 20_000  # rows above which a fit to a subset pays
MAX_CLASSES_OF_SUBSET = 100  # whose rows are looked for in a subset
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
    source: Point | None = (
        None  # of Newton's last Hessian, which a fit at a near strength may use again
    )
    optimum: Point | None = (
        None  # the point at theta with its Hessian, of an unpenalized fit by Newton's method
    )
    # fitted attributes that only this solver has
    extra: dict[str, Any] = field(default_factory=dict)

    @property
    def distance(self) -> str:
        """How far from the optimum, in words, for the reason of a fit that did not converge."""
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
        """The point of an objective at theta, with all that is known of it."""
        known = self.optimum
        return known if known and known.objective is objective else objective.at(self.theta)


class Trace:
    """Records passes, seconds, objective and gradient norm after every step; and `watched`, the value of `watch`."""

    def __init__(self, watch: Callable[[Point], float | None] | None = None) -> None:
        self.rows: list[dict[str, Any]] = []
        self.watch = watch
        self._original: tuple[Objective, Callable[[Array], Array]] | None = None
        self._start = time.perf_counter()

    def of(self, objective: Objective, back: Callable[[Array], Array]) -> Trace:
        """The same trace for a solver that minimizes the objective in other coordinates; `back` leaves them."""
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

    # of the loss: a kind of losses.base.KINDS, or a flag of Loss such as "piecewise-linear", or two: "… or simplicial"
    needs: ClassVar[str] = "twice-smooth"
    convex_only: ClassVar[bool] = True  # else it finds stationary points of other losses, too
    limit: ClassVar[int] = 100
    takes: ClassVar[str] = "smooth"  # penalties: a key of TAKES

    def solve(self, objective: Objective, start: Array, trace: Trace | None = None) -> Solution:
        raise NotImplementedError

    def near(self, objective: Objective, start: Array, tol: float = 1e-3) -> Array:
        """A start from a fit to a subset of the rows, or the given one where that would not pay."""
        few = few_rows(objective, start)
        if few is None:
            return start
        limit = None if objective.strength else UNPENALIZED_STEPS
        near = replace(self, tol=tol, max_iter=limit).solve(few, start)
        return near.theta if objective.strength or near.converged else start

    def solve_near(self, objective: Objective, start: Array, before: Solution) -> Solution:
        """`solve` from a start near the solution, which may use what `before`, of a near strength, has left."""
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
        P = objective
        for k, strength in enumerate(strengths):
            P = P.with_strength(strength)  # with all that is known of the rows by now
            if not k:
                solutions.append(self.solve(P, start))
                yield solutions[-1]
                continue
            last = solutions[-1]
            start = last.theta
            if k > 1:
                ahead = _ratio_of_steps(*strengths[k - 2 : k + 1])
                start = start + ahead * (start - solutions[-2].theta)
                if objective.kinked:
                    W, before = objective.weight_part(start), objective.weight_part(last.theta)
                    sizes = P.penalty.sizes
                    W[sizes(W + before) <= sizes(W - before)] = 0
                # a start can be far off where a group with large weights is set to 0
                if P.penalty.grouped and P.at(start).value > P.at(last.theta).value:
                    start = last.theta
            still = self._still_optimal(last, P, strength / strengths[k - 1])
            solutions.append(still or self.solve_near(P, start, last))
            yield solutions[-1]

    def _still_optimal(self, last: Solution, weaker: Objective, ratio: float) -> Solution | None:
        """The last solution, if it solves the problem at `ratio` < 1 times its strength to `tol`, too: that of rows
        that it separates without any loss solves all of them.

        Its dual point times the ratio certifies it. That is feasible, because ℓ*(0) = 0 for a loss that vanishes.
        """
        has_gap = weaker.loss.vanishes and weaker.certificate_kind == "duality_gap"
        if not (has_gap and ratio < 1 and last.converged and last.slopes is not None):
            return None
        point, slopes = weaker.at(last.theta), ratio * last.slopes
        gap = certify(point, slopes)
        more = {"scores": last.scores, "alpha": None if last.alpha is None else ratio * last.alpha}
        found = Solution.at(point, gap, self.tol, 0, slopes=slopes, **more)
        return found if found.converged else None

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
LearningRate = (
    float | str | Mapping[str, float] | None
)  # a number, or a rule: its name, {name: number}


@dataclass(frozen=True)
class CentringSolver(Solver):
    """A solver that loses digits where rows are far from 0, and minimizes about their mean there."""

    def solve(self, objective: Objective, start: Array, trace: Trace | None = None) -> Solution:
        """The minimum about the mean, at once or if rounding errors may have ended the search."""
        if not self.centres_first(objective):
            solution = self.minimize(objective, start, trace)
            if (solution.converged and solution.rank is None) or solution.separates:
                return solution
            near = centred(objective)
            if near is None:
                return solution
        elif (near := centred(objective)) is None:
            return self.minimize(objective, start, trace)
        return in_other_coordinates(near, self.minimize, objective, start, trace)

    def centres_first(self, objective: Objective) -> bool:
        """Whether to centre the rows without trying as they are."""
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
        """One pass over the rows in the order given; changes the state."""
        raise NotImplementedError

    def estimate(self, objective: Objective, state: Any) -> Solution:
        """The solution after some passes, certified on the rows of the objective."""
        point = objective.at(state.mean.copy())
        return Solution.at(point, certify(point), self.tol, state.epoch)


def in_other_coordinates(
    other: InUnits,
    solve: Callable[[Objective, Array, Trace | None], Solution],
    objective: Objective,
    start: Array,
    trace: Trace | None,
) -> Solution:
    """The solution of the same problem in other coordinates, in those of the objective."""
    own = trace and trace.of(objective, other.units.move)
    solution = solve(other.objective, other.units.coordinates(start), own)
    solution.theta = other.units.move(solution.theta)
    return solution


def few_rows(
    objective: Objective, start: Array, part: int = 20, least: int = SUBSET_ABOVE_ROWS
) -> Objective | None:
    """The objective on n/part rows, at least 20 per feature; None if that would not pay.

    It is a mean over rows, so on one row of each k it has the same strength, its solution is a good start for all
    rows, and its Hessian a good preconditioner. Without a penalty it must be nearer, so more rows are taken; the subset
    may be separable, and has no solution then.
    """
    n, p = objective.design.n_rows, objective.n_parameters
    each, times = (20, 2) if objective.strength else (100, 10)
    rows = max(n // part, each * objective.design.width, 4 * p)
    if n < least or times * rows > n or np.any(start):
        return None
    return objective.take(spread_rows(objective.y, n // rows))


def spread_rows(y: Array, step: int) -> Array:
    """One row of each `step` in turn, and one of each class that would be missing.

    The places are drawn with a fixed seed: in rows whose classes alternate, every second one has the same class.
    """
    begins = np.arange(0, y.shape[-1] - step + 1, step)
    rows = begins + np.random.default_rng(0).integers(step, size=len(begins))
    if y.ndim > 1 or y.dtype.names is not None:
        return rows
    known = np.unique(y[rows])
    if len(known) > MAX_CLASSES_OF_SUBSET:  # or y is a number to predict
        return rows
    others = np.flatnonzero(~np.isin(y, known))
    return np.concatenate([rows, others[np.unique(y[others], return_index=True)[1]]])


def _ratio_of_steps(before: float, last: float, strength: float) -> float:
    """Ratio of the next step in ln strength to the last; at most 2, and 0 if it is undefined."""
    if not min(before, last, strength) or before == last:
        return 0.0
    return min(max(log(strength / last) / log(last / before), 0.0), 2.0)


# Which solver solver="auto" chooses, and which losses and penalties a solver can minimize.

AUTOMATIC = (  # solvers that `choose_solver` may name
    "augmented_lagrangian", "finite_newton", "least_squares", "linear_program", "multipliers", "newton", "newton_cg",
    "proximal_gradient", "proximal_newton", "quadratic_program", "quasi_newton", "semismooth_newton", "subgradient",
)  # fmt: skip
MAX_JOINT = 600  # weights of groups up to which their Hessian is formed


def choose_solver(P: Objective) -> str:
    """The name of the solver that "auto" chooses for this objective.

    It depends on loss, penalty and shape of the rows only, so a study uses the same solvers on every machine.
    """
    loss, design, width = P.loss, P.design, P.design.width
    one_score = len(P.shape) == 1
    if not loss.convex:
        return "proximal_gradient" if P.kinked else "quasi_newton"
    if loss.kind != "twice-smooth":
        linear = loss.piecewise_linear and one_score
        if loss.piecewise_linear and is_l2(P.penalty):
            return "semismooth_newton"
        if loss.simplicial and is_l2(P.penalty):
            return "multipliers"
        if linear and is_l1_or_none(P.penalty):
            return "linear_program"
        nonsmooth = loss.kind == "convex" and (linear or loss.simplicial)
        return "augmented_lagrangian" if nonsmooth and is_sum_over_all(P.penalty) else "subgradient"
    if P.kinked:
        joint = P.n_parameters // width * min(width, design.n_rows)
        if not (P.entrywise or (P.penalty.grouped and joint <= MAX_JOINT)):
            return "proximal_gradient"
        return "quadratic_program" if loss.quadratic and P.entrywise else "proximal_newton"
    if loss.quadratic:
        few_rows = design.n_rows < design.n_features and design.n_rows <= 6000
        if width <= 2000 or (few_rows and not P.strength):
            return "least_squares"
    small = width <= 1000 or design.n_rows <= design.n_features
    if loss.piecewise_quadratic and one_score and is_l2(P.penalty) and small:
        return "finite_newton"
    dense = not design.is_sparse or design.n_rows * width <= 100_000
    return "newton" if dense and P.n_parameters <= (500 if one_score else 100) else "newton_cg"


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


# Solver.takes → (whether it handles a penalty, the error message if not)
TAKES: dict[str, tuple[Callable[[Penalty], bool], str]] = {
    "none": (lambda penalty: not penalty.binds, "supports no penalty. Use penalty=None."),
    "smooth": (lambda penalty: not penalty.kinked, "needs a smooth penalty; {} has a kink at 0."),
    "l2": (is_l2, "needs penalty='l2', its strength and any factors above 0; {} is another."),
    "bare kink": (
        lambda penalty: penalty.kinked and penalty.uniform and not penalty.strongly_convex,
        "needs l1 alone, without factors, whose path is piecewise linear; {} is another.",
    ),
    "l1 or none": (is_l1_or_none, "needs l1 or no penalty; {} is another."),
    "entrywise": (
        lambda penalty: penalty.entrywise,
        "needs a penalty that is a sum over features; {} is not.",
    ),
    "entrywise or grouped": (
        lambda penalty: penalty.entrywise or penalty.grouped,
        "needs a penalty that is a sum over features or groups of them; {} is not.",
    ),
    "every feature": (
        is_sum_over_all,
        "needs a penalty that is a sum over all features, its strength and factors above 0; {} is not.",
    ),
    "any": (lambda penalty: True, ""),
}


def takes_penalty(solver: Solver | type[Solver], penalty: Penalty) -> bool:
    return TAKES[solver.takes][0](penalty)


def mismatch(solver: Solver, loss: Loss | type[Loss]) -> str | None:
    """Why the solver cannot minimize this loss, in one sentence; None if it can."""
    name, needs = solver.name, solver.needs
    if not loss.convex and solver.convex_only:
        return f"{name} needs a convex loss; {loss.name} is not. Try solver='auto'."
    if needs in KINDS:
        able, kind = KINDS.index(loss.kind) >= KINDS.index(needs), f"only {loss.kind}"
    else:
        able = any(getattr(loss, flag.replace("-", "_")) for flag in needs.split(" or "))
        kind = "not"
    if able:
        return None
    return f"{name} needs a {in_words(needs)} loss; {loss.name} is {kind}. Try solver='auto'."


def in_words(needs: str) -> str:
    """`Solver.needs` for users."""
    words = needs.replace("-linear", " linear").replace("-quadratic", " quadratic")
    return words.replace("simplicial", "Crammer–Singer")


def able_solver(loss: Loss, penalty: Penalty, strength: float) -> str | None:
    """The solver that "auto" chooses for a small problem, if it can minimize this loss and penalty."""
    row = DesignMatrix(np.ones((1, 1)))
    small = Objective(row, loss, np.ones(1, int), None, penalty, strength)
    solver = find("solvers", choose_solver(small))
    able = takes_penalty(solver, small.penalty) and mismatch(solver, loss) is None
    return str(solver.name) if able else None


def require_minimizer(solver: Solver, loss: Loss, penalty: Penalty, strength: float) -> None:
    """Raise ValueError, with one sentence, unless the solver minimizes this loss and penalty."""
    if (complaint := mismatch(solver, loss)) is not None:
        raise ValueError(complaint)
    in_force = penalty if strength > 0 else UNPENALIZED
    if not takes_penalty(solver, in_force):
        complaint = TAKES[solver.takes][1].format(in_force.name)
        able = able_solver(loss, penalty, strength)
        remedy = f" Try solver={able!r}." if able and solver.takes != "none" else ""
        raise ValueError(f"{solver.name} {complaint}{remedy}")


# W = 0 with the best intercept:  Σ_i w_i ∂ℓ_i/∂z = 0.  It is the minimum if no slope exceeds the kink,
# |Σ_i w_i (∂ℓ_i/∂z) x_ij| ≤ strength·kink_j for all j,  and otherwise the starting point: a step that still has to find
# the intercept moves weights that should be 0.

KINK_ROUNDING = 1e-12  # of the kink, by which slopes may exceed it
MAX_STEPS = 100
STRAIGHT_SLOPE = 1e-9  # slope of a mean of piecewise quadratic losses that Newton's method left on a straight piece
MAX_INTERCEPT = 2.0**60


def start_of_weights(objective: Objective, start: Array) -> Point:
    """The start, or the best intercept if there is a kink and the start has no weights."""
    free = objective.design.intercept and objective.loss.kind == "twice-smooth"
    if not objective.kinked or not free or objective.weight_part(start).any():
        return objective.at(start)
    return best_intercept(objective)


def best_intercept(objective: Objective) -> Point:
    """By Newton's method, until the derivative is 0 up to rounding; by bisection, where the loss is straight."""
    n, w, loss = objective.design.n_rows, objective.weights, objective.loss

    def at(b: Array) -> Point:
        theta = objective.zero()
        theta[..., -1] = b
        return Point(objective, theta, np.repeat(b[..., None], n, axis=-1))

    def along(b: Array, step: Array) -> Callable[[float], Point]:
        return lambda t: at(b + t * step)

    b, known = np.zeros(objective.shape[:-1]), None
    if not b.ndim and objective.y.dtype == float and abs(mean := float(w @ objective.y)) < 1:
        known = loss.normal_fit(mean, 0.0)  # of rows that explain nothing
    b = b if known is None else b + known[1]
    point, left = at(b), np.inf
    for _ in range(MAX_STEPS):
        g = point.slopes @ w
        if not EPS < np.abs(g).max() < left:
            break
        left = np.abs(g).max()
        H = loss.hessian(np.ones((n, 1)), w, point.curvatures)
        step = -solve_few(H, np.atleast_1d(g)).reshape(b.shape)
        point, t = backtrack(point, along(b, step), float(np.vdot(g, step)))
        b = b + t * step
    if loss.piecewise_quadratic and np.abs(point.slopes @ w).max() > STRAIGHT_SLOPE:
        if b.ndim:
            return by_damped_steps(point, at)
        ends = bisected(lambda b: float(at(np.asarray(b)).slopes @ w))
        point = at(np.asarray(sum(ends) / 2))
    return point


def by_damped_steps(point: Point, at: Callable[[Array], Point]) -> Point:
    """The best intercepts of K scores by steps −(H + |g|)⁻¹g, which are at most 1 where the loss is straight."""
    objective = point.objective
    w, ones = objective.weights, np.ones((len(objective.weights), 1))
    for _ in range(MAX_STEPS):
        g, b = point.slopes @ w, point.theta[:, -1]
        if (size := float(np.linalg.norm(g))) <= STRAIGHT_SLOPE:
            break
        H = objective.loss.hessian(ones.copy(), w, point.curvatures)
        step = -np.linalg.solve(H + size * np.eye(len(b)), g)

        def along(t: float, b: Array = b, step: Array = step) -> Point:
            return at(b + t * step)

        point, _ = backtrack(point, along, float(g @ step))
    return point


def bisected(derivative: Callable[[float], float], high: float = 1.0) -> tuple[float, float]:
    """Ends, but for rounding, around a zero of an increasing function that may be constant far from it; they begin at
    ±high, and further out if both have one sign.
    """
    while derivative(high) * derivative(-high) > 0 and high < MAX_INTERCEPT:
        high *= 2
    low = -high
    for _ in range(MAX_STEPS):
        b = (low + high) / 2
        low, high = (b, high) if derivative(b) < 0 else (low, b)
    return low, high


def by_bisection(objective: Objective) -> Point:
    """The same for one score of a loss with kinks, by bisection between −max|y| and max|y|; or 0."""
    loss, y, w, n = objective.loss, objective.y, objective.weights, objective.design.n_rows
    theta, high = objective.zero(), float(np.abs(y).max()) or 1.0
    if not objective.design.intercept:
        return objective.at(theta)
    ends = bisected(lambda b: float(w @ loss.slopes(y, np.full(n, b))), high)
    theta[-1] = min(ends, key=lambda b: float(w @ loss.values(y, np.full(n, b))))
    return objective.at(theta)


def is_minimum(point: Point, units: Units) -> bool:
    """Whether the point has no weights, the best intercept, and no slope that exceeds the kink."""
    objective = point.objective
    if not objective.kinked or objective.weight_part(point.theta).any():
        return False
    if objective.design.intercept and np.abs(point.gradient[..., -1]).max() > STRAIGHT_SLOPE:
        return False
    return bool((np.abs(units.excess(point)) <= KINK_ROUNDING * objective.kink).all())
