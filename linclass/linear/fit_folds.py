"""Folds × strengths of one model at once. For small data it is one Newton's method on a stack of problems; for larger
data, each fold is fitted along the path of strengths.

The rows of a fold may be standardized, x → (x − m)/s. With w = s·v and b = β + m·v the scores are those
of the original rows, w·(x − m)/s + b = v·x + β, so the folds share X, and s enters only ½λ‖w‖². In the
same way all columns are first standardized, which improves the condition of the Hessians.
"""

from __future__ import annotations

import copy
from collections.abc import Sequence
from typing import Any

import numpy as np
from scipy import sparse

from linclass.base.arrays import Array, Matrix
from linclass.base.many_fits import Folds, Scaling
from linclass.base.messages import NotApplicable
from linclass.base.offsets import given_offset
from linclass.base.tables import named
from linclass.linear.linear_model import chooses_solver, is_penalized, loss_of, solver_of
from linclass.linear.objective.objective import Objective
from linclass.linear.solvers.base import Solution, Solver
from linclass.linear.solvers.stacked_newton import StackedObjective, minimize_stack

LARGEST_STACK = 40_000  # entries of X up to which a stack is faster than warm-started fits
MOST_PARAMETERS = 100  # of one fit
IN_CACHE = 1 << 16  # scores of the problems of a stack, which then stay in the cache


def fit_folds(models: Sequence[Any], folds: Folds) -> list[list[Any]]:
    """The fits of each fold, of models that differ only in their strengths: a stack of problems for small data, else
    the path of each fold from the strongest penalty to the weakest.
    """
    first = max(models, key=lambda model: model.strength)._unfitted()
    solver = None if chooses_solver(first) else solver_of(first)
    if first.warm_start or first.trace or hasattr(solver, "random_state"):
        raise NotApplicable(f"{first!r} has a warm start, a trace or a seed; fit fold by fold.")
    if loss_of(first).piecewise_linear:
        raise NotApplicable(
            f"{first!r} stops by its gap at a point that depends on the start; fit fold by fold."
        )
    X, codes, weights = first._start_rows(folds.X, folds.y, folds.sample_weight)
    offset = first._offsets(folds.offset, folds.sample_weight, folds.y)
    objectives = first._objectives(X, codes, first._class_weighted(codes, weights))
    total, held_out = np.bincount(codes), folds.held_out
    counts = [total - np.bincount(codes[r], minlength=len(total)) for r in held_out]
    complete = np.array([(count > 0).all() for count in counts])
    if offset is not None and offset.ndim > 1 and not complete.all():
        raise NotApplicable("offset has a column of a class that a fold lacks; fit fold by fold.")
    strengths = [float(model.strength) for model in models]
    solver = solver_of(first, objectives[0])
    small = (
        min(strengths) > 0
        and offset is None
        and len(objectives) == 1
        and objectives[0].design.n_features == X.shape[1]
        and suits(objectives[0], solver, folds.scaling)
    )
    if not small and len(models) == 1:
        raise NotApplicable(
            f"{first!r}: a single strength has nothing to share between folds, except where Newton's method "
            f"fits a smooth penalty to at most {LARGEST_STACK} entries of X; give several strengths, or fit one by one."
        )
    stacked: dict[int, list[Solution]] = {}
    if small and (some := np.flatnonzero(complete).tolist()):
        own = weights_of_folds(first, codes, weights, [held_out[fold] for fold in some])
        moves = None if folds.scaling is None else [folds.scaling[fold] for fold in some]
        try:
            with np.errstate(over="ignore", invalid="ignore"):  # such fits are made one by one
                found = solve_folds(objectives[0], solver, strengths, own, moves)
        except np.linalg.LinAlgError as error:
            raise NotApplicable(f"{first!r}: {error} in one of the folds.") from error
        # with rows far larger than all others, steps in the units that the folds share are inaccurate
        done = [all(solution.converged for solution in fold) for fold in found]
        stacked = {fold: own for fold, own, ok in zip(some, found, done, strict=True) if ok}
    first.solver_ = solver.name
    fits = []
    for fold, rows in enumerate(held_out):
        if fold not in stacked:
            kept = np.ones(len(codes), dtype=bool)
            kept[rows] = False
            own_X = X[kept] if folds.scaling is None else scaled(X[kept], *folds.scaling[fold])
            own_X = named(own_X, getattr(first, "feature_names_in_", None))
            known = None if offset is None else offset[kept]
            fits.append(fit_path(models, own_X, first.classes_[codes[kept]], weights[kept], known))
            continue
        fits.append([copy.copy(first) for _ in strengths])
        for model, strength, solution in zip(fits[-1], strengths, stacked[fold], strict=True):
            model.strength = strength
            # rows and weights of all folds: only fits without a penalty use them, and these have one
            model._finish(objectives, [solution], codes, weights)
    return fits


def fit_path(
    models: Sequence[Any], X: Any, y: Array, weights: Array, offset: Array | None
) -> list[Any]:
    """Fits of models that differ only in their strengths; those without a penalty are fitted separately."""
    penalized = [i for i, model in enumerate(models) if is_penalized(model)]
    fits = {}
    if penalized:
        strengths = [models[i].strength for i in penalized]
        found = models[penalized[0]]._fits_at(strengths, X, y, weights, offset)
        fits = dict(zip(penalized, found, strict=True))
    given = given_offset(offset)
    return [
        fits[i] if i in fits else model._unfitted().fit(X, y, weights, **given)
        for i, model in enumerate(models)
    ]


