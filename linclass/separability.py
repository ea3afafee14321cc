"""Linear separability of classes: a separating hyperplane with its margin, or a proof that there is none.

    separability(X, y)      any separating hyperplane, by Newton's method or a linear program
    largest_margin(X, y)    the one of largest margin γ, and Novikoff's bound (R/γ)² of the perceptron

For K > 2 classes both return a result for every pair: {(class, class): …}.   Albert & Anderson (1984), Biometrika 71
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from itertools import combinations
from numbers import Real
from types import ModuleType
from typing import Any

import numpy as np

from linclass.annotations import ArrayLike, MatrixLike
from linclass.input import validation
from linclass.proofs.signed_rows import SignedRows
from linclass.separation.decision import proved
from linclass.separation.largest_margin import LargestMargin, with_largest_margin
from linclass.separation.result import INTERCEPTS, Separation, separation


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

    return _of_pairs(X, y, intercept, of_pair)


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
        return with_largest_margin(separation(proved(rows), rows, classes, intercept), rows, tol)

    return _of_pairs(X, y, intercept, of_pair)


def _of_pairs(
    X: MatrixLike,
    y: ArrayLike,
    intercept: str,
    of_pair: Callable[[SignedRows, tuple[Any, Any]], Any],
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
