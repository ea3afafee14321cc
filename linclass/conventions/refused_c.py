"""What to give in place of scikit-learn's C, which users bring along."""

from __future__ import annotations

from collections.abc import Collection


def refuse_C(model: str, parameters: Collection[str]) -> None:
    """Raise TypeError, with the conversion, for a model with a strength in place of C."""
    if "strength" in parameters and "C" not in parameters:
        raise TypeError(
            f"{model} has no parameter 'C'; give strength=1/(n·C), for n rows of weight 1: "
            "linclass.objective.objective.strength_of_C(C, n)."
        )
