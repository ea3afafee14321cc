"""Dual variables, slacks and the role of each row in a margin fit.

At the minimum of ½‖w‖² + Σ C_i max(0, 1 − y_i z_i),  C_i = w_i/(Σw·strength), there are α_i with

    w = Σ α_i y_i x_i,   Σ α_i y_i = 0,   ξ_i = max(0, 1 − y_i z_i),
    α_i = 0    beyond the margin (y z > 1) or on it
    0 < α_i < C_i    on the margin (y z = 1)
    α_i = C_i    on it, inside it (0 < ξ < 1), on the boundary (ξ = 1), misclassified (ξ > 1)

(squared hinge: α_i = 2 C_i ξ_i). The rows with α_i > 0 are the support vectors: removing any other row
does not change the fit.   Hastie, Tibshirani & Friedman (2009), §12.2
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from linclass.base import validation
from linclass.base.arrays import Array, ArrayLike
from linclass.linear.objective.objective import Objective
from linclass.linear.solvers.base import Solution

BEYOND, ON_MARGIN, INSIDE = "beyond", "on margin", "inside"
ON_BOUNDARY, MISCLASSIFIED, LEFT_OUT = "on boundary", "misclassified", "left out"
TIE = 1e-9  # rounding error of scores


class MarginRows:
    """Results of a margin fit for each training row: `dual_variables_`, `slacks_` and `roles_`, one entry per row
    that was passed to `fit`; for more than two classes one row of entries per class.
    """

    dual_variables_: Array
    slacks_: Array
    _limits: Array | float  # C_i, infinite if α is unbounded
    _straight: bool  # the loss is piecewise linear, so that α = C_i beyond the kink

    @property
    def roles_(self) -> Array:
        """Role of each row, from its dual variable and its slack."""
        if "_limits" not in vars(self):
            raise AttributeError("roles_ come with the fit; call fit first")
        named = roles(self.dual_variables_, self.slacks_, self._limits, self._straight)
        return np.where(np.isnan(self.slacks_), LEFT_OUT, named)

    def _keep_rows(
        self,
        objectives: Sequence[Objective],
        solutions: Sequence[Solution],
        kept: Array,
    ) -> list[Array]:
        """Set the attributes; returns α of the rows that were kept, for each two-class problem."""
        pairs = list(zip(objectives, solutions, strict=True))
        found = [dual_variables(*pair) for pair in pairs]
        slacks = [slacks_of(P, scores(P, s)) for P, s in pairs]
        self.dual_variables_ = of_all_rows(found, kept, 0.0)
        self.slacks_ = of_all_rows(slacks, kept, np.nan)
        first = objectives[0]
        self._straight = bool(first.loss.piecewise_linear)
        bounded = self._straight and solutions[0].alpha is None
        limits = first.weights / first.strength if bounded else np.inf
        self._limits = (
            of_all_rows([limits], kept, np.inf) if isinstance(limits, np.ndarray) else limits
        )
        return found


def dual_variables(objective: Objective, solution: Solution) -> Array:
    """α from the slopes of the certificate, if the solver does not give it."""
    if solution.alpha is not None:
        return solution.alpha
    s = solution.slopes
    if s is None:
        s = objective.at(solution.theta).slopes
    y, _ = objective.loss.parted(objective.y)
    return objective.weights / objective.strength * np.maximum(-y * s, 0)


def slacks_of(objective: Objective, z: Array) -> Array:
    """ξ of the scores, with their offsets."""
    y, offset = objective.loss.parted(objective.y)
    slacks: Array = np.maximum(1 - y * (z if offset is None else z + offset), 0)
    return slacks


def scores(objective: Objective, solution: Solution) -> Array:
    if solution.scores is None:
        return objective.design.scores(solution.theta)
    return solution.scores


def roles(alpha: Array, slacks: Array, limit: Array | float, straight: bool) -> Array:
    """The role of each row. Near a kink, where scores are inexact, the dual variables decide."""
    at_limit = alpha >= (1 - TIE) * limit if straight else alpha > 0
    on = ((alpha > 0) & ~at_limit) | (slacks > 0) & (alpha == 0) | at_limit & (slacks <= TIE)
    near_one = np.abs(slacks - 1) <= TIE
    named = np.array([MISCLASSIFIED, INSIDE, ON_BOUNDARY, BEYOND, ON_MARGIN])
    number = np.zeros(alpha.shape, dtype=np.int8)
    for k, rule in enumerate([slacks < 1, near_one, slacks <= 0, on], start=1):
        number[rule] = k  # later rules take precedence
    return named[number]


def of_all_rows(values: list[Array], kept: Array, absent: Any) -> Array:
    """One entry for each row that was passed to `fit`, of one problem or of several."""
    if kept.all():
        return values[0] if len(values) == 1 else np.array(values)
    out = np.full((len(values), len(kept)), absent, np.result_type(values[0]))
    out[:, kept] = values
    return out[0] if len(values) == 1 else out


def rows_that_count(sample_weight: ArrayLike | None, rows: int) -> Array:
    """Mask of the rows with a positive weight; the others take no part in the fit."""
    return validation.row_weights(sample_weight, rows) > 0
