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
from dataclasses import dataclass
from typing import Any

import numpy as np

from linclass.base import validation
from linclass.base.arrays import Array, PerRow
from linclass.linear.objective.objective import Objective
from linclass.linear.solvers.base import Solution

BEYOND, ON_MARGIN, INSIDE = "beyond", "on margin", "inside"
ON_BOUNDARY, MISCLASSIFIED, LEFT_OUT = "on boundary", "misclassified", "left out"
TIE = 1e-9  # rounding error of scores


@dataclass(frozen=True)
class MarginRows:
    """Results of a margin fit for each training row: one entry per row that was passed to `fit`, 0 or NaN for rows of
    weight 0; for more than two classes one row of entries per class.
    """

    dual_variables: Array
    slacks: Array
    limits: Array | float  # C_i, infinite if α is unbounded
    piecewise_linear: bool  # the loss, so that α = C_i beyond the kink

    @classmethod
    def of(
        cls, objectives: Sequence[Objective], solutions: Sequence[Solution], kept: Array
    ) -> MarginRows:
        """`kept` masks the rows of the objectives among those that were passed to `fit`."""
        alphas, slacks = [], []
        for P, solution in zip(objectives, solutions, strict=True):
            z = P.design.scores(solution.theta) if solution.scores is None else solution.scores
            slacks.append(np.maximum(1 - P.y * z, 0))
            alpha = solution.alpha
            if alpha is None:  # from the slopes of the certificate
                s = P.at(solution.theta).slopes if solution.slopes is None else solution.slopes
                alpha = P.weights / P.strength * np.maximum(-P.y * s, 0)
            alphas.append(alpha)
        first = objectives[0]
        linear = first.loss.piecewise_linear
        bounded = linear and solutions[0].alpha is None
        return cls(
            of_all_rows(alphas, kept, 0.0),
            of_all_rows(slacks, kept, np.nan),
            of_all_rows([first.weights / first.strength], kept, np.inf) if bounded else np.inf,
            linear,
        )

    @property
    def roles(self) -> Array:
        """Role of each row, from its dual variable and its slack."""
        named = roles(self.dual_variables, self.slacks, self.limits, self.piecewise_linear)
        return np.where(np.isnan(self.slacks), LEFT_OUT, named)


def roles_of(model: Any) -> Array:
    """`roles_` of a fitted model, which has `_margin_rows`."""
    if not hasattr(model, "_margin_rows"):
        raise AttributeError(
            f"{type(model).__name__} is not fitted, so it has no roles_; call fit first"
        )
    return np.asarray(model._margin_rows.roles)


def roles(alpha: Array, slacks: Array, limit: Array | float, piecewise_linear: bool) -> Array:
    """The role of each row. Near the margin, where scores are inexact, the dual variables decide."""
    at_limit = alpha >= (1 - TIE) * limit if piecewise_linear else alpha > 0
    on = ((alpha > 0) & ~at_limit) | (slacks > TIE) & (alpha == 0) | at_limit & (slacks <= TIE)
    near_one = np.abs(slacks - 1) <= TIE
    named = np.array([MISCLASSIFIED, INSIDE, ON_BOUNDARY, BEYOND, ON_MARGIN])
    number = np.zeros(alpha.shape, dtype=np.int8)
    for k, rule in enumerate([slacks < 1, near_one, slacks <= TIE, on], start=1):
        number[rule] = k  # later rules take precedence
    return named[number]


def of_all_rows(values: list[Array], kept: Array, absent: Any) -> Array:
    """Values for all rows passed to `fit`, of one problem or of several; rows without weight have `absent`."""
    if kept.all():
        return values[0] if len(values) == 1 else np.array(values)
    out = np.full((len(values), len(kept)), absent, np.result_type(values[0]))
    out[:, kept] = values
    return out[0] if len(values) == 1 else out


def rows_that_count(sample_weight: PerRow, rows: int) -> Array:
    """Mask of the rows with a positive weight; the others take no part in the fit."""
    return validation.row_weights(sample_weight, rows) > 0
