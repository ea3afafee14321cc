"""What the derivatives and the certificates of an objective are computed from; `Objective` sets it."""

from __future__ import annotations

from linclass.design.design_matrix import DesignMatrix
from linclass.losses.base import Loss
from linclass.numerics import Array
from linclass.objective.point import Point
from linclass.penalties.base import Level, Penalty


class PenalizedLoss:
    """The loss of given rows plus the penalty, as fields."""

    design: DesignMatrix
    loss: Loss
    y: Array
    weights: Array  # they sum to 1
    penalty: Penalty
    strength: float
    kink: Level  # strength · penalty.kink
    curvature: Level  # strength · penalty.curvature
    kinked: bool
    strongly_convex: bool
    uniform: bool
    entrywise: bool
    unpenalized: Array | None
    shape: tuple[int, ...]  # of theta
    n_parameters: int
    block: int  # rows at a time

    def zero(self) -> Array:
        raise NotImplementedError

    def at(self, theta: Array) -> Point:
        raise NotImplementedError

    def with_scores(self, theta: Array, scores: Array) -> Point:
        raise NotImplementedError

    def mean_loss(self, scores: Array) -> float:
        raise NotImplementedError

    def weight_part(self, theta: Array) -> Array:
        raise NotImplementedError

    def with_penalty_gradient(self, g: Array, theta: Array) -> Array:
        raise NotImplementedError
