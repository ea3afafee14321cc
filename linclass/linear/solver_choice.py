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

AUTOMATIC = (  # solvers that `choose_solver` may name
    "augmented_lagrangian", "finite_newton", "least_squares", "linear_program", "multipliers", "newton", "newton_cg",
    "proximal_gradient", "proximal_newton", "quadratic_program", "quasi_newton", "semismooth_newton", "subgradient",
)  # fmt: skip


MAX_JOINT = 600  # weights of groups up to which their Hessian is formed


def choose_solver(P: Objective) -> str:
    """The name of the solver that "auto" chooses for this objective.

    It depends on loss, penalty and shape of the rows only, so a study uses the same solvers on every machine.
    """
    loss, design, width = P.loss, P.design, P.design.width
    one_score = len(P.shape) == 1
    if not loss.convex:
        return "proximal_gradient" if P.kinked else "quasi_newton"
    if loss.kind != "twice-smooth":
        linear = loss.piecewise_linear and one_score
        if loss.piecewise_linear and is_l2(P.penalty):
            return "semismooth_newton"
        if loss.simplicial and is_l2(P.penalty):
            return "multipliers"
        if linear and is_l1_or_none(P.penalty):
            return "linear_program"
        nonsmooth = loss.kind == "convex" and (linear or loss.simplicial)
        return "augmented_lagrangian" if nonsmooth and is_sum_over_all(P.penalty) else "subgradient"
    if P.kinked:
        joint = P.n_parameters // width * min(width, design.n_rows)
        if not (P.entrywise or (P.penalty.grouped and joint <= MAX_JOINT)):
            return "proximal_gradient"
        return "quadratic_program" if loss.quadratic and P.entrywise else "proximal_newton"
    if loss.quadratic:
        few_rows = design.n_rows < design.n_features and design.n_rows <= 6000
        if width <= 2000 or (few_rows and not P.strength):
            return "least_squares"
    small = width <= 1000 or design.n_rows <= design.n_features
    if loss.piecewise_quadratic and one_score and is_l2(P.penalty) and small:
        return "finite_newton"
    dense = not design.is_sparse or design.n_rows * width <= 100_000
    return "newton" if dense and P.n_parameters <= (500 if one_score else 100) else "newton_cg"


def is_l2(penalty: Penalty) -> bool:
    """L2, with factors above 0 of all features."""
    a_sum = penalty.uniform or penalty.entrywise
    return penalty.strongly_convex and a_sum and not penalty.kinked


def is_l1_or_none(penalty: Penalty) -> bool:
    l1 = penalty.entrywise and penalty.kinked and not np.any(penalty.curvature)
    return l1 or not penalty.binds


def is_of_groups(penalty: Penalty) -> bool:
    """A sum over features, or over groups of them."""
    return penalty.entrywise or penalty.grouped


def is_sum_over_all(penalty: Penalty) -> bool:
    """A sum over all features."""
    return penalty.binds and penalty.entrywise and penalty.unpenalized is None


# Solver.takes → (whether it handles a penalty, the error message if not)
TAKES: dict[str, tuple[Callable[[Penalty], bool], str]] = {
    "none": (lambda penalty: not penalty.binds, "supports no penalty. Use penalty=None."),
    "smooth": (lambda penalty: not penalty.kinked, "needs a smooth penalty; {} has a kink at 0."),
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
    "entrywise or grouped": (
        is_of_groups,
        "needs a penalty that is a sum over features or groups of them; {} is not.",
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
