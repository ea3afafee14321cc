"""A separation whose hyperplane is the one of largest margin, and what that says of the perceptron."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy import sparse

from linclass.numerics import Array, DesignMatrix
from linclass.separation.maximum_margin import maximum_margin
from linclass.separation.result import Separation, margin_of
from linclass.separation.signed_rows import SignedRows


@dataclass(frozen=True)
class LargestMargin(Separation):
    """`margin` γ ≤ `bound`, which no hyperplane exceeds: the distance of points of both convex hulls."""

    bound: float
    radius: float  # R = max ‖x_i‖, the constant feature being part of x_i

    @property
    def most_mistakes(self) -> float:
        """Novikoff (1962): in all, the perceptron makes at most (R/γ)² mistakes; ∞ if inseparable.

        Its intercept is the weight of a constant, so a free one has no such bound.
        """
        if self.intercept_kind == "free":
            raise ValueError("the perceptron's intercept is a feature: use intercept='feature'.")
        return (self.radius / self.margin) ** 2 if self.margin > 0 else np.inf


def widest(found: Separation, rows: SignedRows, tol: float) -> LargestMargin:
    """The same answer, but for the hyperplane where there is one."""
    design = _design(rows, found.intercept_kind)
    radius = float(np.sqrt(design.row_norms().max()))
    w, b, margin, bound = found.weights, found.intercept, 0.0, 0.0
    if found.separable:
        best = maximum_margin(design, rows.y, tol)
        margin, bound = found.margin, best.bound
        if best.separable:
            w, b = _hyperplane(best.theta, rows.n_features, found.intercept_kind)
            margin, b = margin_of(w, b, rows, found.intercept_kind)
    return LargestMargin(
        found.kind,
        found.classes,
        found.intercept_kind,
        w,
        b,
        margin,
        found.multipliers,
        bound,
        radius,
    )


def _design(rows: SignedRows, intercept: str) -> DesignMatrix:
    X: Any = rows.X
    if intercept == "feature":
        one = np.ones((rows.n_rows, 1))
        X = sparse.csr_array(sparse.hstack([X, one])) if rows.is_sparse else np.hstack([X, one])
    return DesignMatrix(X, intercept == "free")


def _hyperplane(theta: Array, d: int, intercept: str) -> tuple[Array, float]:
    return theta[:d], 0.0 if intercept == "none" else float(theta[d])
