"""A penalized loss, and a point of it: theta with its scores, value, slopes, gradient and Hessian."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from linclass.base.arrays import Array, by_blocks, once
from linclass.base.design_matrix import DesignMatrix
from linclass.linear.losses.base import Loss
from linclass.linear.penalties.base import Level, Penalty


class PenalizedLoss:
    """The loss of given rows plus the penalty: what its points and its derivatives are computed from."""

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

    @property
    def passes(self) -> float:
        return self.design.passes

    def jet(self, scores: Array) -> tuple[Array, Array, Array | None]:
        """Value, slope and curvature of the loss of every row."""
        return by_blocks(self.loss.jet, self.y, scores)

    def mean_loss(self, scores: Array) -> float:
        """Σ w ℓ alone, without slopes."""
        (values,) = by_blocks(lambda y, z: (self.loss.values(y, z),), self.y, scores)
        return float(self.weights @ values)

    def weight_part(self, theta: Array) -> Array:
        """W without the intercept, as a view."""
        return theta[..., : self.design.n_features]

    def without_intercept(self, theta: Array) -> Array:
        theta = theta.copy()
        theta[..., self.design.n_features :] = 0
        return theta

    def with_penalty_gradient(self, g: Array, theta: Array) -> Array:
        """g, to which the gradient of the penalty's smooth part is added in place."""
        if self.strength:
            d = self.design.n_features
            g[..., :d] += self.strength * self.penalty.gradient(theta[..., :d])
        return g

    def steepest(self, W: Array, G: Array) -> Array:
        """The element of least norm of ∂P with respect to W, from the gradient G of all that is smooth."""
        return self.penalty.steepest(W, G, self.strength)

    # `Objective` and its other bases define:

    def zero(self) -> Array:
        raise NotImplementedError

    def at(self, theta: Array) -> Point:
        raise NotImplementedError

    def hessian_at(self, point: Point) -> Array:
        raise NotImplementedError

    def hessian_under(self, point: Point) -> Array:
        raise NotImplementedError

    def hessian_times(
        self, point: Point, exact: bool = True
    ) -> Callable[[Array], tuple[Array, Array | None]]:
        raise NotImplementedError

    def certificate(self, point: Point, slopes: Array | None = None) -> float:
        raise NotImplementedError

    @property
    def certificate_kind(self) -> str:
        raise NotImplementedError

    def share(self, gap: float, value: float) -> float:
        raise NotImplementedError


class Point:
    """theta with its scores; everything else is computed on demand, once."""

    def __init__(self, objective: PenalizedLoss, theta: Array, scores: Array):
        self.objective, self.theta, self.scores = objective, theta, scores

    def with_known(self, **known: Any) -> Point:
        """The same point, with quantities that are already known."""
        vars(self).update(known)
        return self

    @once
    def _jet(self) -> tuple[Array, Array, Array | None]:
        return self.objective.jet(self.scores)

    @once
    def loss_value(self) -> float:
        return float(self.objective.weights @ self._jet[0])

    @once
    def value(self) -> float:
        return self._value()

    def _value(self) -> float:
        objective = self.objective
        return self.loss_value + objective.strength * objective.penalty.value_at(self)

    @property
    def slopes(self) -> Array:
        return self._jet[1]

    @property
    def curvatures(self) -> Array:
        assert self._jet[2] is not None
        return self._jet[2]

    @once
    def hessian(self) -> Array:
        """∇²P, dense, over theta.ravel()."""
        return self.objective.hessian_at(self)

    @once
    def loss_gradient(self) -> Array:
        objective = self.objective
        return objective.design.pull(objective.weights * self.slopes)

    @once
    def gradient(self) -> Array:
        """∇P, or the gradient of its smooth part when the penalty has a kink."""
        return self._gradient()

    def _gradient(self) -> Array:
        return self.objective.with_penalty_gradient(self.loss_gradient.copy(), self.theta)

    def under(self, objective: PenalizedLoss) -> Point:
        """The same point for another strength, without evaluating the loss again."""
        known = {k: v for k, v in vars(self).items() if k in ("_jet", "loss_gradient")}
        if "hessian" in vars(self):
            known["hessian"] = objective.hessian_under(self)
        return Point(objective, self.theta, self.scores).with_known(**known)

    @once
    def steepest(self) -> Array:
        """The subgradient of least norm: 0 exactly at a minimum, and ∇P if there is no kink."""
        g, objective = self.gradient.copy(), self.objective
        if objective.kinked:
            G = objective.weight_part(g)
            G[...] = objective.steepest(objective.weight_part(self.theta), G)
        return g

    @property
    def separates(self) -> bool:
        """Without a penalty a likelihood, or the exponential loss, has no optimum once every row is right."""
        objective = self.objective
        if objective.strength or objective.loss.vanishes:
            return False
        return bool(objective.loss.margins(objective.y, self.scores).min() > 0)

    def toward(self, direction: Array, scores: Array | None = None) -> Callable[[float], Point]:
        """t ↦ the point at theta + t·direction, using only vectors over the rows."""
        along = self.objective.design.scores(direction) if scores is None else scores

        def step(t: float) -> Point:
            theta, scores = self.theta + t * direction, self.scores + t * along
            return type(self)(self.objective, theta, scores)

        return step
