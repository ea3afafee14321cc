"""solver="auto": the first row of this table whose condition holds.

The conditions depend on loss, penalty and shape only, so a study uses the same solvers on every machine.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from linclass.linear.objective.objective import Objective

Row = tuple[str, Callable[[Objective], object], str]

TABLE: tuple[Row, ...] = (
    (
        "loss not convex, smooth penalty",
        lambda P: not P.loss.convex and not P.kinked,
        "quasi_newton",
    ),
    ("loss not convex", lambda P: not P.loss.convex, "proximal_gradient"),
    (
        "piecewise linear loss, l2 penalty",
        lambda P: P.loss.piecewise_linear and is_ridge(P),
        "semismooth_newton",
    ),
    (
        "K scores whose slopes lie in a simplex, the l2 penalty",
        lambda P: P.loss.simplicial and is_ridge(P),
        "multipliers",
    ),
    (
        "piecewise linear loss of one score, L1 or no penalty",
        lambda P: P.loss.piecewise_linear and len(P.shape) == 1 and is_straight(P),
        "linear_program",
    ),
    (
        "piecewise linear loss of one score, or Crammer and Singer's, another sum over all features",
        lambda P: (
            P.loss.kind == "convex" and has_envelope(P) and P.strength and of_every_feature(P)
        ),
        "augmented_lagrangian",
    ),
    ("the loss has a kink", lambda P: P.loss.kind != "twice-smooth", "subgradient"),
    (
        "kinked penalty that is no sum over features",
        lambda P: P.kinked and not P.entrywise,
        "proximal_gradient",
    ),
    (
        "quadratic loss, kinked penalty",
        lambda P: P.loss.quadratic and P.kinked,
        "quadratic_program",
    ),
    ("kinked penalty", lambda P: P.kinked, "proximal_newton"),
    (
        "quadratic, up to 2000 features",
        lambda P: P.is_quadratic and small(P, 2000),
        "least_squares",
    ),
    (
        "quadratic, no penalty, fewer rows than features, up to 6000 of them",
        lambda P: P.is_quadratic and not P.strength and fewer_rows(P, 6000),
        "least_squares",
    ),
    (
        "piecewise quadratic loss, one score, l2 penalty, up to 1000 features or more than rows",
        lambda P: P.loss.piecewise_quadratic and is_ridge(P) and (small(P, 1000) or wide(P)),
        "finite_newton",
    ),
    ("dense, one score, up to 500 features", lambda P: dense(P) and small(P, 500), "newton"),
    ("dense, K scores, up to 100 parameters", lambda P: dense(P) and few_parameters(P), "newton"),
    ("more parameters, or sparse rows", lambda P: True, "newton_cg"),
)


def is_ridge(objective: Objective) -> bool:
    """The penalty is L2 with a strength, and factors of all features, above 0."""
    is_sum = objective.uniform or objective.entrywise
    return objective.strongly_convex and is_sum and not objective.kinked


def is_straight(objective: Objective) -> bool:
    """The penalty is L1, with any factors, or there is none."""
    return objective.entrywise and not np.any(objective.curvature) if objective.strength else True


def has_envelope(objective: Objective) -> bool:
    """A piecewise linear loss of one score, or of K scores whose slopes lie in a simplex."""
    loss = objective.loss
    return loss.simplicial or (loss.piecewise_linear and len(objective.shape) == 1)


def of_every_feature(objective: Objective) -> bool:
    return objective.entrywise and objective.unpenalized is None


def dense(objective: Objective) -> bool:
    """Dense rows, or few enough sparse ones."""
    design = objective.design
    return not design.is_sparse or design.n_rows * design.width <= 100_000


def small(objective: Objective, features: int) -> bool:
    """One matrix of features × features suffices."""
    one_score = len(objective.shape) == 1 or objective.is_quadratic
    return one_score and objective.design.width <= features


def wide(objective: Objective) -> bool:
    """One score, and no more rows than features."""
    return len(objective.shape) == 1 and objective.design.n_rows <= objective.design.n_features


def fewer_rows(objective: Objective, limit: int) -> bool:
    """Fewer rows than features, and at most `limit`."""
    return objective.design.n_rows < min(objective.design.n_features, limit + 1)


def few_parameters(objective: Objective) -> bool:
    return objective.n_parameters <= 100


def choose_solver(objective: Objective) -> str:
    """The name of the solver for this objective."""
    return next(solver for _, fits, solver in TABLE if fits(objective))


def solvers() -> list[str]:
    """All solvers of the table."""
    return sorted({solver for *_, solver in TABLE})
