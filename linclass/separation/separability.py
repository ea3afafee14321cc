"""Linear separability of classes: a separating hyperplane with its margin, or a proof that none exists.

For K > 2 classes the result has an entry for every pair: {(class, class): …}.   Albert & Anderson (1984), Biometrika 71
"""

from __future__ import annotations

from collections.abc import Callable
from itertools import combinations
from typing import Any

import numpy as np

from linclass.base import validation
from linclass.base.arrays import ArrayLike, MatrixLike
from linclass.separation.decision import proved
from linclass.separation.proofs.signed_rows import SignedRows
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
