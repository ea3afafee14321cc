"""Classes with multivariate t distributions, which have outliers."""

from __future__ import annotations

import numpy as np

from linclass.datasets.keys import Count, Degrees, Distance, RowsOfSeveral, codes, on_a_line


def heavy_tailed(
    rng: np.random.Generator,
    rows: RowsOfSeveral,
    degrees: Degrees = 2.0,
    distance: Distance = 3.0,
    features: Count = 2,
) -> tuple[np.ndarray, np.ndarray]:
    """x | k ~ t_ν(k δ u, I): k δ u + z √(ν/χ²_ν), u = (1, …, 1)/√d.

    Parameters
    ----------
    rng : numpy.random.Generator
        Source of the random numbers.
    rows : sequence of int
        The number of rows of each class, in the order of the line.
    degrees : float, default=2.0
        ν, the degrees of freedom: 1 is the Cauchy distribution, which has no mean; up to 2 there is no
        variance; large ν is nearly Gaussian.
    distance : float, default=3.0
        δ, between the centres of neighbouring classes.
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
    Outliers dominate means and covariances here, and do not dominate bounded losses.
    Kotz & Nadarajah (2004), Multivariate t Distributions and Their Applications
    """
    y = codes(rows)
    centres = on_a_line(len(rows), distance, features)
    normal = rng.standard_normal((len(y), features))
    scale = np.sqrt(degrees / rng.chisquare(degrees, len(y)))
    return centres[y] + normal * scale[:, None], y


def bayes_error(
    rows: RowsOfSeveral,
    degrees: Degrees = 2.0,
    distance: Distance = 3.0,
    features: Count = 2,
) -> tuple[float, float] | None:
    """2 (K − 1)/K T_ν(−δ/2) for equally likely classes.

    The nearest centre is the best choice, since the density decreases with the distance. For unequal
    class sizes the boundary is not a plane, and the error is not known (None).
    """
    if len(set(rows)) > 1:
        return None
    from scipy.special import stdtr

    K = len(rows)
    return float(2 * (K - 1) / K * stdtr(degrees, -distance / 2)), 0.0
