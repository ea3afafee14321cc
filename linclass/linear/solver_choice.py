"""Which solver solver="auto" chooses, and which losses and penalties a solver can minimize."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from linclass.base.design_matrix import DesignMatrix
from linclass.base.parts import find
from linclass.linear.losses.base import KINDS, Loss
from linclass.linear.objective.objective import UNPENALIZED, Objective
from linclass.linear.penalties.base import Penalty
from linclass.linear.solvers.base import Solver

# solver="auto" is the first row of this table whose condition holds. The conditions depend on loss, penalty and shape
# only, so a study uses the same solvers on every machine.

Row = tuple[str, Callable[[Objective], object], str]

CHOICE: tuple[Row, ...] = (
    (
        "nonconvex loss, smooth penalty",
        lambda P: not P.loss.convex and not P.kinked,
        "quasi_newton",
    ),
    ("nonconvex loss", lambda P: not P.loss.convex, "proximal_gradient"),
    (
        "piecewise linear loss, L2 penalty",
        lambda P: P.loss.piecewise_linear and is_l2(P.penalty),
        "semismooth_newton",
    ),
    (
        "Crammer and Singer's loss, L2 penalty",
        lambda P: P.loss.simplicial and is_l2(P.penalty),
        "multipliers",
    ),
    (
        "piecewise linear loss of one score, L1 or no penalty",
        lambda P: P.loss.piecewise_linear and one_score(P) and is_l1_or_none(P.penalty),
        "linear_program",
    ),
    (
        "piecewise linear loss of one score, or Crammer and Singer's, another sum over all features",
        lambda P: (
            P.loss.kind == "convex"
            and (P.loss.simplicial or (P.loss.piecewise_linear and one_score(P)))
            and is_sum_over_all(P.penalty)
        ),
        "augmented_lagrangian",
    ),
    ("another nonsmooth loss", lambda P: P.loss.kind != "twice-smooth", "subgradient"),
    (
        "nonsmooth penalty that is not a sum over features",
        lambda P: P.kinked and not P.entrywise,
        "proximal_gradient",
    ),
    (
        "quadratic loss, nonsmooth penalty",
        lambda P: P.kinked and P.loss.quadratic,
        "quadratic_program",
    ),
    ("nonsmooth penalty", lambda P: P.kinked, "proximal_newton"),
    (
        "quadratic loss, up to 2000 features",
        lambda P: P.loss.quadratic and P.design.width <= 2000,
        "least_squares",
    ),
    (
        "quadratic loss, no penalty, fewer rows than features, up to 6000 rows",
        lambda P: P.loss.quadratic and not P.strength and fewer_rows(P, 6000),
        "least_squares",
    ),
    (
        "piecewise quadratic loss of one score, L2 penalty, up to 1000 features or more than rows",
        lambda P: (
            P.loss.piecewise_quadratic
            and one_score(P)
            and is_l2(P.penalty)
            and (P.design.width <= 1000 or P.design.n_rows <= P.design.n_features)
        ),
        "finite_newton",
    ),
    (
        "dense rows, one score and up to 500 features, or K scores and up to 100 parameters",
        lambda P: is_dense(P) and P.n_parameters <= (500 if one_score(P) else 100),
        "newton",
    ),
    ("more parameters, or sparse rows", lambda P: True, "newton_cg"),
)


def choose_solver(objective: Objective) -> str:
    """The name of the solver that "auto" chooses for this objective."""
    for _, fits, solver in CHOICE:
        if fits(objective):
            return solver
    raise AssertionError("the last row of CHOICE fits every objective")


def one_score(objective: Objective) -> bool:
    return len(objective.shape) == 1


def is_dense(objective: Objective) -> bool:
    """Dense rows, or few enough sparse ones."""
    design = objective.design
    return not design.is_sparse or design.n_rows * design.width <= 100_000


def fewer_rows(objective: Objective, most: int) -> bool:
    """Fewer rows than features, and at most so many."""
    return objective.design.n_rows < min(objective.design.n_features, most + 1)


def is_l2(penalty: Penalty) -> bool:
    """L2, with factors above 0 of all features."""
    a_sum = penalty.uniform or penalty.entrywise
    return penalty.strongly_convex and a_sum and not penalty.kinked


def is_l1_or_none(penalty: Penalty) -> bool:
    l1 = penalty.entrywise and penalty.kinked and not np.any(penalty.curvature)
    return l1 or not penalty.binds


def is_sum_over_all(penalty: Penalty) -> bool:
    """A sum over all features."""
    return penalty.binds and penalty.entrywise and penalty.unpenalized is None


# Solver.takes → (whether it handles a penalty, the error message if not)
TAKES: dict[str, tuple[Callable[[Penalty], bool], str]] = {
    "none": (lambda penalty: not penalty.binds, "supports no penalty. Use penalty=None."),
    "smooth": (lambda penalty: not penalty.kinked, "needs a smooth penalty; {} has a kink at 0."),
    "ridge": (
        lambda penalty: is_l2(penalty) and penalty.uniform,
        "needs penalty='l2' without factors and a strength above 0; {} is another.",
    ),
    "l2": (is_l2, "needs penalty='l2', its strength and any factors above 0; {} is another."),
    "bare kink": (
        lambda penalty: penalty.kinked and penalty.uniform and not penalty.strongly_convex,
        "needs l1 alone, without factors, whose path is piecewise linear; {} is another.",
    ),
    "l1 or none": (is_l1_or_none, "needs l1 or no penalty; {} is another."),
    "entrywise": (
        lambda penalty: penalty.entrywise,
        "needs a penalty that is a sum over features; {} is not.",
    ),
    "every feature": (
        is_sum_over_all,
        "needs a penalty that is a sum over all features, its strength and factors above 0; {} is not.",
    ),
    "any": (lambda penalty: True, ""),
}


def takes_penalty(solver: Solver | type[Solver], penalty: Penalty) -> bool:
    return TAKES[solver.takes][0](penalty)


def mismatch(solver: Solver, loss: Loss | type[Loss]) -> str | None:
    """Why the solver cannot minimize this loss, in one sentence; None if it can."""
    name, needs = solver.name, solver.needs
    if not loss.convex and solver.convex_only:
        return f"{name} needs a convex loss; {loss.name} is not. Try solver='auto'."
    if needs in KINDS:
        able, kind = KINDS.index(loss.kind) >= KINDS.index(needs), f"only {loss.kind}"
    else:
        able = any(getattr(loss, flag.replace("-", "_")) for flag in needs.split(" or "))
        kind = "not"
    if able:
        return None
    return f"{name} needs a {in_words(needs)} loss; {loss.name} is {kind}. Try solver='auto'."


def in_words(needs: str) -> str:
    """`Solver.needs` for users."""
    words = needs.replace("-linear", " linear").replace("-quadratic", " quadratic")
    return words.replace("simplicial", "Crammer–Singer")


def able_solver(loss: Loss, penalty: Penalty, strength: float) -> str | None:
    """The solver that "auto" chooses for a small problem, if it can minimize this loss and penalty."""
    row = DesignMatrix(np.ones((1, 1)))
    small = Objective(row, loss, np.ones(1, int), None, penalty, strength)
    solver = find("solvers", choose_solver(small))
    able = takes_penalty(solver, small.penalty) and mismatch(solver, loss) is None
    return str(solver.name) if able else None


def require_minimizer(solver: Solver, loss: Loss, penalty: Penalty, strength: float) -> None:
    """Raise ValueError, with one sentence, unless the solver minimizes this loss and penalty."""
    if (complaint := mismatch(solver, loss)) is not None:
        raise ValueError(complaint)
    in_force = penalty if strength > 0 else UNPENALIZED
    if not takes_penalty(solver, in_force):
        complaint = TAKES[solver.takes][1].format(in_force.name)
        able = able_solver(loss, penalty, strength)
        remedy = f" Try solver={able!r}." if able and solver.takes != "none" else ""
        raise ValueError(f"{solver.name} {complaint}{remedy}")
