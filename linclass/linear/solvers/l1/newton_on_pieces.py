"""Newton's step among weights that stay equal, or 0, as they are: there a penalty such as the fused lasso is linear.

With the projection Π on such directions, which replaces the entries of a piece by their mean, (Π H Π) u = −Π ∂P  is
solved by conjugate gradients. Once proximal steps have found the pieces, they need hundreds more for as many digits.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from linclass.base.arrays import Array
from linclass.base.line_search import backtrack_predicted
from linclass.base.linear_algebra import solve_lifted
from linclass.linear.objective.coordinates import Units
from linclass.linear.objective.objective import Point

FORCING = 0.01  # of the residual, at which conjugate gradients stop
MOST = 50  # products for one step


class NewtonOnPieces:
    """Called with points now and then, it takes a step from those that have the pieces of the last one."""

    def __init__(self, units: Units):
        self.squares = units.scale**2  # about the curvatures of the loss
        self.units = replace(units, scale=np.ones_like(units.scale))
        self.last: Array | None = None

    def __call__(self, point: Point) -> Point:
        """A lower point, or the point itself."""
        objective = point.objective
        if objective.loss.kind != "twice-smooth":
            return point
        before, self.last = self.last, objective.penalty.pieces(objective.weight_part(point.theta))
        if before is None or self.last is None or (before != self.last).any():
            return point
        return self.step(point, before)

    def step(self, point: Point, pieces: Array) -> Point:
        objective, units = point.objective, self.units
        products, sizes = objective.hessian_times(point), np.bincount(pieces.ravel())

        def mean(G: Array) -> Array:
            return (np.bincount(pieces.ravel(), G.ravel()) / np.maximum(sizes, 1))[pieces]

        def onto(g: Array) -> Array:
            g = units.pull(g)
            G = objective.weight_part(g)
            G[...] = np.where(pieces, mean(G), 0)
            return g

        def curve(u: Array) -> Array:
            return onto(products(units.move(u))[0])

        bend = np.ones(objective.shape)
        objective.weight_part(bend)[...] = mean(np.broadcast_to(self.squares, pieces.shape))
        b = -onto(point.steepest)
        u = solve_lifted(curve, b, FORCING, lambda r: r / bend, MOST)
        along, fall = point.toward(units.move(u)), float(np.vdot(b, u))
        return backtrack_predicted(point, lambda t: (along(t), t * fall))
