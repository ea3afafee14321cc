"""The method of multipliers, for piecewise linear losses:

    round:   θ ← argmin (1/Σw) Σ w_i ψ_i(z_i) + strength·penalty(W),   s⁰ ← ψ′(z),   reach ← 3·reach

with the envelopes ψ_i of the loss around slopes s⁰ (`Envelope`), which are smooth. If s⁰ are the optimal slopes, the
minimum is that of the objective, whatever the reach; for others the slopes at the minimum are better ones, the more so
the larger the reach. The stopping test is the duality gap of the slopes.   Rockafellar (1976), Math. Oper. Res. 1
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import partial
from typing import ClassVar

import numpy as np

from linclass.base.arrays import Array, by_blocks, once
from linclass.base.documentation import documented
from linclass.linear.losses.wrapped import Envelope
from linclass.linear.objective.certificate import certify, relative_gap
from linclass.linear.objective.objective import Objective, Point
from linclass.linear.solvers.base import Solution, Solver, Trace
from linclass.linear.solvers.block_pivoting import Best
from linclass.linear.solvers.finite_newton import (
    MAX_HESSIAN_WIDTH,
    NewtonSystem,
    SolverAfterReductions,
    least_squares_start,
    minimize,
    newton_system,
)
from linclass.linear.solvers.proximal_newton import ProximalNewton
from linclass.linear.solvers.starts import by_bisection

STEP_GROWTH = 3.0  # of the reach, from round to round
EASY_STEPS = 20  # of a round, above which the next has the same reach
PATIENCE = 5  # rounds without a better certificate: limited by rounding
MAX_ROUNDS = 30
ROUNDED_CERTIFICATE = 1e-9  # from which rounding errors, not the reach, may be what is left


def method_of_multipliers(
    one_round: Callable[[Point, Array, float, float, int], tuple[Point, Array, int]],
    judge: Callable[[Point, Array], float],
    point: Point,
    slopes: Array,
    reach: float,
    tol: float,
    max_steps: int,
    n_iter: int = 0,
    growth: float = STEP_GROWTH,
    trace: Callable[[Point], None] | None = None,
) -> Best:
    """Rounds  (θ, s) ← one_round(θ, s, reach, certificate, steps left)  until the certificate is at most `tol`.

    A round minimizes the envelopes around the slopes s, and gives the slopes of the envelopes at its minimum, and the
    number of its steps. After it the reach grows, unless the round was hard; a smaller reach has less of the rounding
    errors that limit the last digits.   Rockafellar (1976), Math. Oper. Res. 1
    """
    worse, best = 0, Best(point, slopes, np.inf, n_iter)
    for _ in range(MAX_ROUNDS):
        if n_iter >= max_steps or best.certificate <= tol or worse >= PATIENCE:
            break
        point, slopes, steps = one_round(point, slopes, reach, best.certificate, max_steps - n_iter)
        n_iter += steps
        if trace:
            trace(point)
        certificate = judge(point, slopes)
        worse = 0 if certificate < best.certificate else worse + 1
        if not worse:
            best = Best(point, slopes, certificate, n_iter)
        if worse and best.certificate <= ROUNDED_CERTIFICATE:
            reach /= growth
        elif steps <= EASY_STEPS:
            reach *= growth
    return best._replace(n_iter=n_iter)


REACH_FROM_START = 5.0  # reach of the first round from a start, in units of the loss,
REACH_FROM_ZERO, REACH_OF_WIDE_ROWS = 0.5, 0.25  # from zero, and with fewer rows than features
ROUND_SHARE = 0.01  # share of the certificate, to which a round is solved


@documented
@dataclass(frozen=True)
class AugmentedLagrangian(Solver):
    """Augmented Lagrangian, for a piecewise linear loss and a penalty that is a sum over all features.

    Proximal Newton minimizes a round, from the weights of the last. The first is around slopes near 0, since around
    others the envelopes of separable rows fall far below 0. The doubly regularized support vector machine is the hinge
    with an elastic net. Of K scores, slopes lie in a simplex (Crammer and Singer).
    Wang, Zhu & Zou (2006), Statistica Sinica 16
    """

    needs: ClassVar[str] = "piecewise-linear or simplicial"
    takes: ClassVar[str] = "every feature"
    limit: ClassVar[int] = 2000  # Newton steps in all

    def solve(self, objective: Objective, start: Array, trace: Trace | None = None) -> Solution:
        loss, y = objective.loss, objective.y
        if len(objective.shape) == 1:
            alone = by_bisection(objective)
            if (certificate := certify(alone)) <= self.tol:
                if trace:
                    trace(alone)
                return Solution.at(alone, certificate, self.tol, 0, slopes=alone.slopes)
        wide = objective.design.n_rows < objective.design.n_features
        reach = (
            REACH_FROM_START if np.any(start) else REACH_OF_WIDE_ROWS if wide else REACH_FROM_ZERO
        ) / loss.scale(y)
        point = objective.at(start)
        slopes = loss.nearest_slopes(y, reach * point.scores, reach)[0]

        def one_round(
            point: Point, slopes: Array, reach: float, certificate: float, left: int
        ) -> tuple[Point, Array, int]:
            smooth = objective.envelope(slopes, reach)
            enough = ROUND_SHARE * max(self.tol, min(certificate, ROUND_SHARE))
            found = ProximalNewton(enough, left).solve(smooth, point.theta)
            point = objective.at(found.theta)
            last = found.slopes  # of its last model, nearer to those of the minimum
            slopes = smooth.loss.slopes(smooth.y, point.scores) if last is None else last
            return point, slopes, max(1, found.n_iter)

        point, slopes, certificate, n_iter = method_of_multipliers(
            one_round, certify, point, slopes, reach, self.tol, self.max_steps, trace=trace
        )
        return Solution.at(point, certificate, self.tol, n_iter, slopes=slopes, scores=point.scores)


# Most rows are far from a kink of their envelope. A row whose slope stays s⁰ contributes a constant gradient, so such
# rows N can be left out: the round minimizes the envelopes of the other rows plus  ⟨g, θ⟩,  g = Σ_N w_i s⁰_i [x_i 1].


class Augmented(Objective):
    """The envelopes of `rows`, around their slopes; all other rows keep their slopes."""

    def __init__(self, objective: Objective, slopes: Array, reach: float, rows: Array):
        vars(self).update(vars(objective))
        vars(self).pop("column_norms", None)
        vars(self).pop("column_means", None)
        self.design = objective.design.restricted(rows)
        self.y, self.weights = objective.y[rows], objective.weights[rows]
        self.moreau, self.reach = Envelope(self.loss, reach), reach
        self.centre, self.score = slopes[rows], objective.loss.scale(objective.y)
        self.constant_gradient: Array | float = 0.0  # g
        if len(rows) < len(slopes):
            push = objective.weights * slopes
            push[rows] = 0
            self.constant_gradient = objective.design.pull(push)

    def start(self, point: Point) -> Point:
        """The point here that corresponds to one of the objective."""
        if self.design is point.objective.design:
            return AugmentedPoint(self, point.theta, point.scores)
        return self.at(point.theta)

    def end(self, point: Point, objective: Objective) -> Point:
        """The point of the objective that corresponds to one here."""
        if self.design is objective.design:
            return Point(objective, point.theta, point.scores)
        return objective.at(point.theta)

    def at(self, theta: Array) -> Point:
        return AugmentedPoint(self, theta, self.design.scores(theta))

    def is_settled(self, old: Point, new: Point, exact: bool) -> bool:
        """Whether a step may end the round: its slopes are off by no more than they have changed, or by rounding alone.
        So may a step without curvature if rows are left out: without those, the round can be unbounded.

        The dual of a round has curvature 1/reach, and its gap is at most ‖∇‖²/(2·strength) for the weights. The
        intercept has no strength: its gradient times a score is what balanced slopes lose.
        """
        adrift = not (old.curvatures.any() or new.curvatures.any())
        if exact or (adrift and np.any(self.constant_gradient)):
            return True
        moved = float(((new.slopes - self.centre) ** 2 @ self.weights).sum())
        size = float(np.vdot(new.gradient, new.gradient))
        push = float(np.abs(new.gradient[..., self.design.n_features :]).sum())
        if max(push * self.score * self.reach, size * self.reach / self.strength) <= moved:
            return True
        return new.value >= old.value and size >= float(np.vdot(old.gradient, old.gradient))


class AugmentedPoint(Point):
    """A point whose losses include  ⟨g, θ⟩  of the rows that are left out."""

    objective: Augmented

    def __init__(self, objective: Augmented, theta: Array, scores: Array):
        """The point without its values, which a line search does not always need."""
        self.objective, self.theta, self.scores = objective, theta, scores
        self.slopes, self.curvatures = by_blocks(
            objective.moreau.derivatives, objective.y, objective.centre, scores
        )

    @once
    def loss_value(self) -> float:
        P = self.objective
        values = P.moreau.values_of_slopes(P.y, P.centre, self.scores, self.slopes)
        return float(P.weights @ values) + float((P.constant_gradient * self.theta).sum())

    @once
    def loss_gradient(self) -> Array:
        return super().loss_gradient + self.objective.constant_gradient


# reach of the first round with an L2 penalty, from zero and from least squares
L2_REACH_FROM_ZERO, REACH_FROM_LEAST_SQUARES = 2.0, 0.5
BAND = 4.0  # rows take part whose slope would change if slope + reach·score were off by this
ALL_ROWS_UP_TO = 500  # rows up to which all take part, as they do if copies cost memory
MISSED_SHARE = 0.02  # share of other rows that may move before a round continues with them


@documented
@dataclass(frozen=True)
class SemismoothNewton(SolverAfterReductions):
    """Semismooth Newton on the augmented Lagrangian, for piecewise linear losses with an L2 penalty.

    Newton's method minimizes a round over the rows whose slope may change, which are few near the end; if other slopes
    would change, their rows are added and the round continues. If K = XXᵀ is small, block pivoting comes first, and
    usually solves the problem.   Li, Sun & Toh (2018), SIAM J. Optim. 28
    """

    needs: ClassVar[str] = "piecewise-linear"
    takes: ClassVar[str] = "l2"
    limit: ClassVar[int] = 1000  # Newton steps in all

    def solve_near(self, objective: Objective, start: Array, before: Solution) -> Solution:
        return FromSlopes(self.tol, self.max_iter, before).solve(objective, start)

    def descend(
        self, objective: Objective, start: Array, trace: Trace | None, n_iter: int
    ) -> Solution:
        loss, y = objective.loss, objective.y
        known = bool(np.any(start))
        rough = None if known else least_squares_start(objective)
        reach = (
            REACH_FROM_START
            if known
            else L2_REACH_FROM_ZERO
            if rough is None
            else REACH_FROM_LEAST_SQUARES
        ) / loss.scale(y)
        point = objective.at(start if rough is None else rough)
        slopes = loss.nearest_slopes(y, loss.middle(y) + reach * point.scores, reach)[0]
        return self.by_rounds(point, slopes, reach, known, self.max_steps, n_iter, trace)

    def by_rounds(
        self,
        point: Point,
        slopes: Array,
        reach: float,
        known: bool,
        most: int,
        n_iter: int = 0,
        trace: Trace | None = None,
    ) -> Solution:
        rounds = one_round if known else partial(one_round, first_band=np.inf)
        point, slopes, certificate, n_iter = method_of_multipliers(
            rounds, certify, point, slopes, reach, self.tol, most, n_iter, trace=trace
        )
        point = point.objective.at(point.theta)  # whose scores are not sums of steps
        certificate = certify(point, slopes)
        return Solution.at(point, certificate, self.tol, n_iter, slopes=slopes, scores=point.scores)


# A path of strengths goes on from the slopes s⁰ of the last one. A guess of the rows F at a kink k_i lets their slopes
# vary, and one system of equations gives the exact minimum, and its dual point, of
#
#     s_i = s⁰_i + reach·(z_i − k_i)  for i in F,   s_i = s⁰_i  elsewhere.
#
# Then slopes return to their intervals, and become s⁰. A short prox lets rows of wrong slopes enter F before they pass
# to the other end. This is the method of multipliers with one Newton step for each update.

NEAR_REACH, GUESSES = 2.0, 40  # first reach, in units of the loss, and guesses
REACH_RATIO = 1.6  # by which the reach grows as long as certificates fall, and shrinks if they rise
ENTRY_REACH = 0.1  # share of the reach for which a single row would converge at once, and in units of the loss at most
# ratio of certificates beyond which the best guess is taken up again, with a reach so much smaller
ASTRAY, BACK = 30.0, 5.0
# the same by rounds, where equations are not solved exactly: the reach, and Newton steps
ROUND_REACH, NEAR_STEPS = 1.0, 200


@dataclass(frozen=True)
class FromSlopes(SemismoothNewton):
    """Semismooth Newton from the solution at a near strength, which has nearly the same rows at a kink."""

    before: Solution | None = None

    def minimize(self, objective: Objective, start: Array, trace: Trace | None = None) -> Solution:
        """The solution from the slopes before; if that fails, the one without them."""
        by_steps = objective.design.is_kernel
        near = (self.solve_by_steps if by_steps else super().minimize)(objective, start, trace)
        if near.converged or near.n_iter >= self.max_steps:
            return near
        alone = SemismoothNewton(self.tol, self.max_steps - near.n_iter)
        solution = alone.minimize(objective, objective.zero(), trace)
        best = min(near, solution, key=lambda found: found.certificate)
        return replace(best, n_iter=near.n_iter + solution.n_iter)

    def descend(
        self, objective: Objective, start: Array, trace: Trace | None, n_iter: int
    ) -> Solution:
        slopes = None if self.before is None else self.before.slopes
        if slopes is None or slopes.shape != objective.y.shape:  # of other rows
            return super().descend(objective, start, trace, n_iter)
        point, most = objective.at(start), self.max_steps
        if (system := newton_system(objective)).exact:
            end = min(n_iter + GUESSES, most)
            return self.follow_kinks(point, slopes, system, n_iter, end, trace)
        reach, end = ROUND_REACH / objective.loss.scale(objective.y), min(n_iter + NEAR_STEPS, most)
        return self.by_rounds(point, slopes, reach, True, end, n_iter, trace)

    def follow_kinks(
        self,
        point: Point,
        s: Array,
        system: NewtonSystem,
        n_iter: int,
        most: int,
        trace: Trace | None,
    ) -> Solution:
        """The best of the guesses from a point and slopes s, which are the multipliers.

        A guess, with a prox step c_i for each row (`entry`) and one for all (`reach`, ρ):

            s, F ← prox of c_i ℓ* at s_i + c_i z_i, and the rows where it is not constant;  s_i += ρ (z_i − k_i) on F
            (λI + ρ Σ_F w_i x_i x_iᵀ) Δ = −∇P,   ∇P = Xᵀ(w s) + λW
            θ += Δ,   s_i ← s_i + ρ x_i·Δ on F, projected to [slopes of ℓ]

        ρ grows while the gap falls and shrinks when it rises. Far above the least gap, the guess that had it is taken
        up again, with a smaller ρ.
        """
        P, nearest, y = point.objective, point.objective.loss.nearest_slopes, point.objective.y
        scale = P.loss.scale(y)
        rise = P.weights * P.design.squared_row_norms() / P.strength  # of z_i as s_i falls by 1
        entry, reach, last = ENTRY_REACH / np.maximum(rise, scale), NEAR_REACH / scale, np.inf
        best = Best(point, s, np.inf, n_iter)
        while n_iter < most and best.certificate > self.tol:
            n_iter, v = n_iter + 1, s + entry * point.scores
            s, F = nearest(y, v, entry)
            s = np.where(F, s + reach * (point.scores - (v - s) / entry), s)
            g = P.design.pull(P.weights * s)
            P.weight_part(g)[...] += P.strength * P.weight_part(point.theta)
            guess = Point(P, point.theta, point.scores, (point.values, s, reach * F), gradient=g)
            step, along = system.step(guess)
            point = Point(P, point.theta + step, point.scores + along)
            exact = np.where(F, s + reach * along, s)
            s = nearest(y, exact, 0.0)[0]
            if trace:
                trace(point)
            certificate = near_gap(point, s, exact)
            if certificate <= self.tol:
                point = P.at(point.theta)  # whose scores are not sums of steps
                certificate = certify(point, s)
            if certificate < best.certificate:
                best = Best(point, s, certificate, n_iter)
            if certificate > ASTRAY * best.certificate:
                point, s, reach, last = best.point, best.slopes, reach / BACK, np.inf
            else:
                reach *= REACH_RATIO if certificate < last else 1 / REACH_RATIO
                last = certificate
        point, s, certificate, _ = best
        if certificate > self.tol:  # which `near_gap` may have estimated too low
            point = P.at(point.theta)
            certificate = certify(point, s)
        return Solution.at(point, certificate, self.tol, n_iter, slopes=s, scores=point.scores)


def near_gap(point: Point, s: Array, exact: Array) -> float:
    """About the relative gap for slopes s near exact ones, with which the gradient is 0."""
    P = point.objective
    gap = float(P.weights @ (point.values + P.loss.conjugates(P.y, s) - s * point.scores))
    if (off := s - exact).any():
        r = P.design.pull(P.weights * off)
        gap += P.strength * P.penalty.value(P.weight_part(r) / P.strength)
        gap += float(np.abs(r[P.design.n_features :]).sum())  # of a score of 1
    return relative_gap(P, gap, point.value)


def one_round(
    point: Point,
    slopes: Array,
    reach: float,
    certificate: float,
    max_iter: int,
    first_band: float = BAND,
) -> tuple[Point, Array, int]:
    """θ ← argmin (1/Σw) Σ w_i ψ_i(z_i) + λ·½‖W‖²,  ψ_i the envelope of ℓ_i around s_i;  s ← ψ′(z):  the point, its
    slopes and the number of Newton steps.

    Row i takes part if its slope would change for some score within `band`/reach of z_i; the slopes of the others are
    constants. At the minimum over those, rows that should have moved join, unless their gradient ‖X_Nᵀ(w Δs)‖ is small.
    In the first round, whose certificate is not known, the band is `first_band`.
    """
    objective = point.objective
    design, y, nearest = objective.design, objective.y, objective.loss.nearest_slopes
    band = first_band if certificate == np.inf else BAND
    if design.is_kernel or design.n_rows <= ALL_ROWS_UP_TO or design.width > MAX_HESSIAN_WIDTH:
        band = np.inf
    v = slopes + reach * point.scores
    taking_part = nearest(y, v - band, reach)[0] != nearest(y, v + band, reach)[0]
    if not taking_part.any():
        taking_part[:] = True
    n_iter = 0
    while True:
        smooth = Augmented(objective, slopes, reach, np.flatnonzero(taking_part))
        inner = smooth.start(point)
        inner, steps = minimize(inner, newton_system(smooth), smooth.is_settled, max_iter - n_iter)
        n_iter += steps
        point = smooth.end(inner, objective)
        new = nearest(y, slopes + reach * point.scores, reach)[0]  # of the envelopes
        missed = (new != slopes) & ~taking_part
        few = np.count_nonzero(missed) <= MISSED_SHARE * np.count_nonzero(taking_part)
        if n_iter >= max_iter or (few and counts_little(objective, new - slopes, missed, reach)):
            return point, new, n_iter
        taking_part |= missed


def counts_little(objective: Objective, moves: Array, missed: Array, reach: float) -> bool:
    """Whether the gradient of the missed slopes is within the tolerance of a round."""
    if not missed.any():
        return True
    rows = np.flatnonzero(missed)
    g = objective.design.restricted(rows).pull(objective.weights[rows] * moves[rows])
    moved = float((moves * moves @ objective.weights).sum())
    return float(np.vdot(g, g)) <= moved * objective.strength / reach
