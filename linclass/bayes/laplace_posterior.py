"""A Gaussian posterior of the weights (Laplace): the minimum of the penalized loss and its inverse Hessian there.

Its integral is the evidence, with A the Hessian of −ln p(θ, data), D weights and M parameters,

    ln p(data | α) ≈ ln p(data | θ) + ½ D ln α − ½ α‖W‖² + ½ (M − D) ln 2π − ½ ln det A.   Bishop (2006), (4.137)
"""

from __future__ import annotations

import numpy as np

from linclass.base.arrays import SMALLEST, Array
from linclass.linear.objective.objective import Objective
from linclass.linear.solvers.base import Solution
from linclass.linear.solvers.newton import Newton, inverse_hessian


class WeightsPosterior:
    """What posteriors in all forms have; subclasses set the attributes."""

    objective: Objective
    total: float  # Σω, the number of rows where weights count them
    solution: Solution
    n_effective: float  # γ = Σ_j (1 − α (A⁻¹)_jj) over the weights

    @property
    def covariance(self) -> Array:
        """A⁻¹"""
        raise NotImplementedError

    @property
    def alpha(self) -> float:
        return self.objective.strength * self.total

    @property
    def excess(self) -> float:
        """ln γ − ln α‖W‖², which is 0 where the evidence is largest."""
        W = self.objective.weight_part(self.solution.theta)
        size = self.positive(self.alpha * float(np.vdot(W, W)))
        return float(np.log(self.n_effective / size))

    def log_evidence(self) -> float:
        raise NotImplementedError

    @staticmethod
    def positive(value: float) -> float:
        return max(value, SMALLEST)


class LaplacePosterior(WeightsPosterior):
    """By the Hessian itself."""

    def __init__(self, objective: Objective, total: float, solution: Solution):
        self.objective, self.total, self.solution = objective, total, solution
        point = objective.at_with_hessian(solution.theta)
        inverse = (
            inverse_hessian(objective, point.hessian).times(np.eye(objective.n_parameters)) / total
        )
        self._covariance = 0.5 * (inverse + inverse.T)
        own = objective.weight_part(self.covariance.diagonal().reshape(objective.shape))
        self.n_effective = self.positive(float(own.size - self.alpha * own.sum()))

    @property
    def covariance(self) -> Array:
        """A⁻¹"""
        return self._covariance

    def log_evidence(self) -> float:
        """Intercepts have the density 1; of K of them their contrasts count, as a shift of all changes no
        probability.
        """
        P, C = self.objective, self.covariance
        own = P.weight_part(np.arange(P.n_parameters).reshape(P.shape))
        D, free = own.size, P.n_parameters - own.size
        log_det = float(np.linalg.slogdet(C)[1])
        if P.loss.shift_invariant and free:
            shift = np.setdiff1d(np.arange(P.n_parameters), own)
            log_det -= float(np.log(C[np.ix_(shift, shift)].sum() / free))
            free -= 1
        log_prior = 0.5 * D * np.log(self.alpha) + 0.5 * free * np.log(2 * np.pi)
        return float(log_prior + 0.5 * log_det - self.total * self.solution.objective)


def laplace_posterior(
    objective: Objective, total: float, newton: Newton, start: Array
) -> LaplacePosterior:
    """The posterior for rows whose weights sum to `total`; Newton's method begins at `start`."""
    return LaplacePosterior(objective, total, newton.solve(objective, start))
