"""L2 with a factor of each feature is L2 with columns in other units:

    Σ_j f_j ½w_j² = ½‖v‖²,   X w = X′ v,   v_j = √f_j w_j,   x′_j = x_j/√f_j   for factors f_j > 0.

Loss, objective and duality gap are the same, so solvers of plain L2 minimize both.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from scipy import sparse

from linclass.base.arrays import Array
from linclass.base.design_matrix import DesignMatrix
from linclass.linear.objective.objective import Objective
from linclass.linear.penalties.entrywise import L2


class EqualFactors(NamedTuple):
    objective: Objective
    roots: Array  # √f

    def start(self, theta: Array) -> Array:
        theta = theta.copy()
        theta[..., : len(self.roots)] *= self.roots
        return theta

    def end(self, theta: Array) -> Array:
        theta = theta.copy()
        theta[..., : len(self.roots)] /= self.roots
        return theta


def equal_factors(objective: Objective) -> EqualFactors | None:
    """None if the penalty is not L2 with unequal factors, all above 0."""
    P = objective
    if P.uniform or P.kinked or not (P.strongly_convex and P.entrywise):
        return None
    design = P.design
    roots = np.sqrt(np.broadcast_to(P.curvature, (design.n_features,)) / P.strength)
    if design.is_sparse:
        parts = design.X.data / roots[design.X.indices], design.X.indices, design.X.indptr
        X = sparse.csr_array(parts, shape=design.X.shape)
    else:
        X = design.X / roots
    moved = DesignMatrix(X, design.intercept)
    return EqualFactors(Objective(moved, P.loss, P.y, P.weights, L2(), P.strength), roots)
