"""Kernel machines whose loss has flat pieces: only the rows on the others, the support vectors, have coefficients."""

from __future__ import annotations

from collections.abc import Mapping
from typing import ClassVar, Self

from linclass.base.arrays import ArrayLike, MatrixLike
from linclass.base.parts import find
from linclass.kernels.kernel_path import KernelPath
from linclass.linear.solvers.base import Solver


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
        return [loss.__module__, solver.__module__, *self._kernel_parts()]

    def fit(self, X: MatrixLike, y: ArrayLike, sample_weight: ArrayLike | None = None) -> Self:
        """Fit the machine to training rows.

        Parameters
        ----------
        X : array, sparse matrix or data frame of shape (n, d)
            Training rows; finite numbers.
        y : array of shape (n,)
            Class, or target, of each row.
        sample_weight : array of shape (n,) or None, default=None
            Weight of each row, at least 0; rows of weight 0 take no part. None weighs all rows
            equally.

        Returns
        -------
        self
        """
        self._fit_each([self], X, y, sample_weight)
        return self

    def _solver(self) -> Solver:
        solver = find("solvers", self.solver_of_loss[self.loss])
        return solver(tol=self.tol, max_iter=self.max_iter)
