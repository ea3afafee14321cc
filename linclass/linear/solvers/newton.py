"""Newton–Raphson  θ ← θ − t H⁻¹ g,  with t = 1 unless the objective does not decrease enough.

The decrement gᵀH⁻¹g is twice the decrease that the quadratic model predicts. If it is small the Hessian hardly
changes any more, so H⁻¹ is kept (the chord method): a gradient costs a fraction of a Hessian. On a path it is kept from
one strength to the next. Without a penalty, whose fits need more digits, BFGS corrects it by the steps taken with it
(`Secants`). A first step from 0 is lengthened to that of normal features (`lengthened`).
Boyd & Vandenberghe (2004), §9.5; Nocedal & Wright (2006), §7.2"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from linclass.base.arrays import EPS, Array
from linclass.base.documentation import documented
from linclass.base.numerics import Inverse, backtrack
from linclass.linear.objective.certificate import certificate_of_step, certify
from linclass.linear.objective.coordinates import Units
from linclass.linear.objective.objective import Objective, Point, common_shift
from linclass.linear.solvers.base import (
    CentringSolver,
    Solution,
    Trace,
)

# Newton's first step from 0, lengthened to the fit that normal features would have.
#
# At scores of 0 all rows have the same curvature, so the step is −ℓ′(0)/ℓ″(0) times the least squares fit to y = ±1.
# For normal features the direction of its weights is right, and only their length and the intercept are not: they
# belong to curvatures at 0, and those of larger scores are smaller. The better the fit, the longer the weights should
# be, and `normal_fit` of the loss says by how much. Whatever the features, a line search accepts or shortens it.
# Brillinger (1983), A generalized linear model with "Gaussian" regressor variables

# of the variance of y that is explained, a difference of means of squares
UNEXPLAINED = 64 * EPS


def lengthened(point: Point, step: Array) -> Array:
    """Newton's step from 0; unchanged if the loss has no formula, or if the longer step does not descend."""
    P, g = point.objective, point.gradient
    jet = P.loss.jet_at_zero(np.ones(1))
    if jet is None or jet[2] is None:
        return step
    slope, curvature = -jet[1][0], jet[2][0]
    mean = float(P.weights @ P.y) if P.design.intercept else 0.0
    if abs(mean) >= 1:  # a class has less of the weight than rounding
        return step
    explained = -(g * step).sum() * curvature / slope**2 - mean * mean
    found = P.loss.normal_fit(mean, explained if explained > UNEXPLAINED else 0.0)
    if found is None:
        return step
    k, level = found
    longer = k * step
    if P.design.intercept:
        longer[-1] = level - k * (slope / curvature * mean - step[-1])
    descends = np.isfinite(longer).all() and (g * longer).sum() < 0
    return np.asarray(longer if descends else step)


# BFGS: an approximate H⁻¹ is corrected by the last few changes of θ and of the gradient.
#
# With s = Δθ, y = Δ∇P, ρ = 1/(y·s), the two-loop recursion applies H⁻¹ ← (I − ρ s yᵀ) H⁻¹ (I − ρ y sᵀ) + ρ s sᵀ  for
# one pair after another. As every y·s > 0, H⁻¹ stays positive definite. In other coordinates u the pairs are those of
# u and of the gradient in u. Nocedal & Wright (2006), algorithm 7.4


class Secants:
    """Pairs of such changes; `inverse` applies the H⁻¹ that they correct, by default (s·y/y·y) I of the last pair."""

    def __init__(
        self,
        memory: int | None = None,
        inverse: Callable[[Array], Array] | None = None,
        units: Units | None = None,
    ):
        self._pairs: deque[tuple[Array, Array, float]] = deque(maxlen=memory)
        self._inverse, self._units = inverse or self._scaled, units

    def __len__(self) -> int:
        return len(self._pairs)

    def add(self, old: Point, new: Point) -> None:
        s, y = new.theta - old.theta, new.gradient - old.gradient
        if self._units is not None:
            s, y = self._units.coordinates(s), self._units.pull(y)
        s, y = s.ravel(), y.ravel()
        sy = float(np.vdot(s, y))
        if sy > 1e-14 * np.linalg.norm(s) * np.linalg.norm(y) > 0:
            self._pairs.append((s, y, 1 / sy))
        else:  # limited by rounding
            self._pairs.clear()

    def times(self, g: Array) -> Array:
        """H⁻¹ g by the two-loop recursion."""
        q: Array = (g.copy() if self._units is None else self._units.pull(g)).ravel()
        kept = []
        for s, y, rho in reversed(self._pairs):
            a = rho * np.vdot(s, q)
            q -= a * y
            kept.append(a)
        q = self._inverse(q)
        for (s, y, rho), a in zip(self._pairs, reversed(kept), strict=True):
            q += (a - rho * np.vdot(y, q)) * s
        q = q.reshape(g.shape)
        return q if self._units is None else self._units.move(q)

    def _scaled(self, g: Array) -> Array:
        if not self._pairs:
            return g
        _, y, rho = self._pairs[-1]
        return g / (rho * np.vdot(y, y))


