"""Kernel machines at one strength or along several:  min (1/Σw) Σ w_i ℓ(y_i, f(x_i)) + strength · ½‖f‖².

The kernel matrix does not depend on the strength and is computed once. Strengths are then solved from the
strongest to the weakest, each from the solution at the previous one (linclass/linear/path.py).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from typing import Any, ClassVar

import numpy as np

from linclass.base.arrays import Array, ArrayLike, MatrixLike
from linclass.base.offsets import given_offset
from linclass.kernels.kernel_machine import KernelMachine
from linclass.kernels.kernel_norm import KernelNorm
from linclass.linear.objective.objective import Objective
from linclass.linear.path import FitsPath
from linclass.linear.solvers.base import Solution, Solver

MANY = 1000  # rows above which a fit to a subset gives the start
NEARLY = 0.999  # of the trace


class KernelPath(FitsPath, KernelMachine):
    """Mixin of kernel machines with a `strength`."""

    paths: ClassVar[tuple[str, ...]] = ("strength", "gamma")
    tuning_tol: ClassVar[float] = 1e-3  # of the objective, while tuning
    strength: float
    # defined by the estimator: check the rows, then fit copies of itself
    _fit_each: Callable[..., None]

    def _fits_at(
        self,
        strengths: Sequence[float],
        X: MatrixLike,
        y: ArrayLike,
        sample_weight: ArrayLike | None,
        offset: ArrayLike | None,
    ) -> list[Any]:
        """The kernel matrix is computed once, and each fit starts from the solution at the previous strength."""
        models = [self._unfitted(strength=strength) for strength in strengths]
        self._unfitted(strength=min(strengths))._fit_each(
            models, X, y, sample_weight, **given_offset(offset)
        )
        return models

    def _path_values(self, parameter: str, X: MatrixLike, y: ArrayLike) -> Array:
        base = FitsPath if parameter == "strength" else KernelMachine
        return base._path_values(self, parameter, X, y)

    def _along(
        self,
        models: Sequence[Any],
        solver: Solver,
        objectives: Sequence[Objective],
        starts: Sequence[Array] | None = None,
    ) -> Iterator[tuple[Any, list[Objective], list[Solution]]]:
        """Yields each model, with the attributes of this one, and its objectives and solutions."""
        order = sorted(models, key=lambda model: -model.strength)
        strengths = [model.strength for model in order]
        seen = dict(vars(self))
        known: Sequence[Any] = starts or [None] * len(objectives)
        paths = [solve(solver, P, strengths, s) for P, s in zip(objectives, known, strict=True)]
        for model, *solutions in zip(order, *paths, strict=True):
            model._adopt(seen | {"strength": model.strength})
            yield model, [P.with_strength(model.strength) for P in objectives], solutions

    def _check_strength(self) -> None:
        strength = self.strength
        if not (isinstance(strength, (int, float, np.number)) and 0 < strength < np.inf):
            raise ValueError(f"strength is {strength!r}; it must be a number above 0.")


def solve(
    solver: Solver, objective: Objective, strengths: Sequence[float], start: Array | None = None
) -> list[Solution]:
    """A solution for each strength; the first starts from a fit to some rows or features, if there are many."""
    if start is None:
        start = near_start(solver, objective.with_strength(strengths[0]))
    return solver.path(objective, strengths, start)


def near_start(solver: Solver, objective: Objective) -> Array:
    """The fit to every fourth row, which needs a sixteenth of the kernel matrix, or to few features.

    Features are those of a pivoted factorization, of which the first may explain nearly all of the kernel's trace.
    """
    design = objective.design
    start, n, d = objective.zero(), design.n_rows, design.n_features
    if not design.is_kernel:
        explained = np.cumsum(design.column_norms(objective.weights)[:d] ** 2)
        first = int(np.searchsorted(explained, NEARLY * explained[-1])) + 1
        if 3 * first < d:
            few = objective.on_features(np.arange(first))
            near = replace(solver, tol=1e-3, max_iter=None).solve(few, few.zero())
            start[:first], start[d:] = near.theta[:first], near.theta[first:]
    elif n >= MANY:
        rows = np.arange(0, n, 4)
        part = design.restricted(rows)
        few = Objective(
            part,
            objective.loss,
            objective.y[rows],
            objective.weights[rows],
            KernelNorm(part.products_of_all_rows()),
            objective.strength,
        )
        near = replace(solver, tol=1e-3, max_iter=None).solve(few, few.zero())
        start = design.extend_theta(rows, near.theta)
    return start
