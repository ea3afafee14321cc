"""Has maximum likelihood an optimum? Not when some direction d has no row on the wrong side of it:

    m_i(d) ≥ 0 for all rows i,  and > 0 for some,    m_i(d) = y_i x_i·d,  or min_k (z_y − z_k).

Along such a d the likelihood rises for ever. All m_i > 0: the classes are separated completely, and
the fit itself finds d; else quasi-completely, and d is the direction in which Newton steps keep
walking, or a direction that the rows allow (linclass/separation).   Albert & Anderson (1984), Biometrika 71
"""

from __future__ import annotations

import numpy as np
from scipy import sparse

from linclass.applicability import NotApplicable
from linclass.numerics import Array
from linclass.objective import Objective
from linclass.optimization.point import Point
from linclass.proofs.signed_rows import SignedRows
from linclass.separation.proof import Undecided, proved
from linclass.solvers.base import Solution
from linclass.solvers.newton import Newton, inverse_hessian
from linclass.solvers.newton_cg import NewtonCg

WALK = 0.05  # scores that a Newton step still changes on its way to infinity
LARGEST = 200_000_000  # parameters × inequalities: beyond this the answer may take minutes
HESSIAN = 500  # parameters whose dense Hessian is cheap


def separating_direction(objective: Objective, solution: Solution) -> Array | None:
    """A direction d (shaped like theta) that separates, at least weakly; None when there is none.

    `solution` is where a solver stopped on the unpenalized objective.
    """
    point = objective.at(solution.theta)
    if point.separates:
        return _unit(point.theta)
    if solution.converged and np.abs(point.scores).max() < objective.loss.certain:
        return None
    if not solution.converged:  # go on, with a solver that knows where to go
        kind = Newton if objective.n_parameters <= HESSIAN else NewtonCg
        solution = kind(max_iter=50).solve(objective, solution.theta)
        point = objective.at(solution.theta)
        if point.separates:
            return _unit(point.theta)
    if solution.converged and not _keeps_walking(point):
        return None
    return _weakly_separating(objective)


def _keeps_walking(point: Point) -> bool:
    """Near an optimum Newton steps vanish; along a recession of e^{−m} they change m by 1, of
    Φ(−m) by 1/m."""
    objective = point.objective
    if objective.n_parameters > HESSIAN:
        return bool(np.abs(point.scores).max() > 4 * objective.loss.certain)
    step = inverse_hessian(point).times(point.gradient.ravel()).reshape(objective.shape)
    return bool(np.abs(objective.design.scores(step)).max() > WALK)


def _weakly_separating(objective: Objective) -> Array | None:
    d = recession_of(_inequalities(objective))
    return None if d is None else d.reshape(objective.shape)


def recession_of(A: sparse.csr_array) -> Array | None:
    """A direction d of length 1 with A d ≥ 0 and not all 0; None if there is none, or it is not known."""
    if A.shape[0] * A.shape[1] > LARGEST:
        return None
    rows = SignedRows(A, np.ones(A.shape[0]), constant=False)
    try:
        d = proved(rows).direction
    except (Undecided, NotApplicable):
        return None
    return None if d is None else _unit(rows.hyperplane(d)[0])


def _inequalities(objective: Objective) -> sparse.csr_array:
    """Rows a with a·d = z_y(d) − z_k(d), for each row and each other class."""
    design, y = objective.design, objective.y
    X = sparse.csr_array(design.dense() if not design.is_sparse else _with_constant(design))
    if len(objective.shape) == 1:
        return sparse.diags_array(y) @ X
    K, classes = objective.shape[0], objective.loss.n_classes
    rows = []
    for k in range(classes):
        others = np.flatnonzero(y != k)
        own = X[others]
        pick = np.zeros((K, len(others)))
        inside = y[others] < K
        pick[y[others][inside], np.flatnonzero(inside)] = 1
        if k < K:
            pick[k] -= 1
        rows.append(sparse.hstack([sparse.diags_array(pick[l]) @ own for l in range(K)]))
    return sparse.csr_array(sparse.vstack(rows))


def _with_constant(design: object) -> sparse.csr_array:
    X = design.X  # type: ignore[attr-defined]
    one = [sparse.csr_array(np.ones((X.shape[0], 1)))] if design.intercept else []  # type: ignore[attr-defined]
    return sparse.csr_array(sparse.hstack([X, *one]))


def _unit(d: Array) -> Array:
    return d / np.linalg.norm(d)
