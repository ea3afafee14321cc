"""Kernel machines at one strength or along several:  min (1/Σw) Σ w_i ℓ(y_i, f(x_i)) + strength · ½‖f‖².

The kernel matrix does not depend on the strength and is computed once. Strengths are then solved from the
strongest to the weakest, each from the solution at the previous one (linclass/linear/path.py).
"""

from __future__ import annotations

import copy
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any, ClassVar, NamedTuple, Self

import numpy as np
from scipy import sparse

from linclass.base.arrays import Array, ArrayLike, EstimatorLike, Matrix, MatrixLike
from linclass.base.offsets import given_offset
from linclass.base.parts import find
from linclass.kernels.kernel_design import KernelNorm
from linclass.kernels.kernel_features import own_intercepts
from linclass.kernels.kernel_machine import KernelMachine
from linclass.linear.objective.objective import Objective
from linclass.linear.path import FitsPath
from linclass.linear.solvers.base import Solution, Solver

MANY = 1000  # rows above which a fit to a subset gives the start
NEARLY = 0.999  # of the trace


class KernelPath(KernelMachine):
    """Base of kernel machines with a `strength`."""

    paths: ClassVar[tuple[str, ...]] = ("strength", "gamma")
    tuning_tol: ClassVar[float] = 1e-3  # of the objective, while tuning
    strength: float
    path = FitsPath.path
    strength_path = FitsPath.strength_path

    def _fit_each(
        self,
        strengths: Sequence[float],
        X: MatrixLike,
        y: ArrayLike,
        sample_weight: ArrayLike | None = None,
        offset: ArrayLike | None = None,
    ) -> list[Any]:
        """Check the rows; fit `_copies` at these strengths."""
        raise NotImplementedError

    def _require_penalty(self) -> None:
        """A strength always acts on the fit."""

    def _fits_at(
        self,
        strengths: Sequence[float],
        X: MatrixLike,
        y: ArrayLike,
        sample_weight: ArrayLike | None,
        offset: ArrayLike | None,
    ) -> list[Any]:
        """The kernel matrix is computed once, and each fit starts from the solution at the previous strength."""
        first = self._unfitted(strength=min(strengths))
        return first._fit_each(strengths, X, y, sample_weight, **given_offset(offset))

    def _path_values(self, parameter: str, X: MatrixLike, y: ArrayLike) -> Array:
        if parameter == "strength":
            return self.strength_path(X, y)
        return super()._path_values(parameter, X, y)

    def _copies(self, strengths: Sequence[float]) -> list[Any]:
        """This model for one strength, else a copy of it for each; they have what it has learned so far."""
        models = [self] if len(strengths) == 1 else [copy.copy(self) for _ in strengths]
        for model, strength in zip(models, strengths, strict=True):
            model.strength = strength
        return models

    def _along(
        self,
        strengths: Sequence[float],
        solver: Solver,
        objectives: Sequence[Objective],
        starts: Sequence[Array] | None = None,
    ) -> list[tuple[Any, list[Objective], list[Solution]]]:
        """A model for each strength, and its objectives and solutions."""
        order = np.argsort([-strength for strength in strengths], kind="stable")
        descending = [strengths[i] for i in order]
        known: Sequence[Any] = starts or [None] * len(objectives)
        paths = [solve(solver, P, descending, s) for P, s in zip(objectives, known, strict=True)]
        models, solutions = self._copies(strengths), [*zip(*paths, strict=True)]
        return [
            (models[i], [P.with_strength(strengths[i]) for P in objectives], [*solutions[place]])
            for place, i in sorted(enumerate(order), key=lambda pair: pair[1])
        ]

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


# A start from the function of the previous fit:  f = Σ_j β_j k(x_j, ·) + b,  if its rows x_j are still there.


class Previous(NamedTuple):
    """What a fit left: indices of its rows among those given, their coefficients (K, m), intercepts, and the rows."""

    support: Array
    beta: Array
    intercept: Array
    rows: Any  # None for a precomputed kernel

    @classmethod
    def of(cls, model: EstimatorLike) -> Previous | None:
        """None if there was no fit, or if warm starts are not requested."""
        if not model.warm_start or not hasattr(model, "dual_coef_"):
            return None
        beta = np.atleast_2d(model.dual_coef_)
        return cls(model.support_, beta, own_intercepts(model), model._basis)

    def start(self, X: MatrixLike, kept: Array, scores: int) -> tuple[Array, Array] | None:
        """(β (K, n) of all rows, b (K,)), if so many scores are fitted and the rows with coefficients are the same."""
        if len(self.beta) != scores or self.support.max(initial=-1) >= len(kept):
            return None
        place = (np.cumsum(kept) - 1)[self.support]
        if not kept[self.support].all() or not _equal(self.rows, X, place):
            return None
        beta = np.zeros((scores, int(kept.sum())))
        beta[:, place] = self.beta
        return beta, self.intercept


def thetas(design: Any, found: tuple[Array, Array] | None) -> list[Array] | None:
    """Parameters of each score, for functions of the columns of the kernel or for features Φ of it, w = Φᵀβ."""
    if found is None:
        return None
    beta, b = found
    W = beta if design.is_kernel else beta @ design.X
    return [np.append(w, own) for w, own in zip(W, b, strict=True)]


def _equal(rows: Any, X: Matrix, place: Array) -> bool:
    if rows is None:
        return True
    if rows.shape[1] != X.shape[1] or sparse.issparse(rows) != sparse.issparse(X):
        return False
    other = X[place]
    return bool((rows != other).nnz == 0 if sparse.issparse(rows) else np.array_equal(rows, other))


# Kernel machines whose loss has flat pieces: only the rows on the others, the support vectors, have coefficients.


class SupportVectorMachine(KernelPath):
    """Mixin of estimators with the parameters of a kernel, `loss`, `strength`, `tol` and `max_iter`."""

    solver_of_loss: ClassVar[Mapping[str, str]]
    loss: str
    tol: float
    max_iter: int | None

    def check(self) -> None:
        super().check()
        self._check_kernel()
        self._check_strength()
        if self.loss not in self.solver_of_loss:
            raise ValueError(f"loss is {self.loss!r}; use {' or '.join(self.solver_of_loss)}.")
        self._solver().check()

    def parts(self) -> list[str]:
        """The modules that a fit composes by name."""
        loss, solver = find("losses", self.loss), type(self._solver())
        return [loss.__module__, solver.__module__]

    def fit(self, X: MatrixLike, y: ArrayLike, sample_weight: ArrayLike | None = None) -> Self:
        self._fit_each([self.strength], X, y, sample_weight)
        return self

    def _solver(self) -> Solver:
        solver = find("solvers", self.solver_of_loss[self.loss])
        return solver(tol=self.tol, max_iter=self.max_iter)
