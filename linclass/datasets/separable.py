"""Two linearly separable classes with a known maximum margin."""

from __future__ import annotations

import numpy as np

from linclass.datasets.keys import Count, Distance, Positive, RowsOfTwo, codes


def separable(
    rng: np.random.Generator,
    rows: RowsOfTwo,
    margin: Positive = 0.5,
    spread: Distance = 1.0,
    features: Count = 2,
) -> tuple[np.ndarray, np.ndarray]:
    """x = ±(γ + s |z|) u + s v, with u = (1, …, 1)/√d, z and v standard normal, v ⟂ u.

    Parameters
    ----------
    rng : numpy.random.Generator
        Source of the random numbers.
    rows : sequence of int
        The number of rows of each of the two classes.
    margin : float, default=0.5
        γ, the distance of the nearest row of each class from the best hyperplane.
    spread : float, default=1.0
        s, the standard deviation of what is added to the nearest rows.
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
    The first rows of the classes have z = 0 and the same v: they are 2γ apart along u, and all rows
    are at least γ from the hyperplane uᵀx = 0. So this hyperplane has the maximum margin.
    Cristianini & Shawe-Taylor (2000), §6.1
    """
    y = codes(rows)
    u = np.full(features, features**-0.5)
    X = spread * rng.standard_normal((len(y), features))
    depth = margin + spread * np.abs(rng.standard_normal(len(y)))
    nearest = [0, rows[0]]  # the first row of each class
    X[nearest] = X[0]
    depth[nearest] = margin
    X -= np.sum(X * u, axis=1, keepdims=True) * u
    return X + np.where(y == 1, depth, -depth)[:, None] * u, y


def bayes_error(
    rows: RowsOfTwo,
    margin: Positive = 0.5,
    spread: Distance = 1.0,
    features: Count = 2,
) -> tuple[float, float]:
    """0, because the classes are separable."""
    return 0.0, 0.0
