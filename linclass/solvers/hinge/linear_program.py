"""A linear program, for piecewise linear losses of one score with an L1 penalty or none.

It is solved by its dual,

    max_μ  Σ_i w_i Σ_p μ_pi c_pi   subject to   |Σ_i w_i s_i x_ij| ≤ strength·f_j,   0 ≤ μ_pi ≤ 1,   s_i = Σ_p μ_pi a_pi

for the pieces  a_p z + c_p  of the loss: one for the hinge, two for the ε-insensitive loss. The sums are 0 for columns
without a penalty, of which the intercept is one. W and b are the multipliers of the sums, and s are slopes, so the
duality gap is the certificate. With L1 it is the 1-norm support vector machine. HiGHS solves the program; columns are
centred, if there is an intercept, and have unit variance, so that its tolerances mean the same for all.
Bradley & Mangasarian (1998), ICML 15; Duda, Hart & Stork (2001), §5.10; Huangfu & Hall (2018), Math. Prog. Comp. 10
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from scipy import sparse

from linclass.numerics import Array
from linclass.objective.objective import Objective
from linclass.solvers.base import Solution, Solver, Trace

TOLERANCE = 1e-10  # of the program, the least that HiGHS takes
MOST = 1e4  # by which small sums are multiplied; more makes programs harder
LONGER = 1 + 1e-6


@dataclass(frozen=True)
class LinearProgram(Solver):
    """A linear program, for piecewise linear losses of one score with an L1 penalty or none.

    Parameters
    ----------
    tol : float, default=1e-6
        Tolerance: the solver stops when its certificate is at most `tol`.
    max_iter : int or None, default=None
        Limit on the number of simplex steps. None is 1000000.
    """

    needs: ClassVar[str] = "piecewise-linear"
    takes: ClassVar[str] = "l1 or none"
    limit: ClassVar[int] = 1_000_000

    def solve(self, objective: Objective, start: Array, trace: Trace | None = None) -> Solution:
        from scipy.optimize import linprog  # slow to import

        design, w, n = objective.design, objective.weights, objective.design.n_rows
        mean, spread, columns = design.standardized_columns(w)
        kink = np.broadcast_to(objective.kink, design.n_features) / spread
        bound, free = np.flatnonzero(kink > 0), np.flatnonzero(kink == 0)
        slopes, constants = objective.loss.pieces(objective.y)
        sums = sparse.hstack([columns * (n * w * a) for a in slopes], format="csr")
        balanced = sums[free]
        if design.intercept:
            balanced = sparse.vstack([balanced, n * (w * slopes).reshape(1, -1)])
        unit = np.clip(1 / (n * kink[bound]), 1, MOST)  # small sums need small tolerances
        limited = sparse.diags_array(unit) @ sums[bound]
        found = linprog(
            -n * (w * constants).ravel(),
            A_ub=sparse.vstack([limited, -limited]),
            b_ub=np.tile(n * kink[bound] * unit, 2),
            A_eq=balanced,
            b_eq=np.zeros(balanced.shape[0]),
            bounds=(0, 1),
            method="highs",
            options={
                "maxiter": self.max_steps,
                "primal_feasibility_tolerance": TOLERANCE,
                "dual_feasibility_tolerance": TOLERANCE,
            },
        )
        if found.x is None:
            point = objective.at(start)
            return Solution.at(point, objective.certificate(point), self.tol, int(found.nit))
        v, up, down = np.zeros(design.n_features), *np.split(found.ineqlin.marginals, 2)
        v[bound], v[free] = (up - down) * unit, found.eqlin.marginals[: len(free)]
        middle = found.eqlin.marginals[-1:] if design.intercept else np.zeros(0)
        theta = np.concatenate([v / spread, middle - mean @ (v / spread)])
        # if columns without a penalty separate the rows, margins are 1 but for rounding
        point = min(map(objective.at, (theta, LONGER * theta)), key=lambda one: one.value)
        if trace:
            trace(point)
        # sums that should be 0 change the bound by themselves times the multipliers at the minimum, here twice these
        s = (np.clip(found.x, 0, 1).reshape(slopes.shape) * slopes).sum(axis=0)
        sums, sum_of_slopes = np.abs(columns @ (w * s)), np.abs(w @ s)
        left = float(sums[free] @ np.abs(v[free]) + sum_of_slopes * np.abs(middle).sum())
        s *= np.min(kink[bound] / np.maximum(sums[bound], kink[bound]), initial=1.0)
        gap = max(float(point.value + w @ objective.loss.conjugates(objective.y, s)), 0.0)
        certificate = objective.share(gap + 2 * left, point.value)
        done, n_iter = certificate <= self.tol, max(1, int(found.nit))
        return Solution(
            point.theta, point.value, certificate, "duality_gap", done, n_iter, slopes=s
        )