# Iteratively reweighted least squares:
#
#     z = Xβ + W⁻¹(y − p)        the adjusted response
#     β ← argmin Σ W_i (z_i − x_i·β)² + strength·‖β‖²,
#
# with W = p(1 − p): Newton's step written as a weighted regression. For a general loss W is the curvature
# and p − y the slope; with K scores W is a K × K matrix for each row. Steps that do not decrease the objective
# are halved.   Hastie, Tibshirani & Friedman (2009), (4.26)–(4.28) and exercise 4.4


@documented
@dataclass(frozen=True)
class Irls(CentringSolver):
    """Iteratively reweighted least squares."""

    def minimize(self, objective: Objective, start: Array, trace: Trace | None = None) -> Solution:
        point = objective.at(start)
        for n_iter in range(1, self.max_steps + 1):  # noqa: B007
            # W z, as W Xβ + (y − p): a row without curvature, W = 0, has no z but keeps its slope
            response = objective.loss.curve(point.curvatures, point.scores) - point.slopes
            XtWz = objective.design.pull(objective.weights * response)
            inverse = inverse_hessian(objective, point.hessian)
            beta = inverse.times(XtWz.ravel()).reshape(start.shape)
            point = line_search(point, beta - point.theta, objective.at)
            if trace:
                trace(point)
            certificate = certify(point)
            if certificate <= self.tol or point.separates:
                break
        return Solution.at(point, certificate, self.tol, n_iter, rank=inverse.rank)


CHORD_DECREMENT = 1e-2  # decrement, relative to the objective: scores then change by about 0.1
CORRECTED_DECREMENT = 5e-2  # the same, if H⁻¹ is corrected by its steps
OWN_HESSIAN_PARAMETERS = (
    12  # parameters up to which a Hessian costs less than the gradients that it saves
)
OWN_HESSIAN_PRODUCTS = 2_000_000  # products in a Hessian up to which it does, too
DECREMENT_LEFT = 0.04  # of a decrement, by a step with the Hessian of a near strength, as long as nothing is known
MAX_STRENGTH_RATIO = 100  # up to which a Hessian serves; the difference of strengths costs two digits of its diagonal
AT_KINK = 1e-9  # scores up to which a row is at a kink of ℓ′
LOCAL_CHANGE = (
    1.0  # of scores, which changes the curvature of a logistic loss by at most a factor e
)


