"""Newton's equations of K scores together,  (strength·I + reach·Σ_F w_i C_i ⊗ x_i x_iᵀ) Δ = −g,

for few rows F with several classes a_i on a kink, C_i = diag(a_i) − a_i a_iᵀ/Σa_i. Each row thus adds to few of the
K × K blocks. A small Hessian is kept, and updated by the rows whose classes changed; otherwise conjugate gradients
apply it.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from linclass.base.arrays import Array, diagonal
from linclass.base.design_matrix import DesignMatrix
from linclass.base.linear_algebra import Inverse, conjugate_gradients, length
from linclass.linear.objective.objective import Objective, Point, common_shift
from linclass.linear.solvers.hinge.augmented import AugmentedPairs

DENSE = 1500  # parameters up to which a Hessian is formed
FEW = 120  # parameters up to which rows of K blocks cost less than the blocks of pairs of classes
ENTRIES = 4_000_000  # products of two classes and a row at a time
FORCING = 0.03  # residual of conjugate gradients, as a share of g: more than 0.1 is too much for wide rows
NONE = 1e-9  # curvature of an intercept, of reach, that counts as none

Curvature = Callable[[Array, Array], Array]  # of rows F and their classes a_i as columns


def curvature_of_ties(design: DesignMatrix, weights: Array, n_classes: int) -> Curvature:
    """(rows, tied) ↦ Σ_F w_i C_i ⊗ x_i x_iᵀ, dense."""
    few = n_classes * design.width <= FEW
    return RowsOfBlocks(design, weights) if few else Blocks(design, weights, n_classes)


class RowsOfBlocks:
    """D − AᵀA, with rows √(w_i/Σa_i) a_i ⊗ x_i of A and blocks Σ_i w_i a_ik x_i x_iᵀ of D."""

    def __init__(self, design: DesignMatrix, weights: Array):
        self.design, self.weights = design, weights

    def __call__(self, rows: Array, tied: Array) -> Array:
        K, width = len(tied), self.design.width
        B, w, a = self.design.take(rows).dense(), self.weights[rows, None], tied.T
        A: Array = (a[:, :, None] * B[:, None, :]).reshape(len(B), K * width)
        D = (B * w).T @ A
        A *= np.sqrt(w / np.count_nonzero(a, axis=1)[:, None])
        S: Array = -(A.T @ A)
        each = np.arange(K)
        S.reshape(K, width, K, width)[each, :, each] += D.reshape(width, K, width).swapaxes(0, 1)
        return S


class Blocks:
    """The blocks k ≤ l, updated by the rows that differ from those before."""

    def __init__(self, design: DesignMatrix, weights: Array, n_classes: int):
        self.design, self.weights = design, weights
        k, l = np.triu_indices(n_classes)
        self.place = np.empty((n_classes, n_classes), dtype=int)
        self.place[k, l] = self.place[l, k] = np.arange(len(k))
        self.blocks = np.zeros((len(k), design.width, design.width))
        self.rows, self.tied = np.empty(0, dtype=int), np.empty((n_classes, 0), dtype=bool)

    def __call__(self, rows: Array, tied: Array) -> Array:
        _, old, new = np.intersect1d(self.rows, rows, assume_unique=True, return_indices=True)
        same = (self.tied[:, old] == tied[:, new]).all(axis=0)
        gone = np.delete(np.arange(len(self.rows)), old[same])
        come = np.delete(np.arange(len(rows)), new[same])
        if len(gone) + len(come) > len(rows):
            self.blocks[:] = 0
            gone, come = gone[:0], np.arange(len(rows))
        self._add(self.rows[gone], self.tied[:, gone], -1)
        self._add(rows[come], tied[:, come], 1)
        self.rows, self.tied = rows, tied
        size = len(tied) * self.design.width
        return self.blocks[self.place].swapaxes(1, 2).reshape(size, size)

    def _add(self, rows: Array, tied: Array, sign: int) -> None:
        """The products x xᵀ of these rows, of those with equally many tied classes together."""
        sizes = np.count_nonzero(tied, axis=0)
        own, classes = np.nonzero(tied.T)
        for size in np.unique(sizes):
            k, l = np.triu_indices(size)
            some, a = rows[sizes == size], classes[sizes[own] == size].reshape(-1, size)
            for part in np.array_split(np.arange(len(some)), 1 + len(some) * len(k) // ENTRIES):
                factors = sign * ((k == l) - 1 / size) * self.weights[some[part], None]
                self.blocks += self.design.gram_by_group(
                    self.place[a[part][:, k], a[part][:, l]].ravel(),
                    some[part].repeat(len(k)),
                    factors.ravel(),
                    len(self.blocks),
                )


def solved(S: Array, g: Array, objective: Objective, reach: float) -> Array:
    """The solution of (strength·I + reach·S) x = g, with a little curvature added for the intercepts."""
    d, shape = objective.design.n_features, objective.shape
    H = reach * S
    if objective.design.intercept:
        own = H.reshape(*shape, *shape)[:, d, :, d]
        own += common_shift(own) + np.diag(held(np.diag(own), g[:, d], reach))
    diagonal(H).reshape(shape)[:, :d] += objective.strength
    return Inverse(H, positive=True).times(g.ravel()).reshape(shape)


def held(given: Array, pushes: Array, reach: float) -> Array:
    """Curvature to add for each intercept: next to none if rows give it some, else so much that it moves by 1."""
    return np.where(given > NONE * reach, 1e-12 * reach, np.maximum(np.abs(pushes), NONE * reach))


class PairHessian:
    """Δ from the Hessian."""

    exact = True

    def __init__(self, objective: AugmentedPairs):
        self.objective = objective
        K, whole = objective.shape[0], objective.whole
        self.curvature = curvature_of_ties(whole, objective.weights_of_rows, K)

    def step(self, point: Point) -> tuple[Array, Array]:
        objective, pairs = self.objective, self.objective.pairs
        curved = point.curvatures > 0
        rows, own = np.unique(pairs.rows[curved], return_inverse=True)
        tied = np.zeros((objective.shape[0], len(rows)), dtype=bool)
        tied[pairs.classes[curved], own] = True
        step = -solved(self.curvature(rows, tied), point.gradient, objective, objective.reach)
        return step, pairs.scores(step)


class PairProducts:
    """Δ with a residual of a small share of g, by products with the rows."""

    exact = False

    def __init__(self, objective: AugmentedPairs):
        self.objective, self.design = objective, objective.pairs

    def step(self, point: Point) -> tuple[Array, Array]:
        objective, design, g = self.objective, self.design, point.gradient
        shape, d = objective.shape, design.n_features
        own = np.full(shape, objective.strength)
        if design.intercept:
            curvatures = objective.weights * point.curvatures
            given = np.bincount(design.classes, curvatures, minlength=shape[0])
            own[:, d] = held(given, g[:, d], objective.reach)

        def times(p: Array) -> tuple[Array, Array]:
            Xp = design.scores(p)
            Hp = design.pull(objective.weights * objective.loss.curve(point.curvatures, Xp))
            return Hp + own * p, Xp

        step, along, _ = conjugate_gradients(times, -g, FORCING * length(g))
        return step, np.zeros(design.n_rows) if along is None else along
