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

from typing import Any, NamedTuple

import numpy as np

from linclass import validation
from linclass.numerics import Array
from linclass.objective.objective import Objective
from linclass.solvers.base import Solution

BEYOND, ON_MARGIN, INSIDE = "beyond", "on margin", "inside"
ON_BOUNDARY, MISCLASSIFIED, LEFT_OUT = "on boundary", "misclassified", "left out"
TIE = 1e-9  # rounding error of scores


class Support(NamedTuple):
    """Of one two-class problem, one entry per row."""

    alpha: Array
    slacks: Array
    roles: Array


def support(objective: Objective, solution: Solution, alpha: Array | None = None) -> Support:
    """Dual variables from the slopes of the certificate, or from `alpha` if they are known."""
    point = objective.at(solution.theta)
    limit: Array | float = np.inf
    if alpha is None:
        s = point.slopes if solution.slopes is None else solution.slopes
        alpha = objective.weights / objective.strength * np.maximum(-objective.y * s, 0)
        if objective.loss.piecewise_linear:
            limit = objective.weights / objective.strength
    slacks = np.maximum(1 - objective.y * point.scores, 0)
    straight = objective.loss.piecewise_linear
    return Support(alpha, slacks, roles(alpha, slacks, limit, straight))


def roles(alpha: Array, slacks: Array, limit: Array | float, straight: bool) -> Array:
    """The role of each row. Near a kink, where scores are inexact, the dual variables decide."""
    at_limit = alpha >= (1 - TIE) * limit if straight else alpha > 0
    on = ((alpha > 0) & ~at_limit) | (slacks > 0) & (alpha == 0) | at_limit & (slacks <= TIE)
    near_one = np.abs(slacks - 1) <= TIE
    named = np.array([MISCLASSIFIED, INSIDE, ON_BOUNDARY, BEYOND, ON_MARGIN])
    number = np.zeros(len(alpha), dtype=np.int8)
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


def rows_that_count(sample_weight: Any, rows: int) -> Array:
    """Mask of the rows with a positive weight; the others take no part in the fit."""
    return validation.row_weights(sample_weight, rows) > 0
