"""solver="auto": the first row of this table that fits the problem decides.

The conditions see loss, penalty and shape only, so the same study picks the same solvers anywhere.
"""

from __future__ import annotations

from collections.abc import Callable

from linclass.objective import Objective

Row = tuple[str, Callable[[Objective], bool], str]

TABLE: tuple[Row, ...] = (
    (
        "the loss has a kink",
        lambda P: P.loss.kind != "twice-smooth",
        "newton_cg",
    ),  # until the subgradient is there
    (
        "the loss is quadratic, a Gram matrix is small",
        lambda P: P.is_quadratic and P.design.width <= 2000,
        "least_squares",
    ),
    (
        "few parameters: a Hessian is small",
        lambda P: P.n_parameters <= (100 if len(P.shape) == 2 else 500),
        "newton",
    ),
    ("many parameters", lambda P: True, "newton_cg"),
)


def choose(objective: Objective) -> str:
    """The name of the solver that the table gives for this objective."""
    return next(solver for _, fits, solver in TABLE if fits(objective))


def solvers() -> list[str]:
    """All that the table may choose."""
    return sorted({solver for *_, solver in TABLE})
