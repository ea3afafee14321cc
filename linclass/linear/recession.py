"""Does maximum likelihood have an optimum? It has none if some direction d has no row on the wrong side:

    m_i(d) ≥ 0 for all rows i,  and > 0 for some,    m_i(d) = y_i x_i·d,  or min_k (z_y − z_k).

Along such a d the likelihood increases without a maximum. If all m_i > 0, the classes are completely separated, and
the fit itself finds d; else quasi-completely. Large scores and long steps only suggest it. The decision is by a
proof: d on all rows; or, near an optimum, the slopes there, which are multipliers λ > 0 with Xᵀλ ≈ 0 and exclude
every d (separation/proofs/witness.py); or the proof of `separability`.   Albert & Anderson (1984), Biometrika 71
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from linclass.linear.inequalities import Recession, inequalities_of, recession_along
from linclass.linear.objective.objective import Objective, Point
from linclass.linear.solvers.base import Solution
from linclass.linear.solvers.newton import Newton, inverse_hessian
from linclass.linear.solvers.newton_cg import NewtonCg
from linclass.separation.proofs.witness import COLUMNS, EXACT

WALK = 0.05  # scores that a Newton step still changes on its way to infinity
CLOSE = 1e-5  # a certificate up to which small scores do not suggest it
HESSIAN = 500  # parameters whose dense Hessian is cheap

SEPARABLE = (
    "{} can be separated, so the likelihood has no maximum: it increases along separating_direction_; "
    "add a penalty, or use FirthLogisticRegression."
)
DESCENDS = "{} can be separated, so the loss has no minimum: it decreases along separating_direction_; add a penalty."
UNDECIDED = (
    "the classes are so nearly separable that it is undecided whether the likelihood has a maximum; "
    "add a penalty."
)


def recession_of_fit(objective: Objective, solution: Solution) -> Recession | None:
    """Whether a likelihood has no maximum, or a loss that only tends to 0 no minimum, where no penalty rules it out."""
    if objective.loss.vanishes:
        return None
    if not objective.loss.convex:
        return _separated(objective.without_offset, solution)
    if not objective.strength:
        return recession_without_penalty(objective.without_offset, solution)
    if objective.unpenalized is None:
        return None
    return _recession_where_free(objective.without_offset, solution)


def _separated(objective: Objective, solution: Solution) -> Recession | None:
    """Of a loss that is not convex only complete separation, by the fit itself, is known to be one."""
    point = solution.point_of(objective)
    if not point.separates:
        return None
    inequalities = inequalities_of(objective)
    found = inequalities is not None and inequalities.hold_at(point)
    return recession_along(point.theta) if found else None


def recession_without_penalty(objective: Objective, solution: Solution) -> Recession:
    """Whether an objective without a penalty decreases for ever in some direction; a solver stopped at `solution`."""
    point = solution.point_of(objective)
    if is_plainly_optimal(solution, point):
        return Recession()
    inequalities = inequalities_of(objective)
    if inequalities is None:
        return Recession(decided=False)
    if inequalities.hold_at(point):
        return recession_along(point.theta)
    if not solution.converged:  # go on, with a solver of second order
        few = objective.n_parameters <= HESSIAN
        solver = Newton(max_iter=50) if few else NewtonCg(max_iter=50)
        point = objective.at(solver.solve(objective, solution.theta).theta)
        if inequalities.hold_at(point):
            return recession_along(point.theta)
    if inequalities.excluded_by(point):
        return Recession()
    return inequalities.solution()


def _recession_where_free(objective: Objective, solution: Solution) -> Recession | None:
    """The same for a penalty that leaves features out: d is 0 in all others, along d their part of the scores grows."""
    free = objective.unpenalized
    assert free is not None
    columns = np.append(free, np.ones(objective.design.width - len(free), dtype=bool))
    design = objective.design.take_features(np.flatnonzero(free))
    part = Objective(design, objective.loss, objective.y, objective.weights)
    theta = np.ascontiguousarray(solution.theta[..., columns])
    if solution.converged and np.abs(part.at(theta).scores).max() < objective.loss.certain:
        return None
    found = recession_without_penalty(part, replace(solution, theta=theta, converged=False))
    if found.direction is None:
        return None if solution.converged else found
    d = np.zeros((*found.direction.shape[:-1], len(columns)))
    d[..., columns] = found.direction
    return Recession(d)


def is_plainly_optimal(solution: Solution, point: Point) -> bool:
    """An optimum at small scores, or where Newton steps vanish; small problems are always examined."""
    objective = point.objective
    p = objective.n_parameters
    few = p <= HESSIAN
    if p <= COLUMNS and objective.design.n_rows * p <= EXACT:
        return False
    if not solution.converged or solution.certificate > CLOSE:
        return False
    certain = objective.loss.certain * (1 if few else 4)
    if float(np.abs(point.scores).max()) < certain:
        return True
    return few and not _has_long_step(point)


def _has_long_step(point: Point) -> bool:
    """Along a recession of e^{−m} a Newton step changes m by 1, of Φ(−m) by 1/m."""
    objective = point.objective
    step = (
        inverse_hessian(objective, point.hessian)
        .times(point.gradient.ravel())
        .reshape(objective.shape)
    )
    return bool(np.abs(objective.design.scores(step)).max() > WALK)
