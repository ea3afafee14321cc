"""Kernel machines at one strength or along several:  min (1/Σw) Σ w_i ℓ(y_i, f(x_i)) + strength · ½‖f‖².

The kernel matrix, which no strength changes, is made once; then from the strongest penalty to the
weakest, each fit from where the last one ended (linclass/batches/path.py).
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Any, ClassVar

import numpy as np

from linclass.batches.path import Path, check_strengths
from linclass.estimators.kernel_machine import KernelMachine
from linclass.numerics import Array, DesignMatrix
from linclass.objective import Objective
from linclass.optimization.kernel_design import KernelNorm
from linclass.solvers.base import Solution, Solver

MANY = 1000  # rows from which on a fit to a part of them is a good start


class KernelPath(KernelMachine):
    tuning_tol: ClassVar[float] = 1e-3  # of the objective, while candidates are compared
    strength: Any
    _unfitted: Any
    _fit_each: Any  # the estimator's own: look at the rows, then fit copies of itself

    def path(self, X: Any, y: Any, strengths: Any, sample_weight: Any = None) -> Path:
        """The fit at each strength, in the order given: one kernel matrix, from the strongest on.

        The estimator itself stays as it is.
        """
        strengths = check_strengths(strengths)
        models = [self._unfitted(strength=strength) for strength in strengths]
        self._unfitted(strength=min(strengths))._fit_each(models, X, y, sample_weight)
        return Path(models)

    def _along(
        self, models: Sequence[Any], solver: Solver, objectives: Sequence[Objective]
    ) -> Iterator[tuple[Any, list[Objective], list[Solution]]]:
        """Each model, which now knows what this one does of the rows, and what it is to learn from."""
        order = sorted(models, key=lambda model: -model.strength)
        strengths = [model.strength for model in order]
        seen = dict(vars(self))
        paths = [solve(solver, P, strengths) for P in objectives]
        for model, *solutions in zip(order, *paths, strict=True):
            vars(model).update(seen | {"strength": model.strength})
            yield model, [P.with_strength(model.strength) for P in objectives], solutions

    def _check_strength(self) -> None:
        strength = self.strength
        if not (isinstance(strength, (int, float, np.number)) and 0 < strength < np.inf):
            raise ValueError(f"strength is {strength!r}; it must be a number above 0.")


def solve(solver: Solver, objective: Objective, strengths: Sequence[float]) -> list[Solution]:
    """At each strength, the first from a fit to every fourth row, where there are many."""
    start = near_start(solver, objective.with_strength(strengths[0]))
    return solver.path(objective, strengths, start)


def near_start(solver: Solver, objective: Objective) -> Array:
    """The fit to every fourth row costs a sixteenth of the matrix."""
    design: Any = objective.design
    start, n = objective.zero(), design.n_rows
    if n >= MANY and not isinstance(design, DesignMatrix):
        rows = np.arange(0, n, 4)
        few = Objective(
            design.restricted(rows),
            objective.loss,
            objective.y[rows],
            objective.weights[rows],
            KernelNorm(design.K[::4, ::4]),
            objective.strength,
        )
        near = replace(solver, tol=1e-3, max_iter=None).solve(few, few.zero())
        start = design.outside(rows, near.theta)
    return start
