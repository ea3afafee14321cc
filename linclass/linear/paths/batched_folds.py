"""Folds × strengths of small data as one stack, and its optima as solutions of single fits.

The rows of a fold may be standardized, x → (x − m)/s. With w = s·v and b = β + m·v the scores are those
of the original rows, w·(x − m)/s + b = v·x + β, so the folds share X, and s enters only ½λ‖w‖². In the
same way all columns are first standardized, which improves the condition of the Hessians.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from scipy import sparse

from linclass.base.arrays import Array
from linclass.linear.objective.objective import Objective
from linclass.linear.paths.strengths_on_folds import StrengthsOnFolds
from linclass.linear.solvers.base import Solution
from linclass.linear.solvers.stacked_newton import StackedObjective, minimize_stack

SMALL = 40_000  # entries of X up to which a stack is faster than warm-started fits
FEW = 100  # parameters of one fit, at most
IN_CACHE = 1 << 16  # scores of the problems of a stack, which then stay in the cache


def is_small(folds: StrengthsOnFolds) -> bool:
    """Whether Newton's method suits the fits: small, strictly convex objectives with a duality gap."""
    P = folds.objectives[0]
    shifted = folds.scaling is not None and any(np.any(shift) for shift, _ in folds.scaling)
    return (
        len(folds.objectives) == 1
        and folds.strongest._chosen(P).stackable
        and min(folds.strengths) > 0
        and P.strongly_convex
        and P.uniform
        and P.design.n_features == folds.X.shape[1]
        and not P.kinked
        and P.loss.has_conjugate
        and (P.design.intercept or not shifted)
        and P.design.n_rows * P.design.width <= SMALL
        and P.n_parameters <= FEW
    )


def solve_folds(folds: StrengthsOnFolds, chosen: Sequence[int]) -> list[list[Solution]]:
    """A solution for each chosen fold and each strength."""
    P = folds.objectives[0]
    solver, rows = folds.strongest._chosen(P), StandardizedRows(P)
    order = np.argsort(folds.strengths)[::-1]  # strongest first
    strengths = np.array(folds.strengths)[order] * (P.curvature / P.strength)
    problems = max(1, IN_CACHE // (rows.stack.C * P.design.n_rows))
    found: list[list[Solution]] = []
    for some in _pieces(chosen, max(1, problems // len(order))):
        weights = _weights(folds, some)
        moves = None if folds.scaling is None else [folds.scaling[fold] for fold in some]
        solutions: list[list[Solution]] = [[] for _ in some]
        start = None
        for own in _pieces(strengths, max(1, problems // len(some))):
            optima = minimize_stack(
                rows.stack,
                np.repeat(weights, len(own), axis=0),
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


def _weights(folds: StrengthsOnFolds, some: Sequence[int]) -> Array:
    """Row weights of each fold, which sum to 1; 0 for held-out rows."""
    held_out = [folds.held_out[fold] for fold in some]
    w = np.tile(folds.weights, (len(some), 1))
    w[np.repeat(np.arange(len(some)), list(map(len, held_out))), np.concatenate(held_out)] = 0
    if folds.strongest.class_weight is not None:
        w = np.array([folds.strongest._class_weighted(folds.codes, row) for row in w])
    w /= w.sum(axis=1, keepdims=True)
    return w


def _pieces(items: Any, size: int) -> list[Any]:
    return [items[i : i + size] for i in range(0, len(items), size)]
