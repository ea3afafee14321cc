"""Which losses and penalties a solver can minimize."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from linclass.base.design_matrix import DesignMatrix
from linclass.base.parts import find
from linclass.linear.losses.base import KINDS, Loss
from linclass.linear.objective.objective import UNPENALIZED, Objective
from linclass.linear.penalties.base import Penalty
from linclass.linear.solvers.base import (
    Solver,
    choose_solver,
    is_l1_or_none,
    is_l2,
    is_sum_over_all,
)

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
        lambda penalty: penalty.entrywise or penalty.grouped,
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
