"""Newton–Raphson  θ ← θ − t H⁻¹ g,  with t = 1 unless the objective does not decrease enough.

The decrement gᵀH⁻¹g is twice the decrease that the quadratic model predicts. If it is small the Hessian hardly
changes any more, so H⁻¹ is kept (the chord method): a gradient costs a fraction of a Hessian. On a path it is kept from
one strength to the next. Without a penalty, whose fits need more digits, BFGS corrects it by the steps taken with it
(`Secants` in quasi_newton.py). A first step from 0 is lengthened to that of normal features (`lengthened`).
`CentringSolver.solve` calls `Newton.minimize`.   Boyd & Vandenberghe (2004), §9.5; Nocedal & Wright (2006), §7.2"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from linclass.base.arrays import EPS, Array
from linclass.base.documentation import documented
from linclass.base.numerics import Inverse, backtrack
from linclass.linear.objective.certificate import certificate_of_step, certify
from linclass.linear.objective.objective import Objective, Point, common_shift
from linclass.linear.solvers.base import CentringSolver, Solution, Trace
from linclass.linear.solvers.quasi_newton import Secants

# Newton's first step from 0, lengthened to the fit that normal features would have.
#
# At scores of 0 row i has the slope −σ y_i and the curvature c, so the step is (σ/c) β, with β the least squares fit to
# y = ±1, or the ridge fit under a penalty. For normal features the direction of its weights is right, and only their
# length and the intercept are not: they belong to curvatures at 0, and those of larger scores are smaller. The better
# the fit, the longer the weights should be, and `normal_fit` of the loss gives their factor k and the mean score z̄.
# With fitted values ŷ = [X 1]β and g = −σ [X 1]ᵀ(w y), and since Σ w ŷ = ȳ if there is an intercept,
#
#     cov(y, ŷ) = Σ w y ŷ − ȳ² = −g·step c/σ² − ȳ²    the explained variance of y, for least squares,
#     b = z̄ − k (σȳ/c − b̃)                            the new intercept: the step (w̃, b̃) has w̃·x̄ + b̃ = σȳ/c.
#
# Whatever the features, a line search accepts or shortens the step.
# Brillinger (1983), A generalized linear model with "Gaussian" regressor variables

UNEXPLAINED = 64 * EPS  # rounding error of the explained variance


def lengthened(point: Point, step: Array) -> Array:
    """Newton's step from 0; unchanged if the loss has no formula, or if the longer step does not descend."""
    objective, g = point.objective, point.gradient
    jet = objective.loss.jet_at_zero(np.ones(1))
    if jet is None or jet[2] is None:
        return step
    slope, curvature = -jet[1][0], jet[2][0]
    mean = float(objective.weights @ objective.y) if objective.design.intercept else 0.0
    if abs(mean) >= 1:  # a class has less of the weight than rounding
        return step
    explained = -(g * step).sum() * curvature / slope**2 - mean * mean
    fit = objective.loss.normal_fit(mean, explained if explained > UNEXPLAINED else 0.0)
    if fit is None:
        return step
    k, mean_score = fit
    longer = k * step
    if objective.design.intercept:
        longer[-1] = mean_score - k * (slope / curvature * mean - step[-1])
    descends = np.isfinite(longer).all() and (g * longer).sum() < 0
    return np.asarray(longer if descends else step)


# When H⁻¹ is kept, and which step is the last.
#
# The decrement δ is relative to |P|. A step with the Hessian of its own point leaves a decrement of order δ². With a
# kept one convergence is linear: after a step that reduced δ₀ to δ, the next one leaves about δ·(δ/δ₀). P exceeds its
# minimum by about |P| δ/2, which a duality gap bounds; the gradient cosine is of order √δ. So the last step
#
#                   with its own Hessian begins at          with a kept one leaves
#     duality gap   δ ≤ 20 tol, and leaves O(400 tol²)      20 tol · min(10⁻³, √(20 tol)) ≤ tol/50
#     cosine        δ ≤ tol/50, leaving a cosine O(tol/50)  100 (tol/50)², a cosine O(tol/5)
#
# and its certificate decides. Without a penalty estimates become exact to a small part of their standard errors.

