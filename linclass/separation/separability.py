"""Linear separability of classes: a separating hyperplane with its margin, or a proof that none exists.

For K > 2 classes the result has an entry for every pair: {(class, class): …}.   Albert & Anderson (1984)
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from itertools import combinations
from typing import Any

import numpy as np

from linclass.base import validation
from linclass.base.arrays import Array, ArrayLike, MatrixLike
from linclass.separation.decision import proved
from linclass.separation.signed_rows import SignedRows
from linclass.separation.witness import Alternative, holds


def separability(
    X: MatrixLike, y: ArrayLike, intercept: str = "free", method: str = "newton"
) -> Any:
    """Whether a hyperplane separates the classes, with a proof of the answer.

    Parameters
    ----------
    X : array, sparse matrix or data frame of shape (n, d)
        Rows; finite numbers.
    y : array of shape (n,)
        Class of each row.
    intercept : {'free', 'feature', 'none'}, default='free'
        Hyperplanes: 'none' through the origin; 'free' and 'feature' anywhere. The norm of the weights,
        by which the margin is measured, includes the intercept only for 'feature'.
    method : {'newton', 'newton_alone', 'linear_program'}, default='newton'
        Algorithm. 'newton' ends with others where Newton's method proves nothing; 'newton_alone' then
        raises Undecided, rather than take long; 'linear_program' is a slow reference.

    Returns
    -------
    Separation or dict
        For more than two classes a dict {(k, l): Separation} over the pairs of classes.
    """

    def of_pair(rows: SignedRows, classes: tuple[Any, Any]) -> Separation:
        return separation(proved(rows, method), rows, classes, intercept)

    return of_pairs(X, y, intercept, of_pair)


def of_pairs(
    X: MatrixLike,
    y: ArrayLike,
    intercept: str,
    of_pair: Callable[[SignedRows, tuple[Any, Any]], Any],
) -> Any:
    """`of_pair` of the rows of two classes, or a dict of it over all pairs of classes."""
    if intercept not in INTERCEPTS:
        raise ValueError(f"intercept is {intercept!r}; use {', '.join(INTERCEPTS)}.")
    X = validation.matrix(X, owner="separability")
    classes, codes = validation.encode(validation.labels(y, X.shape[0], "separability"))
    if len(classes) < 2:
        raise ValueError(f"y has 1 class: {classes.tolist()[0]!r}; separability needs two.")
    found = {}
    for k, l in combinations(range(len(classes)), 2):
        own = slice(None) if len(classes) == 2 else (codes == k) | (codes == l)
        rows = SignedRows(X[own], np.where(codes[own] == l, 1.0, -1.0), intercept != "none")
        pair = classes[k].item(), classes[l].item()
        found[pair] = of_pair(rows, pair)
    return found if len(classes) > 2 else found[pair]


# A separation result, with proofs that can be checked by one matrix product each.
#
#     complete         y_i (w·x_i + b) > 0 for all rows
#     quasi-complete   y_i (w·x_i + b) ≥ 0 for all rows, > 0 for some; λ proves that no w is strict for all
#     none             y_i (w·x_i + b) ≥ 0 for all rows only if all are 0
#
# λ ≥ 0 with Σ λ_i y_i (x_i, 1) = 0: convex combinations of the two classes' rows coincide (the λ of each class sum
# to 1). Without an intercept it is Farkas' vector, Σ λ_i y_i x_i = 0 with Σ λ_i = 1.

INTERCEPTS = ("none", "feature", "free")


@dataclass(frozen=True)
class Separation:
    """Whether a hyperplane separates two classes, with a proof.

    Attributes
    ----------
    kind : str
        'complete', 'quasi-complete' or 'none'.
    classes : (label, label)
        The two classes; w points to the second.
    intercept_kind : str
        'free', 'feature' or 'none', see `separability`.
    weights, intercept : array of shape (d,) or None, float
        The hyperplane; no weights if the kind is 'none'.
    margin : float
        min y_i (w·x_i + b)/‖w‖, or /‖(w, b)‖ for 'feature'; 0 unless complete.
    multipliers : array of shape (n,)
        λ, 0 if the separation is complete.
    """

    kind: str
    classes: tuple[Any, Any]
    intercept_kind: str
    weights: Array | None
    intercept: float
    margin: float
    multipliers: Array = field(repr=False)

    @property
    def separable(self) -> bool:
        return self.kind == "complete"

    def scores(self, X: MatrixLike) -> Array:
        assert self.weights is not None, "no hyperplane"
        return X @ self.weights + self.intercept

    def holds(self, X: MatrixLike, y: ArrayLike) -> bool:
        """Check both proofs on the rows of these two classes.

        Parameters
        ----------
        X : array, sparse matrix or data frame of shape (n, d)
            Rows of the two classes.
        y : array of shape (n,)
            Class of each row.

        Returns
        -------
        bool
        """
        X, y = validation.matrix(X, owner="separability"), np.asarray(y).ravel()
        rows = SignedRows(
            X, np.where(y == self.classes[1], 1.0, -1.0), self.intercept_kind != "none"
        )
        plane = None if self.weights is None else (self.weights, self.intercept)
        return holds(rows, plane, self.multipliers)


def separation(
    found: Alternative, rows: SignedRows, classes: tuple[Any, Any], intercept: str
) -> Separation:
    multipliers, w, b, margin = found.multipliers, None, 0.0, 0.0
    if multipliers.any() and intercept != "none":
        multipliers = 2 * multipliers
    if found.direction is not None:
        w, b = rows.hyperplane(found.direction)
    if w is not None and found.kind == "complete":
        margin, b = certain_margin(w, b, rows, intercept)
    return Separation(found.kind, classes, intercept, w, b, margin, multipliers)


def margin_of(w: Array, b: float, rows: SignedRows, intercept: str) -> tuple[float, float]:
    """(margin, b); an unpenalized b is midway between the classes."""
    z, positive = rows.X @ w, rows.y > 0
    length = length_of(w)
    if intercept == "free" and positive.any() and not positive.all():
        low, high = float(z[~positive].max()), float(z[positive].min())
        if length > 0 and high > low:
            return (high - low) / 2 / length, -(low + high) / 2
    if intercept == "feature":
        length = float(np.hypot(length, b))
    return float((rows.y * (z + b)).min()) / length, b


def certain_margin(w: Array, b: float, rows: SignedRows, intercept: str) -> tuple[float, float]:
    """The same for a hyperplane that is proved to separate, even if rounding hides it."""
    margin, middle = margin_of(w, b, rows, intercept)
    b = middle if rows.are_right(w, middle) else b
    length = float(np.hypot(length_of(w), b)) if intercept == "feature" else length_of(w)
    if margin * length <= 1e6 * rows.rounding(w, b):
        margin = rows.least(w, b) / length
    return margin, b


def length_of(w: Array) -> float:
    """‖w‖ without overflow or underflow of squares."""
    largest = float(np.abs(w).max(initial=0))
    return largest * float(np.linalg.norm(w / largest)) if largest > 0 else 0.0
