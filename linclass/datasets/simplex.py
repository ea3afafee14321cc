"""Gaussian classes at equal distances from each other."""

from __future__ import annotations

import numpy as np

from linclass.datasets import gaussians
from linclass.datasets.keys import Count, Distance, RowsOfSeveral, codes


def simplex(
    rng: np.random.Generator, rows: RowsOfSeveral, distance: Distance = 3.0, features: Count = 10
) -> tuple[np.ndarray, np.ndarray]:
    """x | k ~ N(δ/√2 e_k, I): the means are the corners of a regular simplex.

    Parameters
    ----------
    rng : numpy.random.Generator
        Source of the random numbers.
    rows : sequence of int
        The number of rows of each class.
    distance : float, default=3.0
        δ, between the means of any two classes.
    features : int, default=10
        d, at least the number of classes; those beyond it are noise.

    Returns
    -------
    X : array of shape (n, d)
        Rows, class after class.
    y : array of shape (n,)
        Class codes 0, ..., K − 1.

    Notes
    -----
    LDA is the true model; the effects of n, d, K and δ on a method can be studied separately.
    """
    _refuse_few(rows, features)
    y = codes(rows)
    X = rng.standard_normal((len(y), features))
    X[np.arange(len(y)), y] += distance / 2**0.5
    return X, y


def bayes_error(
    rows: RowsOfSeveral, distance: Distance = 3.0, features: Count = 10
) -> tuple[float, float]:
    """Features beyond the number of classes are noise."""
    _refuse_few(rows, features)
    return gaussians.bayes_error((distance / 2**0.5 * np.eye(len(rows))).tolist(), rows)


def _refuse_few(rows: RowsOfSeveral, features: int) -> None:
    if features < len(rows):
        raise ValueError(f"features: {features} is less than the {len(rows)} classes; give more.")