CHORD_DECREMENT = 1e-2  # decrement below which H⁻¹ is kept: scores then change by about 0.1
CORRECTED_DECREMENT = 5e-2  # the same, if H⁻¹ is corrected by the steps taken with it
MIN_REDUCTION = 20  # factor by which a step with a kept H⁻¹ reduces the decrement; else H is new
EXPECTED_REDUCTION = 25  # of the first step with the Hessian of a near strength
LAST_OF_GAP, LAST_OF_COSINE = 20, 0.02  # decrements of last steps with their own Hessians, in tol
# parameters, and products of a Hessian, up to which it costs less than the gradients that it saves
CHEAP_PARAMETERS, CHEAP_PRODUCTS = 12, 2_000_000
MAX_STRENGTH_RATIO = 100  # up to which a Hessian serves; the difference of strengths costs two digits of its diagonal
AT_KINK = 1e-9  # scores up to which a row is at a kink of ℓ′
LOCAL_CHANGE = 1.0  # of scores: it changes the curvature of a logistic loss by at most a factor e


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
            first = self.start_from_subset(objective, start, 1e-4)  # two full steps then suffice
        point = objective.at_with_hessian(first)
        inverse = inverse_hessian(objective, point.hessian)
        if first is not start and (not objective.strength or objective.unpenalized is not None):
            # where a feature has no penalty a subset may be nearly separated, and all rows not, say by a rare category;
            # its scores are so large that all rows have hardly any curvature there, and Newton's method diverges
            step = inverse.times(point.gradient.ravel()).reshape(point.theta.shape)
            if np.abs(design.scores(step)).max() > LOCAL_CHANGE:
                point = objective.at_with_hessian(start)
                inverse = inverse_hessian(objective, point.hessian)
        solution = self._descend(objective, point, point, inverse, trace=trace)
        if solution.converged or solution.separates or solution.n_iter == self.max_steps:
            return solution
        # at scores this large the curvature of most rows is below rounding; plain steps from 0 avoid such points
        point = objective.at_with_hessian(objective.zero())
        inverse = inverse_hessian(objective, point.hessian)
        plain = self._descend(objective, point, point, inverse, trace=trace, lengthen=False)
        return min(solution, plain, key=lambda one: one.certificate)

    def centres_first(self, objective: Objective) -> bool:
        """Whether some features have no penalty: far from 0 they nearly equal multiples of the intercept's."""
        return objective.unpenalized is not None

    def solve_near(self, objective: Objective, start: Array, before: Solution) -> Solution:
        """The solution by the last Hessian of `before`, with the penalty of this strength; by `solve` if that fails."""
        kept, design = before.source, objective.design
        if kept is None or design.is_tiny or design is not kept.objective.design:
            return self.solve(objective, start)
        if kept.objective.strength > MAX_STRENGTH_RATIO * objective.strength:
            return self.solve(objective, start)
        point, source = objective.at_with_gradient(start), kept.under(objective)
        inverse = Inverse(source.hessian, positive=objective.strongly_convex)
        decrement = newton_step(point, inverse)[1]
        if decrement >= CHORD_DECREMENT or inverse.rank is not None:
            return self.solve(objective, start)
        expected = decrement * EXPECTED_REDUCTION
        solution = self._descend(objective, point, source, inverse, expected)
        if solution.source is source:  # it returns as it was computed, with its strength
            solution.source = kept
        return solution if solution.converged else self.solve(objective, start)

    def _descend(
        self,
        objective: Objective,
        point: Point,
        source: Point,
        inverse: Inverse,
        before: float = np.inf,
        trace: Trace | None = None,
        lengthen: bool = True,
    ) -> Solution:
        """The solution, from a point and the inverse of the Hessian at `source`.

        A step is −H⁻¹g with the decrement  δ = gᵀH⁻¹g/|P|.  H is kept for the next one if δ is small and at least
        MIN_REDUCTION times less than `before`, the decrement of the previous step with the same H (∞ if there is none);
        else H is that of the new point. The certificate is computed once δ promises that it suffices.
        """
        loss, n, p = objective.loss, objective.design.n_rows, objective.n_parameters
        has_gap = objective.certificate_kind == "duality_gap"
        if has_gap:
            keep_below, last_below = CHORD_DECREMENT, LAST_OF_GAP * self.tol
            may_leave = last_below * min(1e-3, last_below**0.5)
        else:
            cheap = p <= CHEAP_PARAMETERS or n * p * p <= CHEAP_PRODUCTS
            keep_below = 0.0 if cheap or not self.tol else CORRECTED_DECREMENT
            last_below = LAST_OF_COSINE * self.tol
            may_leave = 100 * last_below * last_below
        certificate, is_kept, secants = np.inf, source is not point, None
        for n_iter in range(1, self.max_steps + 1):
            step, decrement = newton_step(point, secants or inverse)
            first = n_iter == 1 and not point.theta.any()
            if lengthen and first and decrement >= CHORD_DECREMENT:
                step = lengthened(point, step)
            keep = decrement < min(keep_below, before / MIN_REDUCTION)
            old, light = point, keep or decrement <= last_below  # the last step needs no Hessian
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
            linear = is_kept and before > 0
            left = decrement * (decrement / before) if linear else decrement
            done = left <= (may_leave if linear else last_below)
            before = decrement if keep else np.inf
            if done or point.separates:
                certificate = np.inf
                if has_gap:
                    certificate = certificate_of_step(old, point, source)
                if certificate > self.tol:
                    certificate = certify(point)
                if certificate <= self.tol or point.separates:
                    break
            is_kept = keep
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
        optimum = None if objective.strength or loss.shift_invariant else point
        solution = Solution.at(point, certificate, self.tol, n_iter, rank=rank, optimum=optimum)
        # the next strength of a path may use a regular Hessian; without a penalty there is none
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
