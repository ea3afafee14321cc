"""Which solvers minimize which losses and penalties: `Solver.needs` of the loss, `Solver.takes` of the penalty."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from linclass.linear.losses.base import KINDS, Loss
from linclass.linear.penalties.base import Penalty
from linclass.linear.solvers.base import Solver

# Solver.takes → (whether it handles a penalty, the error message if not)
TAKES: dict[str, tuple[Callable[[Penalty], bool], str]] = {
    "none": (lambda penalty: not penalty.binds, "supports no penalty. Use penalty=None."),
    "smooth": (lambda penalty: not penalty.kinked, "needs a smooth penalty; {} has a kink at 0."),
    "ridge": (
        lambda penalty: penalty.strongly_convex and penalty.uniform and not penalty.kinked,
        "needs penalty='l2' without factors and a strength above 0; {} is another.",
    ),
    "l2": (
        lambda penalty: (
            penalty.strongly_convex
            and (penalty.uniform or penalty.entrywise)
            and not penalty.kinked
        ),
        "needs penalty='l2', its strength and any factors above 0; {} is another.",
    ),
    "bare kink": (
        lambda penalty: penalty.kinked and penalty.uniform and not penalty.strongly_convex,
        "needs l1 alone, without factors, whose path is piecewise linear; {} is another.",
    ),
    "l1 or none": (
        lambda penalty: (
            not penalty.binds
            or (penalty.entrywise and penalty.kinked and not np.any(penalty.curvature))
        ),
        "needs l1 or no penalty; {} is another.",
    ),
    "entrywise": (
        lambda penalty: penalty.entrywise,
        "needs a penalty that is a sum over features; {} is not.",
    ),
    "every feature": (
        lambda penalty: penalty.binds and penalty.entrywise and penalty.unpenalized is None,
        "needs a penalty that is a sum over all features, its strength and factors above 0; {} is not.",
    ),
    "any": (lambda penalty: True, ""),
}


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
    return (
        None
        if able
        else f"{name} needs a {in_words(needs)} loss; {loss.name} is {kind}. Try solver='auto'."
    )


def in_words(needs: str) -> str:
    """`Solver.needs` for users."""
    return (
        needs.replace("-linear", " linear")
        .replace("-quadratic", " quadratic")
        .replace("simplicial", "Crammer–Singer")
    )


def takes_penalty(solver: Solver | type[Solver], penalty: Penalty) -> bool:
    return TAKES[solver.takes][0](penalty)
