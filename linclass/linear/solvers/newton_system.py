"""Newton's equations  (strength·I + Σ_F h_i x_i x_iᵀ) Δ = −g  when only rows F have curvature, h_i = w_i ℓ″_i.

There are three solvers, for three shapes: a Hessian over features that is updated as rows enter and leave F; the
Gram matrix of F (Woodbury), which is all that a kernel has; and conjugate gradients. Each returns the step and
its scores. The intercept has no penalty; if no row has curvature, it gets a small one, and the line
search does the rest."""

from __future__ import annotations

from typing import ClassVar, Protocol

import numpy as np
from scipy.linalg import lapack

from linclass.base.arrays import Array, diagonal
from linclass.base.numerics import conjugate_gradients, length
from linclass.linear.objective.objective import Objective, Point
from linclass.linear.solvers.block_pivoting import forms_gram

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
    if design.is_kernel:
        return RowSystem(objective)
    if design.width <= MAX_HESSIAN_WIDTH:
        few = 2 * design.n_rows < design.width  # fewer rows than features near the end of a round
        return RowSystem(objective) if few else FeatureSystem(objective)
    return RowSystem(objective) if forms_gram(design) else ProductSystem(objective)
