"""Newton's equations  (strength·I + Σ_F h_i x_i x_iᵀ) Δ = −g  when only rows F have curvature, h_i = w_i ℓ″_i.

There are three solvers, for three shapes: a Hessian over features that is updated as rows enter and leave F; the
Gram matrix of F (Woodbury), which is all that a kernel has; and conjugate gradients. Each returns the step and
its scores. The intercept has no penalty; if no row has curvature, it gets a small one, and the line
search does the rest."""

from __future__ import annotations

from collections.abc import Callable
from typing import ClassVar, Protocol

import numpy as np
from scipy.linalg import lapack

from linclass.base.arrays import Array, diagonal
from linclass.base.design_matrix import DesignMatrix
from linclass.base.numerics import Inverse, conjugate_gradients, length
from linclass.linear.objective.objective import Objective, Point, common_shift
from linclass.linear.solvers.augmented import AugmentedPairs
from linclass.linear.solvers.block_pivoting import forms_gram

# Newton's equations of K scores together,  (strength·I + reach·Σ_F w_i C_i ⊗ x_i x_iᵀ) Δ = −g,
#
# for few rows F with several classes a_i on a kink, C_i = diag(a_i) − a_i a_iᵀ/Σa_i. Each row thus adds to few of the
# K × K blocks. A small Hessian is kept, and updated by the rows whose classes changed; otherwise conjugate gradients
# apply it.

MAX_DENSE_PARAMETERS = 1500  # parameters up to which a Hessian is formed
FEW_PARAMETERS = (
    120  # parameters up to which rows of K blocks cost less than the blocks of pairs of classes
)
PRODUCTS_AT_ONCE = 4_000_000  # products of two classes and a row at a time
PAIR_FORCING = 0.03  # residual of conjugate gradients, as a share of g: more than 0.1 is too much for wide rows
NO_CURVATURE = 1e-9  # curvature of an intercept, of reach, that counts as none

Curvature = Callable[[Array, Array], Array]  # of rows F and their classes a_i as columns


def curvature_of_ties(design: DesignMatrix, weights: Array, n_classes: int) -> Curvature:
    """(rows, tied) ↦ Σ_F w_i C_i ⊗ x_i x_iᵀ, dense."""
    few = n_classes * design.width <= FEW_PARAMETERS
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
            for part in np.array_split(
                np.arange(len(some)), 1 + len(some) * len(k) // PRODUCTS_AT_ONCE
            ):
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
    return np.where(
        given > NO_CURVATURE * reach,
        1e-12 * reach,
        np.maximum(np.abs(pushes), NO_CURVATURE * reach),
    )


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

        step, along, _ = conjugate_gradients(times, -g, PAIR_FORCING * length(g))
        return step, np.zeros(design.n_rows) if along is None else along


HELD_INVERSE_STEP = (
    1e-3  # inverse step of the intercept if no row has curvature, in units of the loss
)
ROUNDED_PUSH = 1e-14  # of the intercept's gradient, which is a mean of slopes
MAX_HESSIAN_WIDTH = 1000  # features up to which a dense Hessian is kept
ROW_SYSTEM_RATIO = 2  # features for each row of F, above which their Gram matrix costs less


class NewtonSystem(Protocol):
    """Newton's equations at the points of one objective."""

    @property
    def exact(self) -> bool:
        """Whether the step solves the equations up to rounding."""
        ...

    def step(self, point: Point) -> tuple[Array, Array]:
        """The step Δ and its scores."""
        ...


