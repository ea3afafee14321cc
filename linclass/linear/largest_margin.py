"""The separating hyperplane of largest margin γ, and Novikoff's bound (R/γ)² on the mistakes of the perceptron."""

from __future__ import annotations

from dataclasses import dataclass, replace
from numbers import Real
from typing import Any

import numpy as np

from linclass.base.arrays import Array, ArrayLike, MatrixLike
from linclass.base.design_matrix import DesignMatrix
from linclass.linear.maximum_margin import maximum_margin
from linclass.separation.decision import proved
from linclass.separation.proofs.signed_rows import SignedRows
from linclass.separation.result import Separation, certain_margin, separation
from linclass.separation.separability import of_pairs


@dataclass(frozen=True)
class LargestMargin(Separation):
    """A separation with the largest margin γ, and an upper `bound` of it from points of both convex hulls.

    `status` is 'converged' if the two are within the tolerance, else 'max_iter': then a larger margin may exist.
    """

    bound: float
    radius: float  # R = max ‖x_i‖, the constant feature being part of x_i
    status: str
    reason: str

    @property
    def gap(self) -> float:
        """Relative gap of ½‖w‖² = 1/(2γ²); 0 if the classes are not separable."""
        return max(1 - (self.margin / self.bound) ** 2, 0.0) if self.separable else 0.0

    @property
    def most_mistakes(self) -> float:
        """Novikoff (1962): in all, the perceptron makes at most (R/γ)² mistakes; ∞ if inseparable.

        Its intercept is the weight of a constant, so a free one has no such bound.
        """
        if self.intercept_kind == "free":
            raise ValueError("the perceptron's intercept is a feature: use intercept='feature'.")
        return (self.radius / self.margin) ** 2 if self.margin > 0 else np.inf


def largest_margin(X: MatrixLike, y: ArrayLike, intercept: str = "free", tol: float = 1e-6) -> Any:
    """The separating hyperplane of largest margin, and the perceptron's bound (R/γ)² on mistakes.

        γ = max min_i y_i w·x_i/‖w‖             intercept 'none'
        γ = the same for the rows (x_i, 1)      intercept 'feature', the perceptron's
        γ = max min_i y_i (w·x_i + b)/‖w‖       intercept 'free', the support vector machine's

    Parameters
    ----------
    X : array, sparse matrix or data frame of shape (n, d)
        Rows; finite numbers.
    y : array of shape (n,)
        Class of each row.
    intercept : {'free', 'feature', 'none'}, default='free'
        Hyperplanes: 'none' through the origin; 'free' and 'feature' anywhere. The norm of the weights,
        by which the margin is measured, includes the intercept only for 'feature'.
    tol : float, default=1e-06
        Tolerance of the relative gap of ½‖w‖² between γ and its upper `bound`; `status` says whether
        it was reached.

    Returns
    -------
    LargestMargin or dict
        For more than two classes a dict {(k, l): LargestMargin} over the pairs of classes.
    """
    if not (isinstance(tol, Real) and tol >= 0):
        raise ValueError(f"tol is {tol!r}; it must be a number, at least 0.")

    def of_pair(rows: SignedRows, classes: tuple[Any, Any]) -> LargestMargin:
        return _with_largest_margin(separation(proved(rows), rows, classes, intercept), rows, tol)

    return of_pairs(X, y, intercept, of_pair)


def _with_largest_margin(found: Separation, rows: SignedRows, tol: float) -> LargestMargin:
    """The same separation, whose hyperplane, if there is one, is that of largest margin."""
    design = _design(rows, found.intercept_kind)
    radius = float(np.sqrt(design.squared_row_norms().max()))
    w, b, margin, bound = found.weights, found.intercept, 0.0, 0.0
    if found.separable:
        best = maximum_margin(design, rows.y, tol)
        margin, bound = found.margin, best.bound
        if best.separable:
            plane = _hyperplane(best.theta, rows.n_features, found.intercept_kind)
            if rows.are_right(*plane):
                w, b = plane
                margin, b = certain_margin(w, b, rows, found.intercept_kind)
    largest = LargestMargin(
        found.kind,
        found.classes,
        found.intercept_kind,
        w,
        b,
        margin,
        found.multipliers,
        bound,
        radius,
        "converged",
        "",
    )
    if largest.gap <= tol:
        return largest
    return replace(largest, status="max_iter", reason=_reason(margin, bound, found.intercept_kind))


def _reason(margin: float, bound: float, intercept: str) -> str:
    remedy = "Standardize the columns" + (
        ", or use intercept='free'." if intercept != "free" else "."
    )
    return f"the margin is {margin:.3g}, and only known to be at most {bound:.3g}. {remedy}"


def _design(rows: SignedRows, intercept: str) -> DesignMatrix:
    design = DesignMatrix(rows.X, intercept == "free")
    return design.with_constant_feature() if intercept == "feature" else design


def _hyperplane(theta: Array, d: int, intercept: str) -> tuple[Array, float]:
    return theta[:d], 0.0 if intercept == "none" else float(theta[d])
