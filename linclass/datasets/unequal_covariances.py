"""Gaussian classes, each with a larger variance along a feature of its own."""

from __future__ import annotations

import numpy as np

from linclass.datasets import gaussians
from linclass.datasets.keys import Count, Distance, Positive, RowsOfSeveral, codes, on_a_line


def unequal_covariances(
    rng: np.random.Generator,
    rows: RowsOfSeveral,
    distance: Distance = 2.0,
    ratio: Positive = 9.0,
    features: Count = 2,
) -> tuple[np.ndarray, np.ndarray]:
    """x | k ~ N(k δ u, Σ_k), Σ_k = I but for the variance r of feature k, u = (1, …, 1)/√d.

    Parameters
    ----------
    rng : numpy.random.Generator
        Source of the random numbers.
    rows : sequence of int
        The number of rows of each class.
    distance : float, default=2.0
        δ, between the means of neighbouring classes; with 0 only the covariances differ.
    ratio : float, default=9.0
        r, the variance of feature k in class k; class d + 1 begins again with the first feature.
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
    The best boundaries are quadrics, so QDA can be right where LDA cannot.
    Hastie, Tibshirani & Friedman (2009), §4.3
    """
    y = codes(rows)
    means = on_a_line(len(rows), distance, features)
    deviations = np.sqrt(_variances(len(rows), ratio, features))
    return means[y] + deviations[y] * rng.standard_normal((len(y), features)), y


def bayes_error(
    rows: RowsOfSeveral,
    distance: Distance = 2.0,
    ratio: Positive = 9.0,
    features: Count = 2,
) -> tuple[float, float]:
    """(error, its standard error) of the best classifier; the keys are those of the generator."""
    K = len(rows)
    means = on_a_line(K, distance, features).tolist()
    covariances = [np.diag(v).tolist() for v in _variances(K, ratio, features)]
    return gaussians.bayes_error(means, rows, covariances)


def _variances(n_classes: int, ratio: float, features: int) -> np.ndarray:
    variances = np.ones((n_classes, features))
    variances[np.arange(n_classes), np.arange(n_classes) % features] = ratio
    return variances