class FeatureSystem:
    """H = strength·I + level·S,  S = Σ_F w_i x_i x_iᵀ, updated by the rows that entered or left F.

    Where F is small, its Gram matrix is solved instead.
    """

    exact: ClassVar[bool] = True

    def __init__(self, objective: Objective):
        self.design, self.weights = objective.design, objective.weights
        self.strength = objective.strength
        self.by_rows = RowSystem(objective)
        self.held: Array | None = None
        self.S = np.zeros((self.design.width, self.design.width))

    def step(self, point: Point) -> tuple[Array, Array]:
        curved = point.curvatures > 0
        if ROW_SYSTEM_RATIO * np.count_nonzero(curved) < self.design.width:
            return self.by_rows.step(point)
        level = float(point.curvatures.max())
        self._follow(curved)
        H = level * self.S
        own, d = diagonal(H), self.design.n_features
        own[:d] += self.strength
        if self.design.intercept:
            own[d] += hold(own[d], point)
        step = lapack.dposv(H, -point.gradient, lower=1)[1]
        return step, self.design.scores(step)

    def _follow(self, curved: Array) -> None:
        changed = np.flatnonzero(curved if self.held is None else curved != self.held)
        if self.held is not None and 2 * len(changed) > np.count_nonzero(curved):
            self.S[:] = 0
            changed = np.flatnonzero(curved)
        for sign in (1, -1):
            rows = changed[curved[changed] == (sign > 0)]
            if len(rows):
                self.design.add_gram(self.S, rows, self.weights[rows], sign)
        self.held = curved


class RowSystem:
    """Δ = −(g + Σ_F v_i x_i)/strength,  (K_FF/strength + diag(1/h)) v = δb − (K g)_F/strength,  Σ v = −g_b."""

    exact: ClassVar[bool] = True

    def __init__(self, objective: Objective):
        self.design, self.weights = objective.design, objective.weights
        self.strength = objective.strength

    def step(self, point: Point) -> tuple[Array, Array]:
        design, d = self.design, self.design.n_features
        F = np.flatnonzero(point.curvatures)
        h = self.weights[F] * point.curvatures[F]
        g = point.gradient
        slope = g.copy()
        slope[d:] = 0
        q = design.scores(slope)
        M = design.products_among(F)
        M /= self.strength
        diagonal(M)[...] += 1 / h
        right = np.column_stack([-q[F] / self.strength, np.ones(len(F))])
        left = lapack.dposv(M, right, lower=1, overwrite_a=1)[1] if len(F) else right
        v, delta = left[:, 0], 0.0
        if design.intercept:
            held = left[:, 1].sum()
            delta = -(g[d] + v.sum()) / (held + hold(held, point))
            v = v + delta * left[:, 1]
        step = -(slope + design.combine(F, v)) / self.strength
        step[d:] = delta
        # not the difference of the two parts, which are 1/strength as large
        return step, design.scores(step)


class ProductSystem:
    """H Δ = −g with a residual of a tenth of g, by products with the rows."""

    exact: ClassVar[bool] = False
    forcing = 0.1

    def __init__(self, objective: Objective):
        self.design, self.weights = objective.design, objective.weights
        self.strength = objective.strength

    def step(self, point: Point) -> tuple[Array, Array]:
        design, g = self.design, point.gradient
        h = self.weights * point.curvatures
        own = np.full(len(g), self.strength)
        own[design.n_features :] = hold(h.sum(), point)

        def times(p: Array) -> tuple[Array, Array]:
            Xp = design.scores(p)
            return design.pull(h * Xp) + own * p, Xp

        step, along, _ = conjugate_gradients(times, -g, self.forcing * length(g))
        return step, np.zeros(design.n_rows) if along is None else along


def hold(given: float, point: Point) -> float:
    """Curvature to add for the intercept: negligible if rows have curvature. Otherwise it is so small that the
    step passes every kink, among which the line search then chooses.
    """
    level = float(point.curvatures.max()) or 1.0
    if given > 1e-9 * level:
        return 1e-12 * level
    objective = point.objective
    push = abs(float(point.gradient[objective.design.n_features :].sum()))
    return (
        HELD_INVERSE_STEP
        * (push if push > ROUNDED_PUSH else level)
        / objective.loss.scale(objective.y)
    )


def newton_system(objective: Objective) -> NewtonSystem:
    """The cheapest for the shapes of X and theta."""
    design = objective.design
    if isinstance(objective, AugmentedPairs):
        return (PairHessian if objective.n_parameters <= MAX_DENSE_PARAMETERS else PairProducts)(
            objective
        )
    if design.is_kernel:
        return RowSystem(objective)
    if design.width <= MAX_HESSIAN_WIDTH:
        few = 2 * design.n_rows < design.width  # fewer rows than features near the end of a round
        return RowSystem(objective) if few else FeatureSystem(objective)
    return RowSystem(objective) if forms_gram(design) else ProductSystem(objective)
