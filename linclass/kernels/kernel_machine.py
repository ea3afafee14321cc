"""Base class of kernel machines: the kernel by name, its matrix, f = Σ_j β_j k(x_j, x) + b, and paths of strengths.

gamma='scale' is 1/(d · variance of the entries of X), which does not depend on the unit that all features share.
"""

from __future__ import annotations

import copy
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from functools import cached_property
from typing import Any, ClassVar, Self, TypeGuard

import numpy as np
from scipy import sparse

from linclass.base.arrays import Array, ArrayLike, Matrix, MatrixLike, PerRow, Tags
from linclass.base.design_matrix import DesignMatrix
from linclass.base.estimator import Estimator
from linclass.base.messages import counted
from linclass.base.parameters import is_number, require_whole
from linclass.base.parts import find
from linclass.kernels.functions import BLOCK, WIDTHS, Function, Kernel, KernelLike, Precomputed
from linclass.kernels.kernel_design import KernelDesign, KernelNorm
from linclass.kernels.kernel_features import (
    few_features,
    near_the_mean,
    shift_to_psd,
    why_far_rows_are_hard,
)
from linclass.linear.linear_model import LinearModel
from linclass.linear.objective.certificate import certify
from linclass.linear.objective.objective import Objective
from linclass.linear.penalties.entrywise import L2
from linclass.linear.solvers.base import Solution, Solver
from linclass.linear.support_vectors import rows_that_count

# rows above which features are searched for, and a fit to a subset gives the start
MIN_ROWS_OF_SEARCH = 1000
SHARE_OF_TOL = 0.1  # share of the objective, by which features may be off
FEW_WILL_DO = 1e6  # times the rounding of features: far below tol
# standard deviation, relative to the mean, below which all entries are equal
CONSTANT_TOLERANCE = 1e-14


