"""The objective  P(W, b) = (1/Σw_i) Σ w_i loss(y_i, z_i) + strength · penalty(W),  Z = X W + b.

Its normalization (by the sum of row weights) and the unpenalized intercept are decided here, and nothing that
minimizes it divides by that sum again. In scikit-learn's
terms C = 1/(Σw·strength) for sums of losses, alpha = Σw·strength for Ridge and alpha = strength for Lasso and
SGD; see `strength_of_C`. Solvers evaluate an `Objective` at `Point`s.
"""

from __future__ import annotations

import math

import numpy as np

from linclass.base.arrays import BLOCK, Array, Index
from linclass.base.design_matrix import DesignMatrix
from linclass.linear.losses.base import Loss, MarginLoss, WithOffset
from linclass.linear.objective.affine_steps import Advance, affine_steps
from linclass.linear.objective.certificate import Certified
from linclass.linear.objective.moreau_envelope import envelope
from linclass.linear.objective.point import Point
from linclass.linear.objective.second_order import SecondOrder
from linclass.linear.penalties.base import Penalty
from linclass.linear.penalties.entrywise import Unpenalized

NARROW = 160_000  # entries of a block of one score, whose arithmetic should cost more than its calls of NumPy
UNPENALIZED = Unpenalized()


class Objective(SecondOrder, Certified):
    """The loss of given rows plus the penalty, as a function of theta."""

    def __init__(
        self,
        design: DesignMatrix,
        loss: Loss,
        y: Array,
        weights: Array | None = None,
        penalty: Penalty = UNPENALIZED,
        strength: float = 0.0,
    ):
        self.design, self.loss, self.y = design, loss, y
        weights = np.ones(design.n_rows) if weights is None else weights
        self.counts = weights  # as given; objectives derived from this one know shares only
        self.weights = weights / weights.sum()
        self.chosen_penalty = penalty
        self._set_strength(strength)
        scores = loss.n_scores if y.ndim == 1 else len(y)
        many = scores > 1 or y.ndim == 2
        self.shape = (scores, design.width) if many else (design.width,)
        self.n_parameters = math.prod(self.shape)
        # rows at a time, so that their scores and slopes stay in the cache
        narrow = min(4 * BLOCK, NARROW // design.width)
        self.block = max(64, BLOCK // scores) if many else max(BLOCK, narrow)

    @property
    def is_quadratic(self) -> bool:
        return self.loss.quadratic and not self.kinked

    def zero(self) -> Array:
        return np.zeros(self.shape)

    def at(self, theta: Array) -> Point:
        return Point(self, theta, self.design.scores(theta))

    def at_with_gradient(self, theta: Array) -> Point:
        """The point; of one score and many dense rows, gradient and all in one pass over them."""
        one_pass = len(self.shape) == 1 and not self.design.is_sparse
        few = self.design.n_rows <= self.block
        return self.in_one_pass(theta) if one_pass and not few else self.at(theta)

    def at_with_hessian(self, theta: Array) -> Point:
        """The point; of many rows, gradient, Hessian and all in one pass over them."""
        if isinstance(self.loss, MarginLoss) and not theta.any():
            return self.at(theta).with_known(_jet=self.loss.jet_at_zero(self.y))
        sparse = len(self.shape) == 1 and self.design.is_sparse
        few = self.design.n_rows <= self.block
        return self.at(theta) if few or sparse else self.in_one_pass(theta, hessian=True)

    def prepared_steps(self, eta: float) -> Advance:
        """(theta, steps) ↦ theta after that many steps of −η∇P, in place, for many small steps."""
        loss, design = self.loss, self.design
        plain = not design.is_sparse and not self.strength
        if plain and isinstance(loss, MarginLoss) and loss.slope_as_ufunc is not None:
            return affine_steps(loss, design, self.y, self.weights, eta)

        def advance(theta: Array, steps: int) -> None:
            for _ in range(steps):
                theta -= eta * self.at(theta).gradient

        return advance

    def batch_gradient(self, rows: slice, theta: Array) -> Array:
        """An unbiased estimate of ∇P from a few rows."""
        z = self.design.scores_of(rows, theta)
        scale = self.design.n_rows / (rows.stop - rows.start)
        g = self.design.pull_of(
            rows, scale * self.weights[rows] * self.loss.slopes(self.y[..., rows], z)
        )
        return self.with_penalty_gradient(g, theta)

    def take(self, rows: Index, weights: Array | None = None) -> Objective:
        """The same for some rows, or for weights of theirs; it is a mean, so the strength is the same."""
        return Objective(
            self.design.take(rows),
            self.loss,
            self.y[..., rows],
            self.weights[rows] if weights is None else weights,
            self.chosen_penalty,
            self.strength,
        )

    def with_strength(self, strength: float) -> Objective:
        """The same for another strength, sharing what depends on the rows alone."""
        other = object.__new__(type(self))
        vars(other).update(vars(self))
        other._set_strength(strength)
        return other

    def _set_strength(self, strength: float) -> None:
        """The strength, and the penalty in force: at strength 0 there is none."""
        self.strength = float(strength) if self.chosen_penalty.binds else 0.0
        self.penalty = penalty = self.chosen_penalty if self.strength else UNPENALIZED
        self.curvature = self.strength * penalty.curvature
        self.kink = self.strength * penalty.kink
        self.kinked, self.strongly_convex = penalty.kinked, penalty.strongly_convex
        self.uniform, self.unpenalized = penalty.uniform, penalty.unpenalized
        self.entrywise = penalty.entrywise

    def with_penalty(self, penalty: Penalty, strength: float) -> Objective:
        """The same loss with another penalty."""
        return Objective(self.design, self.loss, self.y, self.weights, penalty, strength)

    def envelope(self, slopes: Array, reach: float) -> Objective:
        """The same with the Moreau envelopes of a piecewise linear loss around slopes."""
        loss, y = envelope(self.loss, self.y, slopes, reach)
        P = Objective(self.design, loss, y, self.weights, self.chosen_penalty, self.strength)
        vars(P).update(
            {k: v for k, v in vars(self).items() if k in ("column_norms", "column_means", "far")}
        )
        return P

    @property
    def without_offset(self) -> Objective:
        """The same without it, which can be separated along the same directions."""
        if not isinstance(self.loss, WithOffset):
            return self
        loss, y = self.loss.loss, self.y["target"]
        return Objective(self.design, loss, y, self.weights, self.chosen_penalty, self.strength)

    def on_features(self, features: Array) -> Objective:
        """The same for some features, with all other weights 0."""
        design = self.design.take_features(features)
        penalty = self.chosen_penalty.on(features)
        return Objective(design, self.loss, self.y, self.weights, penalty, self.strength)


def strength_of_C(C: float, n: float) -> float:
    """The strength 1/(n·C) that gives the same fit as scikit-learn's C.

    scikit-learn minimizes C · Σ w_i loss_i + penalty, linclass the mean (1/Σw_i) Σ w_i loss_i + strength · penalty.

    Parameters
    ----------
    C : float
        scikit-learn's parameter, above 0.
    n : float
        Number of training rows; with weights their sum Σw.

    Returns
    -------
    float
        The strength. The same formula converts back: a strength is C = 1/(n·strength).
    """
    return 1.0 / (C * n)
