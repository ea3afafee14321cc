"""The normal posterior of weights and intercepts, found for rows about a mean:  b = u − x̄·w."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from scipy import sparse

from linclass.base.arrays import Array, Matrix, shifted
from linclass.base.messages import require_memory
from linclass.bayes.laplace_posterior import WeightsPosterior, laplace_posterior
from linclass.bayes.posterior_of_scores import PosteriorOfScores
from linclass.bayes.row_posterior import EXACT, RowPosterior, undivided
from linclass.linear.objective.objective import Objective
from linclass.linear.solvers.newton import Newton
from linclass.linear.solvers.newton_cg import NewtonCg


class PosteriorOfWeights:
    """A posterior for rows x − mean, and whether it has intercepts."""

    def __init__(self, posterior: WeightsPosterior, mean: Array, fit_intercept: bool):
        self.posterior, self.mean, self.fit_intercept = posterior, mean, fit_intercept

    def covariance(self) -> Array:
        """That of the parameters (w_k, b_k) for the rows x themselves."""
        C, d = self.posterior.covariance, len(self.mean)
        if not self.fit_intercept:
            return C
        K = len(C) // (d + 1)
        blocks = C.copy().reshape(K, d + 1, K, d + 1)
        blocks[:, d] -= np.einsum("j,kjlm->klm", self.mean, blocks[:, :d])
        blocks[..., d] -= blocks[..., :d] @ self.mean
        return blocks.reshape(C.shape)

    def of_scores(self, X: Matrix) -> PosteriorOfScores:
        """That of the scores of rows X, by the covariance of the weights."""
        rows = (X.toarray() if sparse.issparse(X) else X) - self.mean
        if self.fit_intercept:
            rows = np.column_stack([rows, np.ones(len(rows))])
        return PosteriorOfScores(rows, self.posterior.covariance)

    def deviations(self, X: Matrix, largest: float) -> Array:
        """Standard deviations (n, K) of the scores of rows X; of more than one relative to their mean."""
        if not isinstance(self.posterior, RowPosterior):
            return self.of_scores(X).deviations(largest)
        if self.mean.any():
            X = shifted(X, self.mean)
        return self.posterior.deviations(X, largest)


def posteriors(
    objective: Objective, total: float, tol: float, max_iter: int | None
) -> Callable[[Objective, Array], WeightsPosterior]:
    """(objective of the same rows, start) ↦ the posterior: by products of the rows for one score of fewer rows than
    features, and by the Hessian otherwise.
    """
    if has_fewer_rows(objective):
        rows = undivided(objective.design.X)
        solver = NewtonCg(tol=min(tol, EXACT), max_iter=max_iter)
        return lambda P, start: RowPosterior(P, total, solver.solve(P, start), rows)
    size, newton = objective.n_parameters, Newton(tol=tol, max_iter=max_iter)
    require_memory(40 * size * size, f"a Gaussian posterior needs a {size} × {size} covariance")
    return lambda P, start: laplace_posterior(P, total, newton, start)


def has_fewer_rows(objective: Objective) -> bool:
    design = objective.design
    return len(objective.shape) == 1 and design.n_rows < design.n_features
