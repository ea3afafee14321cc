"""Whether rows can be separated, decided with a proof: by Newton's method, else in integers or by a linear program."""

from __future__ import annotations

from collections.abc import Callable

from linclass.separation.alternative import alternative
from linclass.separation.by_integers import by_integers
from linclass.separation.linear_program import by_linear_program
from linclass.separation.one_feature import one_feature
from linclass.separation.proofs.signed_rows import SignedRows
from linclass.separation.proofs.witness import Alternative

METHODS: dict[str, tuple[Callable[[SignedRows], Alternative | None], ...]] = {
    # in this order, until one gives a proof
    "newton": (alternative, one_feature, by_integers, by_linear_program),
    "newton_alone": (alternative,),  # undecided rather than slow
    "linear_program": (by_linear_program,),
}


class Undecided(ArithmeticError):
    """Neither a hyperplane nor its impossibility could be proved."""

    def __init__(self) -> None:
        super().__init__(
            "separability could not be proved or refuted; the rows touch a "
            "hyperplane to rounding. Round the features, or rescale them."
        )


def proved(rows: SignedRows, method: str = "newton") -> Alternative:
    """The witnesses that prove whether a hyperplane exists; raises Undecided if none do."""
    if method not in METHODS:
        raise ValueError(f"method is {method!r}; use {' or '.join(METHODS)}.")
    for attempt in METHODS[method]:
        found = attempt(rows)
        if found is not None and found.holds(rows):
            return found
    raise Undecided