def scaled(X: Matrix, shift: Array, scale: Array) -> Any:
    """(X − shift)/scale; sparse rows are not shifted."""
    if not sparse.issparse(X):
        return (X - shift) / scale
    X = X.copy()
    X.data /= scale[X.indices]
    return X


def suits(P: Objective, solver: Solver, scaling: Scaling | None) -> bool:
    """Whether Newton's method suits the fits: small, strictly convex objectives with a duality gap."""
    shifted = scaling is not None and any(np.any(shift) for shift, _ in scaling)
    return (
        solver.stackable
        and P.strongly_convex
        and P.uniform
        and not P.kinked
        and P.loss.has_conjugate
        and (P.design.intercept or not shifted)
        and P.design.n_rows * P.design.width <= LARGEST_STACK
        and P.n_parameters <= MOST_PARAMETERS
    )


def weights_of_folds(model: Any, codes: Array, weights: Array, held_out: Sequence[Array]) -> Array:
    """Row weights of each fold, which sum to 1; 0 for held-out rows."""
    w = np.tile(weights, (len(held_out), 1))
    w[np.repeat(np.arange(len(held_out)), list(map(len, held_out))), np.concatenate(held_out)] = 0
    if model.class_weight is not None:
        w = np.array([model._class_weighted(codes, row) for row in w])
    w /= w.sum(axis=1, keepdims=True)
    return w


def solve_folds(
    P: Objective,
    solver: Solver,
    strengths: Sequence[float],
    weights: Array,
    scaling: Scaling | None,
) -> list[list[Solution]]:
    """A solution for each fold and each strength."""
    rows = StandardizedRows(P)
    order = np.argsort(strengths)[::-1]  # strongest first
    descending = np.array(strengths)[order] * (P.curvature / P.strength)
    problems = max(1, IN_CACHE // (rows.stack.C * P.design.n_rows))
    found: list[list[Solution]] = []
    for some in _pieces(range(len(weights)), max(1, problems // len(order))):
        own_weights = weights[some.start : some.stop]
        moves = None if scaling is None else [scaling[fold] for fold in some]
        solutions: list[list[Solution]] = [[] for _ in some]
        start = None
        for own in _pieces(descending, max(1, problems // len(some))):
            optima = minimize_stack(
                rows.stack,
                np.repeat(own_weights, len(own), axis=0),
                (np.array(own)[:, None] * rows.unit(moves, len(some))).reshape(-1, rows.stack.d),
                solver.tol,
                solver.max_steps,
                None if start is None else np.repeat(start, len(own), axis=0),
            )
            start = optima.theta[len(own) - 1 :: len(own)]  # for the next, weaker strengths
            ends = zip(
                rows.thetas(optima.theta, moves, len(own)),
                optima.objective.tolist(),
                optima.certificate.tolist(),
                np.maximum(optima.n_iter, 1).tolist(),
                strict=True,
            )
            for i, (theta, value, gap, n_iter) in enumerate(ends):
                solution = Solution(theta, value, gap, "duality_gap", gap <= solver.tol, n_iter)
                solutions[i // len(own)].append(solution)
        back = np.argsort(order).tolist()
        found += [[own_fold[i] for i in back] for own_fold in solutions]
    return found


Moves = Sequence[tuple[Array, Array]] | None  # (shift, scale) of each fold


class StandardizedRows:
    """X with columns of mean 0 (if there is an intercept) and variance 1, and the transformation back."""

    def __init__(self, P: Objective):
        X = P.design.X.toarray() if sparse.issparse(P.design.X) else P.design.X
        self.centre = X.mean(axis=0) if P.design.intercept else np.zeros(X.shape[1])
        self.spread = np.sqrt(np.square(X - self.centre).mean(axis=0))
        self.spread[self.spread == 0] = 1
        self.stack = StackedObjective(
            (X - self.centre) / self.spread, P.design.intercept, P.loss, P.y
        )

    def unit(self, moves: Moves, count: int) -> Array:
        """(count, 1, d): the strength of 1 in the columns of each fold, w = (scale/spread) u."""
        scale = np.ones((count, self.stack.d)) if moves is None else np.array([s for _, s in moves])
        return np.square(scale / self.spread)[:, None]

    def thetas(self, theta: Array, moves: Moves, strengths: int) -> Array:
        """Weights and intercepts for the rows of each fold, from those of the stack."""
        d, theta = self.stack.d, theta.copy()
        v = theta[..., :d] / self.spread
        shift, scale = np.zeros(d), np.ones(d)
        if moves is not None:
            shift, scale = (
                np.repeat([move[part] for move in moves], strengths, axis=0)[:, None]
                for part in (0, 1)
            )
        theta[..., :d] = v * scale
        if self.stack.intercept:
            theta[..., d] += (v * (shift - self.centre)).sum(axis=-1)
        return theta[:, 0] if self.stack.C == 1 else theta


def _pieces(items: Any, size: int) -> list[Any]:
    return [items[i : i + size] for i in range(0, len(items), size)]