class KernelMachine(Estimator):
    """Base of estimators with a kernel.

    Parameters
    ----------
    kernel : str or callable
        'gaussian', 'polynomial', 'sigmoid', 'linear', a function (X, X′) → matrix (n, n′), or
        'precomputed': X is then the matrix of kernel values between rows and training rows.
    gamma : float or 'scale'
        Factor γ of the kernels 'gaussian', 'polynomial' and 'sigmoid'. 'scale' is
        1/(d · variance of all entries of X, of weighted rows).
    degree : int
        Degree of the kernel 'polynomial'.
    coef0 : float
        Constant term of the kernels 'polynomial' and 'sigmoid'.

    Attributes
    ----------
    dual_coef_ : array of shape (1, m) for two classes, (K, m) for more
        Coefficients β of the m rows `support_`.
    support_ : array of shape (m,)
        Indices of the training rows with a nonzero coefficient.
    support_vectors_ : array or sparse matrix of shape (m, d)
        The rows `support_`; of shape (0, 0) for kernel='precomputed'.
    """

    paths: ClassVar[tuple[str, ...]] = ("gamma",)  # parameters with `_path_values`
    kernel: KernelLike
    gamma: float | str
    degree: int
    coef0: float
    dual_coef_: Array
    _made: Kernel

    def _check_kernel(self) -> None:
        """Raise ValueError, with one sentence, if the kernel or its parameters are invalid."""
        if not callable(self.kernel):
            if not isinstance(self.kernel, str):
                raise ValueError(f"kernel is {self.kernel!r}; {_as_parameters(self.kernel)}.")
            find("kernels", self.kernel)
        scaled = isinstance(self.gamma, str) and self.gamma == "scale"
        if not (scaled or (_is_finite(self.gamma) and self.gamma > 0)):
            raise ValueError(f"gamma is {self.gamma!r}; use 'scale' or a number above 0.")
        require_whole("degree", self.degree, 1)
        if not _is_finite(self.coef0):
            raise ValueError(f"coef0 is {self.coef0!r}; it must be a number.")

    def _path_values(self, parameter: str, X: MatrixLike, y: ArrayLike) -> Array:
        """The values of a parameter that a study tunes over with `path`: γ about 'scale', the widest kernel first."""
        rows, _, weights = self._unfitted()._start_fit(X, y, None)
        return np.asarray(gamma_scale(rows, weights) * WIDTHS)

    def _kernel_matrix(
        self, X: Matrix, kept: Array, weights: Array, kernel: Kernel | None = None
    ) -> Array:
        """The matrix of these rows, for this kernel or the chosen one; the kernel is kept for new rows.

        `kept` masks the rows that X holds of those passed to `fit`; a precomputed matrix has columns
        for all of them.
        """
        if self._is_precomputed() and len(kept) == X.shape[1] and not kept.all():
            X = X[:, kept]
        self._made = self._kernel_for(X, weights) if kernel is None else kernel
        K = self._made.matrix(X)
        if not np.isfinite(K.trace()):
            raise self._overflows()
        self._shift = 0.0
        if not self._made.is_psd:
            free = getattr(self, "fit_intercept", True)
            self._shift = shift_to_psd(K, self.kernel, free)
            K = K + self._shift if self._shift else K
        return K

    def _kernel_problem(self, X: Matrix, kept: Array, weights: Array) -> tuple[Any, Any]:
        """(design, norm): features of the kernel if few suffice, else functions of its columns.

        An error of all kernel values changes scores by at most that error times the sum of the dual
        variables, which is at most 1/strength, and the minimum by at most that error/strength, relatively.
        """
        n, strength = X.shape[0], self.strength
        kernel = near_the_mean(self._kernel_for(X, weights), X, weights)
        if X.shape[1] < n and (exact_features := kernel.features(X)) is not None:
            self._made, self._shift = kernel, 0.0
            return DesignMatrix(exact_features), L2()
        if n >= MIN_ROWS_OF_SEARCH and kernel.is_psd:
            largest = float(kernel.diagonal(kernel.near_zero(X)).max())
            if largest <= strength * FEW_WILL_DO:
                error = SHARE_OF_TOL * self.tol * strength
                features = few_features(kernel, X, n // 8, error)
                if features is not None:
                    self._made, self._shift = kernel, 0.0
                    return DesignMatrix(features), L2()
        K = self._kernel_matrix(X, kept, weights, kernel)
        return KernelDesign(K), KernelNorm(K)

    def _keep_support(self, X: Matrix, used: Array, kept: Array) -> None:
        """Keep the rows with nonzero coefficients, which new scores need."""
        self._forget("coef_")  # of an earlier fit
        self.support_ = np.flatnonzero(kept)[used]
        self.support_vectors_ = np.empty((0, 0)) if self._is_precomputed() else X[used]

    def _record_solutions(self, solutions: Sequence[Solution], solver: str) -> Any:
        """Set the status from one fit, or from the worst of one fit per class."""
        worst = max(solutions, key=lambda s: (not s.converged, s.certificate))
        status, reason = "converged", ""
        if not worst.converged:
            reason = f"the solver {solver} stopped after {counted(worst.n_iter, 'iteration')} with {worst.distance}"
            reason += why_far_rows_are_hard(getattr(self, "_made", None)) + "."
            status = "max_iter"
        return self._record(
            status,
            reason,
            objective=float(sum(s.objective for s in solutions)),
            certificate=worst.certificate,
            certificate_kind=worst.certificate_kind,
            n_iter=max(s.n_iter for s in solutions),
        )

    def _scores(self, X: Matrix, coefficients: Array) -> Array:
        """Σ_j β_j k(x_j, x) for new rows, block by block: (n,) or (K, n)."""
        Z = np.empty((*coefficients.shape[:-1], X.shape[0]))
        step = max(BLOCK, 2_000_000 // max(1, len(self.support_)))
        for start in range(0, X.shape[0], step):
            rows = slice(start, start + step)
            with np.errstate(over="ignore", invalid="ignore"):
                block, supports = X[rows], self.support_vectors_
                precomputed = isinstance(self._made, Precomputed)
                K = block[:, self.support_] if precomputed else self._made.matrix(block, supports)
                Z[..., rows] = coefficients @ K.T
        if not np.isfinite(Z).all():
            raise self._overflows()
        return Z

    def _overflows(self) -> ValueError:
        return ValueError(f"kernel {self.kernel!r} overflows on these rows; standardize them.")

    def _kernel_for(self, X: Matrix, weights: Array) -> Kernel:
        if callable(self.kernel):
            return Function(self.kernel)
        kind = find("kernels", self.kernel)
        gamma = gamma_scale(X, weights) if self.gamma == "scale" else float(self.gamma)
        options = {"gamma": gamma, "degree": int(self.degree), "coef0": float(self.coef0)}
        return kind(**{name: options[name] for name in kind.parameters})

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()
        tags.input_tags.pairwise = self._is_precomputed()
        return tags

    def _is_precomputed(self) -> bool:
        return isinstance(self.kernel, str) and self.kernel == "precomputed"


def _as_parameters(kernel: object) -> str:
    """The remedy for a kernel given as {name: options}, the form of losses and penalties."""
    if isinstance(kernel, Mapping) and len(kernel) == 1:
        name, options = next(iter(kernel.items()))
        if isinstance(name, str) and isinstance(options, Mapping):
            given = {"kernel": name, **options}
            return f"write {', '.join(f'{k}={v!r}' for k, v in given.items())}"
    return "give its name, or a function"


def _is_finite(value: object) -> TypeGuard[float]:
    return is_number(value) and -np.inf < value < np.inf


def gamma_scale(X: Matrix, weights: Array) -> float:
    """1/(features · variance), the variance over all entries of weighted rows; 1 of equal entries."""
    p = weights / weights.sum() / X.shape[1]
    mean = float(p @ X.sum(axis=1))
    if sparse.issparse(X):
        from_mean = X.copy()
        from_mean.data = (X.data - mean) ** 2 - mean * mean  # relative to a 0
        variance = float(p @ from_mean.sum(axis=1)) + mean * mean
    else:
        variance = float(p @ ((X - mean) ** 2).sum(axis=1))
    constant = variance <= (CONSTANT_TOLERANCE * mean) ** 2
    return 1.0 if constant else 1 / (X.shape[1] * variance)


# Kernel machines at one strength or along several:  min (1/Σw) Σ w_i ℓ(y_i, f(x_i)) + strength · ½‖f‖².
#
# The kernel matrix does not depend on the strength and is computed once. Strengths are then solved from the strongest
# to the weakest, each from the solution at the previous one (linclass/linear/path.py).

NEARLY = 0.999  # relative to the trace


class KernelPath(KernelMachine):
    """Base of kernel machines with a `strength`.

    Attributes
    ----------
    coef_ : array of shape (1, d) for two classes, (K, d) for more, only with kernel='linear'
        Weights W = dual_coef_ @ support_vectors_.
    """

    paths: ClassVar[tuple[str, ...]] = ("strength", "gamma")
    tuning_tol: ClassVar[float] = 1e-3  # of the objective, while tuning
    strength: float
    path = LinearModel.path
    strength_path = LinearModel.strength_path

    def check(self) -> None:
        super().check()
        self._check_kernel()
        if not (_is_finite(self.strength) and self.strength > 0):
            raise ValueError(f"strength is {self.strength!r}; it must be a number above 0.")

    @cached_property
    def coef_(self) -> Array:
        """Weights of a linear kernel."""
        if not isinstance(self.kernel, str) or self.kernel != "linear":
            raise AttributeError(f"kernel {self.kernel!r} has no coef_; use kernel='linear'")
        rows = self._made.near_zero(self.support_vectors_)  # as in the scores of rows far from 0
        return np.asarray(self.dual_coef_ @ rows)

    def _fit_each(
        self, strengths: Sequence[float], X: MatrixLike, y: ArrayLike, sample_weight: PerRow = None
    ) -> list[Any]:
        """Check the rows; fit `_copies` at these strengths."""
        raise NotImplementedError

    def _require_penalty(self) -> None:
        """A strength always acts on the fit."""

    def _fits_at(
        self, strengths: Sequence[float], X: MatrixLike, y: ArrayLike, sample_weight: PerRow
    ) -> list[Any]:
        """The kernel matrix is computed once, and each fit starts from the solution at the previous strength."""
        first = self._unfitted(strength=min(strengths))
        return first._fit_each(strengths, X, y, sample_weight)

    def _path_values(self, parameter: str, X: MatrixLike, y: ArrayLike) -> Array:
        if parameter == "strength":
            return self.strength_path(X, y)
        return super()._path_values(parameter, X, y)

    def _copies(self, strengths: Sequence[float]) -> list[Any]:
        """This model for one strength, otherwise a copy per strength, with all attributes that were set so far."""
        models = [self] if len(strengths) == 1 else [copy.copy(self) for _ in strengths]
        for model, strength in zip(models, strengths, strict=True):
            model.strength = strength
        return models

    def _along(
        self, models: Sequence[Any], solver: Solver, objectives: Sequence[Objective]
    ) -> Iterator[tuple[Any, list[Objective], list[Solution]]]:
        """Each model with its objectives and their solutions, from the strongest to the weakest."""
        order = sorted(models, key=lambda model: -model.strength)
        strengths = [model.strength for model in order]
        paths = [
            solver.path(P, strengths, near_start(solver, P.with_strength(strengths[0])))
            for P in objectives
        ]
        for model, *solutions in zip(order, *paths, strict=True):
            yield model, [P.with_strength(model.strength) for P in objectives], solutions


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
    elif n >= MIN_ROWS_OF_SEARCH:
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


MORE_FITS, TIGHTER = 4, 1e-2  # at most, each with a tolerance so much smaller


def of_coefficients(
    solver: Solver, objective: Objective, solution: Solution
) -> tuple[Array, Solution]:
    """The coefficients β of all rows, and the solution with their weights.

    If features φ replace the kernel, β = −w s/strength for the slopes s of the solution. Its weights may be nearer to
    the minimum than Σ β_i φ(x_i), which predict: where these miss `tol`, the solver continues with a smaller one.
    """
    P = objective
    if P.design.is_kernel:
        return solution.theta[:-1], solution
    fits, tol, best, n_iter = 0, solver.tol, np.inf, solution.n_iter
    while True:
        s = P.at(solution.theta).slopes if solution.slopes is None else solution.slopes
        beta, theta = -P.weights * s / P.strength, solution.theta.copy()
        P.weight_part(theta)[...] = P.weight_part(P.design.pull(beta))
        point = P.at(theta)
        certificate = certify(point, s)
        if not fits or certificate < best:
            best, found = certificate, (beta, point, s)
        left = solver.max_steps - n_iter
        if best <= solver.tol or fits == MORE_FITS or not solution.converged or left < 1:
            break
        fits, tol = fits + 1, tol * TIGHTER
        tighter = replace(solver, tol=tol, max_iter=left)
        solution = tighter.solve_near(P, solution.theta, solution)
        n_iter += solution.n_iter
    beta, point, s = found
    return beta, Solution.at(point, best, solver.tol, n_iter, slopes=s, scores=point.scores)


# Kernel machines whose loss has flat pieces: only the rows on the others, the support vectors, have coefficients.


class SupportVectorMachine(KernelPath):
    """Mixin of estimators with the parameters of a kernel, `loss`, `strength`, `tol` and `max_iter`."""

    solver_of_loss: ClassVar[Mapping[str, str]]
    loss: str
    tol: float
    max_iter: int | None

    def check(self) -> None:
        super().check()
        if self.loss not in self.solver_of_loss:
            raise ValueError(f"loss is {self.loss!r}; use {' or '.join(self.solver_of_loss)}.")
        self._solver().check()

    def parts(self) -> list[str]:
        """The modules that a fit composes by name."""
        loss, solver = find("losses", self.loss), type(self._solver())
        return [loss.__module__, solver.__module__]

    def fit(self, X: MatrixLike, y: ArrayLike, sample_weight: PerRow = None) -> Self:
        """Fit the machine to training rows.

        Returns
        -------
        self
        """
        self._fit_each([self.strength], X, y, sample_weight)
        return self

    def _fit_each(
        self, strengths: Sequence[float], X: MatrixLike, y: ArrayLike, sample_weight: PerRow = None
    ) -> list[Any]:
        n_given = len(np.asarray(y)) if y is not None else 0
        X, target, weights = self._start_fit(X, y, sample_weight)
        kept = rows_that_count(sample_weight, n_given)
        objectives = self._objectives_of(X, target, weights, kept)
        models = self._copies(strengths)
        for model, *fitted in self._along(models, self._solver(), objectives):
            model._learn(X, kept, weights, *fitted)
        return models

    def _path_objectives(
        self, X: MatrixLike, y: ArrayLike, sample_weight: PerRow
    ) -> list[Objective]:
        kept = rows_that_count(sample_weight, len(np.asarray(y)))
        X, target, weights = self._start_fit(X, y, sample_weight)
        return self._objectives_of(X, target, weights, kept)

    def _objectives_of(
        self, X: Matrix, target: Array, weights: Array, kept: Array
    ) -> list[Objective]:
        """One, or one per class."""
        raise NotImplementedError

    def _solver(self) -> Solver:
        solver = find("solvers", self.solver_of_loss[self.loss])
        return solver(tol=self.tol, max_iter=self.max_iter)
