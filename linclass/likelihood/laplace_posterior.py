"""A Gaussian posterior of the weights (Laplace): the minimum of the penalized loss and its inverse Hessian there,
at given strengths and at the one of largest evidence, where α‖W‖² = γ.   MacKay (1992), Neural Computation 4

Its integral is the evidence, with A the Hessian of −ln p(θ, data), D weights and M parameters,

    ln p(data | α) ≈ ln p(data | θ) + ½ D ln α − ½ α‖W‖² + ½ (M − D) ln 2π − ½ ln det A.   Bishop (2006), (4.137)
"""

from __future__ import annotations

import numpy as np
from scipy.optimize import brentq

from linclass.numerics.arrays import Array
from linclass.objective.gap import TINY
from linclass.objective.objective import Objective
from linclass.objective.point import Point
from linclass.solvers.base import Solution
from linclass.solvers.smooth.newton import Newton, inverse_hessian

# limits of the strength of largest evidence, relative to the least and the largest
# variance of a feature
WEAKEST, STRONGEST = 1e-10, 1e6
NOTHING = "the evidence is largest without any weights: the features tell nothing."
UNBOUNDED = "the evidence still rises at the weakest strength that is tried; set strength."
ROUNDING = 1e-14  # of the mean square of a feature: a variance below it is 0
STRIDE = 2.0  # step of ln α until the root is bracketed


class LaplacePosterior:
    """Minimum and covariance at each strength, each from the last one found."""

    def __init__(self, objective: Objective, total: float, newton: Newton):
        self.objective, self.total, self.newton = objective, total, newton
        self.theta, self.steps = objective.zero(), 0
        self.covariance, self.n_effective = np.empty(0), 0.0

    def at(self, strength: float) -> tuple[Solution, float]:
        """(minimum, ln γ − ln α‖W‖²): the second is 0 where the evidence is largest."""
        P = self.objective.with_strength(strength)
        solution = self.newton.solve(P, self.theta)
        self.theta, self.steps = solution.theta, self.steps + solution.n_iter
        point: Point = P.at_with_hessian(solution.theta)
        inverse = inverse_hessian(point).times(np.eye(P.n_parameters)) / self.total
        self.covariance = 0.5 * (inverse + inverse.T)
        own = P.weight_part(self.covariance.diagonal().reshape(P.shape))
        W, alpha = P.weight_part(solution.theta), strength * self.total
        self.n_effective = max(float(own.size - alpha * own.sum()), TINY)
        size = max(alpha * float(np.vdot(W, W)), TINY)
        return solution, float(np.log(self.n_effective / size))

    def log_evidence(self, solution: Solution, strength: float) -> float:
        """Of the last strength. Intercepts have the density 1; of K of them their contrasts count, as a shift of all
        changes no probability.
        """
        P, C = self.objective, self.covariance
        own = P.weight_part(np.arange(P.n_parameters).reshape(P.shape))
        D, free = own.size, P.n_parameters - own.size
        log_det = float(np.linalg.slogdet(C)[1])
        if P.loss.shift_invariant and free:
            shift = np.setdiff1d(np.arange(P.n_parameters), own)
            log_det -= float(np.log(C[np.ix_(shift, shift)].sum() / free))
            free -= 1
        log_prior = 0.5 * D * np.log(strength * self.total) + 0.5 * free * np.log(2 * np.pi)
        return float(log_prior + 0.5 * log_det - self.total * solution.objective)

    def strength_of_largest_evidence(self) -> tuple[float, str]:
        """The root of ln γ − ln α‖W‖², which falls with α from +∞; the last strength, and why, if it has none."""
        known: dict[float, float] = {}  # a warm start changes last digits; signs must not change

        def excess(u: float) -> float:
            if u not in known:
                known[u] = self.at(float(np.exp(u)))[1]
            return known[u]

        variances = self._variances()
        low = float(np.log(WEAKEST * variances.min()))
        high = float(np.log(STRONGEST * variances.max()))
        u = float(np.log(variances.mean() / self.total))  # α = 1 for standardized features
        u = min(max(u, low), high)
        up = excess(u) > 0
        while low < u < high:
            v = min(max(u + (STRIDE if up else -STRIDE), low), high)
            if (excess(v) > 0) != up:
                return float(np.exp(brentq(excess, min(u, v), max(u, v), xtol=1e-8))), ""
            u = v
        if up:
            return float(np.exp(u)), NOTHING
        return float(np.exp(u)), UNBOUNDED

    def _variances(self) -> Array:
        """Of the features that vary; without an intercept, their mean squares."""
        design, weights = self.objective.design, self.objective.weights
        squares = design.column_norms(weights)[: design.n_features] ** 2
        mean = design.centre(weights)
        variances = squares - mean**2
        varies = variances > ROUNDING * squares
        return variances[varies] if varies.any() else np.ones(1)
