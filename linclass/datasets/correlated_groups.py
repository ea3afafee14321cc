"""Two Gaussian classes whose features form groups of nearly equal information."""

from __future__ import annotations

import numpy as np

from linclass.datasets import gaussians
from linclass.datasets.keys import Count, Distance, RowsOfTwo, Share, codes


def correlated_groups(
    rng: np.random.Generator,
    rows: RowsOfTwo,
    groups: Count = 10,
    size: Count = 5,
    correlation: Share = 0.9,
    informative: Count = 3,
    shift: Distance = 1.0,
) -> tuple[np.ndarray, np.ndarray]:
    """x_gj = √ρ z_g + √(1 − ρ) e_gj, and in class 1 the features of the first groups are shifted by δ.

    Parameters
    ----------
    rng : numpy.random.Generator
        Source of the random numbers.
    rows : sequence of int
        The number of rows of each of the two classes.
    groups : int, default=10
        The number of groups, independent of each other.
    size : int, default=5
        m, the features of a group.
    correlation : float, default=0.9
        ρ, between two features of a group; variances are 1.
    informative : int, default=3
        The number of groups, the first ones, whose means differ between the classes.
    shift : float, default=1.0
        δ, the difference of means of each of their features.

    Returns
    -------
    X : array of shape (n, d)
        Rows, class after class.
    y : array of shape (n,)
        Class codes 0, ..., K − 1.

    Notes
    -----
    The lasso selects one feature of a group almost arbitrarily, the elastic net selects the group.
    Zou & Hastie (2005), J. R. Statist. Soc. B 67(2), §§2.3, 5
    """
    _refuse_more(informative, groups)
    y = codes(rows)
    common = np.repeat(rng.standard_normal((len(y), groups)), size, axis=1)
    X = correlation**0.5 * common + (1 - correlation) ** 0.5 * rng.standard_normal(common.shape)
    X[y == 1, : informative * size] += shift
    return X, y


def bayes_error(
    rows: RowsOfTwo,
    groups: Count = 10,
    size: Count = 5,
    correlation: Share = 0.9,
    informative: Count = 3,
    shift: Distance = 1.0,
) -> tuple[float, float]:
    """Δ² = δ² m/(1 + (m − 1)ρ) for each informative group, from 1ᵀΣ⁻¹1."""
    _refuse_more(informative, groups)
    squared = informative * shift**2 * size / (1 + (size - 1) * correlation)
    return gaussians.bayes_error([[0.0], [squared**0.5]], rows)


def _refuse_more(informative: int, groups: int) -> None:
    if informative > groups:
        raise ValueError(
            f"informative: {informative} is more than the {groups} groups; give fewer."
        )
