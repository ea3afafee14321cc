"""Newton's step among few weights, whose quadratic program with the L1 term is solved exactly."""

from __future__ import annotations

import numpy as np

from linclass.base.arrays import BLOCK, Array, diagonal
from linclass.base.line_search import backtrack_predicted
from linclass.linear.objective.coordinates import Units
from linclass.linear.objective.objective import Point, without_common_shift
from linclass.linear.solvers.l1.active_set import ActiveSet, scale

KEEP = 0.1  # reduction of the residual by a step, up to which its Hessian is kept
ROUNDING = 1e-6  # of a Hessian formed in single precision
WEAK = 1e-3  # of a Hessian: below it the curvature of a penalty needs more digits
DIGITS = 1e-13  # of a Hessian formed in double precision
SHORT = 1e-3  # inverse step of a parameter whose rows have no curvature, in units of the loss
SLACK = 1e-12  # of the least kink: tolerance of quadratic programs


class NewtonStep:
    """To the minimum of the quadratic model; its Hessian is kept while steps reduce the residual tenfold."""

    def __init__(self, free: Array, units: Units):
        self.free, self.units = free, units  # entries of theta that may move
        self.hessian: Array | None = None
        self.program: ActiveSet

    def __call__(self, point: Point) -> Point:
        if self.hessian is None:
            self.hessian = self._hessian(point)
            self.program = ActiveSet(self.hessian)
        objective, units, free, H = point.objective, self.units, self.free, self.hessian
        kinks = np.zeros(point.theta.shape)
        objective.weight_part(kinks)[...] = objective.kink / units.scale
        least = float(objective.weight_part(kinks).min(initial=np.inf))
        at = units.coordinates(point.theta)
        u, g, kinks = at[free], units.pull(point.gradient)[free], kinks[free]
        c = H @ u - g
        v, _ = self.program.minimize(
            c, kinks, u, SLACK * scale(float(np.abs(c).max(initial=0)), least)
        )
        fall = -float(g @ (v - u) + kinks @ (np.abs(v) - np.abs(u)))  # predicted decrease
        at[free] = v
        along = point.toward(without_common_shift(objective, units.move(at)) - point.theta)
        return backtrack_predicted(point, lambda t: (along(t), t * fall))

    def residual(self, point: Point) -> float:
        return float(np.abs(self.units.steepest(point)[self.free]).max(initial=0))

    def adapt(self, ratio: float) -> None:
        if ratio > KEEP:
            self.hessian = None

    def _hessian(self, point: Point) -> Array:
        """∇² of the smooth part, slightly regularized."""
        objective, rounding = point.objective, ROUNDING
        own = np.asarray(objective.curvature / self.units.scale**2)  # of the penalty
        H = self._of_losses(point, single=len(objective.shape) == 1)
        bends = diagonal(H).reshape(objective.shape)
        weak = 0 < own.min(initial=np.inf) < WEAK * bends.max()
        if weak and objective.loss.piecewise_quadratic:
            H, rounding = self._of_losses(point, single=False), DIGITS
            bends = diagonal(H).reshape(objective.shape)
        least = rounding * bends.max()  # of the loss; a constant feature has only the penalty's
        objective.weight_part(bends)[...] += own
        bends *= 1 + rounding
        # rows that are fitted to rounding have no curvature left; a feature of such rows alone would have none, nor
        # has one of rows on straight pieces alone: its step then passes every kink, and the line search shortens it
        if objective.loss.piecewise_quadratic:
            least = max(least, SHORT * self.residual(point))
        np.maximum(bends, least, out=bends)
        free = self.free.ravel()
        return H if free.all() else H[np.ix_(free, free)]

    def _of_losses(self, point: Point, single: bool) -> Array:
        """∇² of the losses, in single precision at half the cost."""
        objective, units = point.objective, self.units
        design, w, curvatures = objective.design, objective.weights, point.curvatures
        if single:
            H = design.gram_in_single(w * curvatures, units.mean)
            scale = np.append(units.scale, np.ones(int(design.intercept)))
            H /= scale
            H /= scale[:, None]
            return H
        H = np.zeros((objective.n_parameters, objective.n_parameters))
        for rows, B in design.blocks(max(64, BLOCK // len(curvatures))):
            B[:, : design.n_features] -= units.mean
            B[:, : design.n_features] /= units.scale
            H += objective.loss.hessian(B, w[rows], curvatures[..., rows])
        return H
