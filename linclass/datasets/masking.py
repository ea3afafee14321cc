"""Gaussian classes in a line: regression on indicators masks the ones in the middle."""

from __future__ import annotations

import numpy as np

from linclass.datasets import gaussians
from linclass.datasets.keys import Count, Distance, RowsOfSeveral, codes, on_a_line


def masking(
    rng: np.random.Generator, rows: RowsOfSeveral, distance: Distance = 4.0, features: Count = 2
) -> tuple[np.ndarray, np.ndarray]:
    """x | k ~ N(k δ u, I) with u = (1, …, 1)/√d.

    Parameters
    ----------
    rng : numpy.random.Generator
        Source of the random numbers.
    rows : sequence of int
        The number of rows of each class, in the order of the line.
    distance : float, default=4.0
        δ, between the means of neighbouring classes.
    features : int, default=2
        d, the number of features.

    Returns
    -------
    X : array of shape (n, d)
        Rows, class after class.
    y : array of shape (n,)
        Class codes 0, ..., K − 1.

    Notes
    -----
    The indicator of a middle class has no slope along the line, so its fitted value is its frequency
    everywhere, and one of the outer classes has a larger one.
    Hastie, Tibshirani & Friedman (2009), The Elements of Statistical Learning, §4.2
    """
    y = codes(rows)
    means = on_a_line(len(rows), distance, features)
    return means[y] + rng.standard_normal((len(y), features)), y


def bayes_error(
    rows: RowsOfSeveral, distance: Distance = 4.0, features: Count = 2
) -> tuple[float, float]:
    """The classes differ only in the coordinate along the line."""
    return gaussians.bayes_error([[distance * k] for k in range(len(rows))], rows)
