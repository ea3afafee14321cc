"""Linear separability of classes: a separating hyperplane with its margin, or a proof that none exists.

For K > 2 classes the result has an entry for every pair: {(class, class): …}.   Albert & Anderson (1984)
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from fractions import Fraction
from itertools import combinations
from typing import Any

import numpy as np
from scipy import sparse

from linclass.base import validation
from linclass.base.arrays import Array, ArrayLike, MatrixLike
from linclass.separation.alternative import alternative, polished, row_space
from linclass.separation.signed_rows import SignedRows, decide_exactly
from linclass.separation.witness import Alternative, holds, in_integers


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
    results = {}
    for k, l in combinations(range(len(classes)), 2):
        members = slice(None) if len(classes) == 2 else (codes == k) | (codes == l)
        rows = SignedRows(X[members], np.where(codes[members] == l, 1.0, -1.0), intercept != "none")
        pair = classes[k].item(), classes[l].item()
        results[pair] = of_pair(rows, pair)
    return results if len(classes) > 2 else results[pair]


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
        sign = np.where(y == self.classes[1], 1.0, -1.0)
        rows = SignedRows(X, sign, self.intercept_kind != "none")
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
    """The margin and the best b of a hyperplane that is proved to separate, even if rounding hides the margin."""
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


# The separability of rows, decided with a proof: by Newton's method, else in integers or by a linear program.

# One feature, and a threshold: the extreme rows of both classes decide, however near they are.
#
# Complete separation: w and b are floats, so multiples of w are tried until w·x + b has the signs of the last row of
# one class and the first of the other, in exact arithmetic. Overlap: both classes have rows below and above some t, so
# each has weights λ > 0 with mean t, most of them on its extreme rows. Classes that touch are left to the other
# methods.

MULTIPLES = 10_000  # of w; each rounds w·x + b in another way


def one_feature(rows: SignedRows) -> Alternative | None:
    """The alternative for one feature and an intercept; None otherwise, and if the classes touch."""
    if rows.n_features != 1 or not rows.constant:
        return None
    x = (rows.X.toarray() if rows.is_sparse else rows.X)[:, 0]
    first, second = x[rows.y < 0], x[rows.y > 0]
    if not (len(first) and len(second)):
        return None
    if first.max() > second.min() and second.max() > first.min():
        return Alternative(None, _overlapping(x, rows.y))
    sign = 1.0 if first.max() < second.min() else -1.0
    low, high = sorted([first, second], key=lambda own: float(own.max()))
    below, above = Fraction(float(low.max())), Fraction(float(high.min()))
    if below >= above:
        return None
    shift, inverse = Fraction(float(rows.shift[0])), Fraction(float(rows.inverse[0]))
    at = ((below + above) / 2 - shift) * inverse  # the threshold, in the coordinates of d
    for multiple in range(1, MULTIPLES):
        d = np.array([sign * multiple, float(-int(sign) * multiple * at)])
        w, b = rows.hyperplane(d)
        left, right = (Fraction(float(w[0])) * end + Fraction(b) for end in (below, above))
        if (left < 0 < right) if sign > 0 else (right < 0 < left):
            return Alternative(d, np.zeros(rows.n_rows))
    return None


def _overlapping(x: np.ndarray, y: np.ndarray) -> np.ndarray:
    """λ > 0 with Σ λ_i y_i (x_i, 1) = 0 and Σλ = 1."""
    classes = [np.flatnonzero(y < 0), np.flatnonzero(y > 0)]
    low = Fraction(float(max(x[members].min() for members in classes)))
    high = Fraction(float(min(x[members].max() for members in classes)))
    t, multipliers = (low + high) / 2, np.zeros(len(x))
    for members in classes:
        first, last = members[x[members].argmin()], members[x[members].argmax()]
        least, largest = Fraction(float(x[first])), Fraction(float(x[last]))
        if least == largest:
            multipliers[members] = 0.5 / len(members)
            continue
        mean = min(max(Fraction(float(x[members].mean())), least), largest)
        # the share that all rows have alike
        equal = min(t - least, largest - t) / (2 * (largest - least))
        at_last = (t - equal * mean - (1 - equal) * least) / (largest - least)
        multipliers[members] = float(equal) / (2 * len(members))
        multipliers[last] += float(at_last) / 2
        multipliers[first] += float(1 - equal - at_last) / 2
    return multipliers


# The witnesses in integer arithmetic, for few rows and columns, if floating point does not decide.

INTEGER_MULTIPLES = 32  # of a direction, each of which is rounded in another way


def by_integers(rows: SignedRows) -> Alternative | None:
    """The alternative in integers; None if there are too many rows, or if rounding spoils each multiple of a direction.

    For example, w = 1 has no b for a threshold between 1 and the next float, and w = 3 has one.
    """
    Z = in_integers(rows)
    if Z is None:
        return None
    d, multipliers = decide_exactly(Z)
    total = sum(multipliers) or 1
    shares = np.array([float(m / total) for m in multipliers])
    if d is None:
        return Alternative(None, shares)
    largest = max(abs(int(v)) for v in d)
    for multiple in range(1, INTEGER_MULTIPLES):
        direction = np.array([float(Fraction(multiple * int(v), largest)) for v in d])
        if (proof := Alternative(direction, shares)).holds(rows):
            return proof
    return None


# The witnesses from a linear program, the reference:
#
#     max Σ t_i   subject to   Z_i d ≥ t_i,  0 ≤ t_i ≤ 1.
#
# d can be scaled up, so at the optimum t_i is 1 if some d has Z_i d > 0 and Z d ≥ 0, else 0. The dual variables of
# the inequalities are a λ ≥ 0 with Zᵀλ = 0, λ_i ≥ 1 where t_i = 0 and λ_i = 0 elsewhere.


def by_linear_program(rows: SignedRows) -> Alternative | None:
    """The alternative by a linear program; None if it was not solved."""
    from scipy.optimize import linprog  # slow to import

    n, p = rows.n_rows, rows.width
    Z = sparse.csr_array(rows.take())
    result = linprog(
        np.r_[np.zeros(p), -np.ones(n)],
        A_ub=sparse.hstack([-Z, sparse.eye_array(n)], format="csr"),
        b_ub=np.zeros(n),
        bounds=[(None, None)] * p + [(0, 1)] * n,
        method="highs",
    )
    if result.status != 0:
        return None
    separated = result.x[p:] > 0.5
    multipliers = np.where(separated, 0, np.maximum(-result.ineqlin.marginals, 0))
    direction = result.x[:p] if separated.any() else None
    if multipliers.any():
        multipliers = polished(rows, multipliers)
        if direction is not None:  # exactly orthogonal to the touching rows
            V = row_space(rows.take(np.flatnonzero(multipliers)))
            direction = direction - V @ (V.T @ direction)
    return Alternative(direction, multipliers)


METHODS: dict[str, tuple[Callable[[SignedRows], Alternative | None], ...]] = {
    # in this order, until one gives a proof
    "newton": (alternative, one_feature, by_integers, by_linear_program),
    "newton_alone": (alternative,),  # undecided rather than slow
    "linear_program": (by_linear_program,),
}


class Undecided(ArithmeticError):
    """Neither a hyperplane nor its impossibility could be proved."""

    def __init__(self) -> None:
        super().__init__(
            "separability could not be proved or refuted; the rows touch a "
            "hyperplane to rounding. Round the features, or rescale them."
        )


def proved(rows: SignedRows, method: str = "newton") -> Alternative:
    """The witnesses that prove whether a hyperplane exists; raises Undecided if none do."""
    if method not in METHODS:
        raise ValueError(f"method is {method!r}; use {' or '.join(METHODS)}.")
    for attempt in METHODS[method]:
        proof = attempt(rows)
        if proof is not None and proof.holds(rows):
            return proof
    raise Undecided