@documented
@dataclass(frozen=True)
class Newton(CentringSolver):
    """Newton's method, with the Hessian formed and inverted."""

    def minimize(self, objective: Objective, start: Array, trace: Trace | None = None) -> Solution:
        design, first = objective.design, start
        # without a penalty the first step from 0 ends as near as a fit to a subset, at less cost, if the loss has a
        # formula for its length (`normal_fit`): dense rows have a cheap Hessian at 0, that of equal curvatures
        dense_score = len(objective.shape) == 1 and not design.is_sparse
        formula = dense_score and objective.loss.normal_fit(0.0, 0.0) is not None
        if objective.strength or not formula:
            first = self.near(objective, start, 1e-4)  # two full steps then suffice
        point = objective.at_with_hessian(first)
        inverse = inverse_hessian(objective, point.hessian)
        if first is not start and (not objective.strength or objective.unpenalized is not None):
            # where a feature has no penalty a subset may be nearly separated, and all rows not, say by a rare category;
            # its scores are so large that all rows have hardly any curvature there, and Newton's method diverges
            step = inverse.times(point.gradient.ravel()).reshape(point.theta.shape)
            if np.abs(design.scores(step)).max() > LOCAL_CHANGE:
                point = objective.at_with_hessian(start)
                inverse = inverse_hessian(objective, point.hessian)
        return self._descend(objective, point, point, inverse, trace=trace)

    def centres_first(self, objective: Objective) -> bool:
        """If features have no penalty: far from 0 they nearly equal the intercept's."""
        return objective.unpenalized is not None

    def solve_near(self, objective: Objective, start: Array, before: Solution) -> Solution:
        """The last Hessian of the solution before serves again, with the penalty of this strength."""
        kept, before.source = before.source, None
        if (
            kept is None
            or objective.design.is_tiny
            or objective.design is not kept.objective.design
        ):
            return self.solve(objective, start)
        if kept.objective.strength > MAX_STRENGTH_RATIO * objective.strength:
            return self.solve(objective, start)
        point, source = objective.at_with_gradient(start), kept.under(objective)
        inverse = Inverse(source.hessian, positive=objective.strongly_convex)
        decrement = newton_step(point, inverse)[1]
        if decrement >= CHORD_DECREMENT or inverse.rank is not None:
            return self.solve(objective, start)
        solution = self._descend(objective, point, source, inverse, decrement / DECREMENT_LEFT)
        if solution.source is source:
            solution.source = kept
        return solution if solution.converged else self.solve(objective, start)

    def _descend(
        self,
        objective: Objective,
        point: Point,
        source: Point,
        inverse: Inverse,
        last: float = np.inf,
        trace: Trace | None = None,
    ) -> Solution:
        """The solution, from a point and the inverse of the Hessian at `source`; `last` is the decrement
        of a step before with the same Hessian.
        """
        loss, n, p = objective.loss, objective.design.n_rows, objective.n_parameters
        has_gap = objective.certificate_kind == "duality_gap"
        # decrements: below `settled` H⁻¹ is kept; at `close` a step with a new Hessian is the last; a step with a kept
        # one may leave `enough`. Without a duality gap they are smaller: estimates shall be exact to a small part of
        # their standard errors; at tol=0, and where Hessians are cheap, each step has one of its own
        if has_gap:
            settled, close = CHORD_DECREMENT, 20 * self.tol
            enough = close * min(1e-3, close**0.5)
        else:
            own = p <= OWN_HESSIAN_PARAMETERS or n * p * p <= OWN_HESSIAN_PRODUCTS or not self.tol
            settled, close = 0.0 if own else CORRECTED_DECREMENT, 0.02 * self.tol
            enough = 100 * close * close
        certificate, kept, secants = np.inf, source is not point, None
        for n_iter in range(1, self.max_steps + 1):
            step, decrement = newton_step(point, secants or inverse)
            if n_iter == 1 and decrement >= CHORD_DECREMENT and not point.theta.any():
                step = lengthened(point, step)
            keep = decrement < min(settled, last / 20)
            old, light = point, keep or decrement <= close  # the last step needs no Hessian
            evaluate = objective.at_with_gradient if light else objective.at_with_hessian
            point = line_search(old, step, evaluate)
            if point is old:
                # no step decreases the objective, unless one with its own Hessian does
                if source is old:
                    certificate = certify(point)
                    break
                keep = False
            if trace:
                trace(point)
            # a new Hessian squares the error; with a kept one it decreases at least linearly
            linear = kept and last > 0
            done = decrement * (decrement / last) <= enough if linear else decrement <= close
            last = decrement if keep else np.inf
            if done or point.separates:
                certificate = np.inf
                if has_gap:
                    certificate = certificate_of_step(old, point, source)
                if certificate > self.tol:
                    certificate = certify(point)
                if certificate <= self.tol or point.separates:
                    break
            kept = keep
            if not keep:
                source, inverse, secants = point, inverse_hessian(objective, point.hessian), None
            elif not has_gap:
                secants = secants or Secants(inverse=inverse.times)
                secants.add(old, point)
        else:
            certificate = certify(point)
        rank = inverse.rank
        if loss.piecewise_quadratic and not (objective.strength or loss.quadratic):
            # a row between two pieces of the loss counts as straight, if one of them is: rounding does not decide, and
            # a full rank shows that the optimum is unique
            y, z = objective.y, point.scores
            bends = np.minimum(loss.curvatures(y, z - AT_KINK), loss.curvatures(y, z + AT_KINK))
            rank = inverse_hessian(objective, objective.hessian(bends)).rank
        # the covariance of an estimate needs this point's own Hessian, which `inverse_hessian` may change
        known = None if objective.strength or loss.shift_invariant else point
        solution = Solution.at(point, certificate, self.tol, n_iter, rank=rank, optimum=known)
        solution.source = source if has_gap and rank is None else None
        return solution


def newton_step(point: Point, inverse: Inverse | Secants) -> tuple[Array, float]:
    """(−H⁻¹ g, its decrement gᵀH⁻¹g relative to the objective)"""
    g = point.gradient
    step = -inverse.times(g.ravel()).reshape(g.shape)
    return step, -float(np.vdot(g, step)) / abs(point.value or 1.0)


def inverse_hessian(objective: Objective, H: Array) -> Inverse:
    """The inverse of a Hessian H, to which curvature is added along a common shift of all K intercepts."""
    if objective.loss.shift_invariant and objective.design.intercept:
        intercepts = H.reshape(*objective.shape, *objective.shape)[:, -1, :, -1]
        intercepts += common_shift(intercepts)
    return Inverse(H, positive=objective.strongly_convex)


def line_search(point: Point, step: Array, evaluate: Callable[[Array], Point]) -> Point:
    """The line search of Newton's method; `evaluate` gives the point at a theta."""
    slope = float(np.vdot(point.gradient, step))
    return backtrack(point, lambda t: evaluate(point.theta + t * step), slope)[0]
