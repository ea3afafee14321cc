"""Newton's equations of K scores together,  (strength·I + reach·Σ_i w_i (diag(a_i) − a_i a_iᵀ/Σa_i) ⊗ x_i x_iᵀ) Δ = −g,

when only few pairs of a row and a class have curvature: a_i marks them in row i, if they are several. Each row thus
adds to few of the K × K blocks. A small Hessian is kept, and updated by the rows whose classes changed; otherwise
conjugate gradients apply it.
"""

from __future__ import annotations

import numpy as np

from linclass.inverse import Inverse
from linclass.numerics import Array
from linclass.objective.point import Point
from linclass.objective.second_order import common_shift
from linclass.solvers.conjugate_gradients import conjugate_gradients, length
from linclass.solvers.hinge.augmented import Augmented, AugmentedPairs

DENSE = 1500  # parameters up to which a Hessian is formed
PRODUCTS = 40.0  # with all rows and classes, which cost as much as a step by conjugate gradients
FORCING = 0.03  # residual of conjugate gradients, as a share of g: more than 0.1 is too much for wide rows
NONE = 1e-9  # curvature of an intercept, of reach, that counts as none


class RowsOfBlocks:
    """H − strength·I = reach·(D − AᵀA), with rows √(w_i/Σa_i) a_i ⊗ x_i of A and blocks Σ_i w_i a_ik x_i x_iᵀ of D."""

    exact = True

    def __init__(self, objective: Augmented):
        self.objective, self.B = objective, objective.design.dense()

    def step(self, point: Point) -> tuple[Array, Array]:
        objective = self.objective
        K, width = objective.shape[0], objective.design.width
        a = (point.curvatures > 0).T
        sizes = np.count_nonzero(a, axis=1)
        rows = np.flatnonzero(sizes)
        B, w, a = self.B[rows], objective.weights[rows, None] * objective.reach, a[rows]
        A: Array = (a[:, :, None] * B[:, None, :]).reshape(len(B), K * width)
        D = (B * w).T @ A
        A *= np.sqrt(w / sizes[rows, None])
        H = -(A.T @ A)
        blocks = H.reshape(K, width, K, width)
        each = np.arange(K)
        blocks[each, :, each] += D.reshape(width, K, width).swapaxes(0, 1)
        return solved(H, point, objective)


def solved(H: Array, point: Point, objective: Augmented) -> tuple[Array, Array]:
    """The step and its scores, from H without the penalty."""
    design, shape = objective.design, objective.shape
    d = design.n_features
    if design.intercept:
        own = H.reshape(*shape, *shape)[:, d, :, d]
        own += common_shift(own) + np.diag(held(np.diag(own), point, objective))
    np.einsum("ii->i", H).reshape(shape)[:, :d] += objective.strength
    step = -Inverse(H, positive=True).times(point.gradient.ravel()).reshape(shape)
    return step, design.scores(step)


class PairProducts:
    """H Δ = −g with a residual of a small share of g, by products with the rows."""

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
            own[:, d] = held(given, point, objective)

        def times(p: Array) -> tuple[Array, Array]:
            Xp = design.scores(p)
            Hp = design.pull(objective.weights * objective.loss.curve(point.curvatures, Xp))
            return Hp + own * p, Xp

        step, along, _ = conjugate_gradients(times, -g, FORCING * length(g))
        return step, np.zeros(design.n_rows) if along is None else along


class BlockSystem(PairProducts):
    """The blocks S_kl of H − strength·I = reach·S, k ≤ l; products instead while most classes have p_k > 0."""

    def __init__(self, objective: AugmentedPairs):
        super().__init__(objective)
        self.loss, K = objective.loss_of_pairs, objective.shape[0]
        k, l = np.triu_indices(K)
        self.block = np.empty((K, K), dtype=int)
        self.block[k, l] = self.block[l, k] = np.arange(len(k))
        width = self.design.width
        self.S = np.zeros((len(k), width, width))
        self.held = np.zeros(self.design.n_rows, dtype=bool)

    def step(self, point: Point) -> tuple[Array, Array]:
        curved = point.curvatures > 0
        sizes = self.loss.sums(curved.astype(float))
        entries = float(sizes @ (sizes + 1)) / 2
        if entries * self.design.width > PRODUCTS * self.design.some.n_rows * len(self.block):
            self.exact = False
            return super().step(point)
        self.exact = True
        self._follow(curved)
        K, width = len(self.block), self.design.width
        H = (self.S * self.objective.reach)[self.block].swapaxes(1, 2)
        return solved(H.reshape(K * width, K * width), point, self.objective)

    def _follow(self, curved: Array) -> None:
        moved = self.loss.sums((curved != self.held).astype(float)) > 0
        if 2 * np.count_nonzero(moved) > np.count_nonzero(self.loss.sums(curved.astype(float))):
            self.S[:] = 0
            self.held[:] = False
            moved[:] = True
        moved = moved[self.loss.of]
        entries = [self._entries(moved & self.held, -1), self._entries(moved & curved, 1)]
        blocks, rows, values = (np.concatenate(e) for e in zip(*entries, strict=True))
        if len(rows):
            self.S += self.design.some.gram_by_group(blocks, rows, values, len(self.S))
        self.held = curved

    def _entries(self, marked: Array, sign: int) -> tuple[Array, Array, Array]:
        """(block, row, factor) of all products x xᵀ that the rows of these pairs add, row by row."""
        pairs = np.flatnonzero(marked)
        sizes = self.loss.sums(marked.astype(int))[self.loss.of[pairs]]
        parts = [(np.empty(0, int), np.empty(0, int), np.empty(0))]
        for size in np.unique(sizes):
            own = pairs[sizes == size].reshape(-1, size)
            classes = self.design.classes[own]
            k, l = np.triu_indices(size)
            factors = sign * ((k == l) - 1 / size) * self.objective.weights[own[:, :1]]
            rows = np.repeat(self.design.own[own[:, 0]], len(k))
            parts.append((self.block[classes[:, k], classes[:, l]].ravel(), rows, factors.ravel()))
        blocks, rows, values = (np.concatenate(e) for e in zip(*parts, strict=True))
        return blocks, rows, values


def held(given: Array, point: Point, objective: Augmented) -> Array:
    """Curvature to add for each intercept: next to none if rows give it some, else so much that it moves by 1."""
    level, d = objective.reach, objective.design.n_features
    push = np.maximum(np.abs(point.gradient[:, d]), NONE * level)
    return np.where(given > NONE * level, 1e-12 * level, push)


def class_system(objective: Augmented) -> RowsOfBlocks | PairProducts:
    if not isinstance(objective, AugmentedPairs):
        return RowsOfBlocks(objective)
    return (BlockSystem if objective.n_parameters <= DENSE else PairProducts)(objective)
