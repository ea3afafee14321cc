"""Can a hyperplane separate the classes? Either it is given, with its margin, or the proof that none can.

    separability(X, y)      any separating hyperplane, by Newton's method or a linear program
    largest_margin(X, y)    the one of largest margin γ, and Novikoff's bound (R/γ)² of the perceptron

For K > 2 classes both answer for every pair: {(class, class): …}.   Albert & Anderson (1984), Biometrika 71
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from itertools import combinations
from numbers import Real
from types import ModuleType
from typing import Any

import numpy as np

from linclass import validation
from linclass.separation.proof import proved
from linclass.separation.result import INTERCEPTS, Separation, separation
from linclass.separation.signed_rows import SignedRows
from linclass.separation.widest import LargestMargin, widest


def separability(X: Any, y: Any, intercept: str = "free", method: str = "newton") -> Any:
    """A Separation; for more than two classes {(k, l): Separation}.

    intercept   "none": hyperplanes through the origin; "feature", "free": anywhere, which differs
                in what their margin is
    method      "newton", or "linear_program", the slow reference
    """

    def of_pair(rows: SignedRows, classes: tuple[Any, Any]) -> Separation:
        return separation(proved(rows, method), rows, classes, intercept)

    return _of_pairs(X, y, intercept, of_pair)


def largest_margin(X: Any, y: Any, intercept: str = "free", tol: float = 1e-6) -> Any:
    """A LargestMargin; for more than two classes {(k, l): LargestMargin}.

    γ = max min_i y_i w·x_i/‖w‖     intercept "none"
    the same for rows (x_i, 1)      "feature", the perceptron's
    max min_i y_i (w·x_i + b)/‖w‖   "free", the support vector machine's

    `tol` bounds the relative gap of ½‖w‖² between γ and `bound`; `status` says whether it was reached.
    """
    if not (isinstance(tol, Real) and tol >= 0):
        raise ValueError(f"tol is {tol!r}; it must be a number, at least 0.")

    def of_pair(rows: SignedRows, classes: tuple[Any, Any]) -> LargestMargin:
        return widest(separation(proved(rows), rows, classes, intercept), rows, tol)

    return _of_pairs(X, y, intercept, of_pair)


def _of_pairs(
    X: Any, y: Any, intercept: str, of_pair: Callable[[SignedRows, tuple[Any, Any]], Any]
) -> Any:
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


class _Callable(ModuleType):
    """Python names this module `linclass.separability`, which is to be the function."""

    def __call__(self, *args: Any, **options: Any) -> Any:
        return separability(*args, **options)


sys.modules[__name__].__class__ = _Callable
