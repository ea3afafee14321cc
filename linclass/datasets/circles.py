"""Classes on concentric circles: no hyperplane separates them, their squares are separable."""

from __future__ import annotations

import itertools

import numpy as np

from linclass.base.messages import counted
from linclass.datasets.keys import Count, Distance, PositiveList, RowsOfSeveral, codes


def circles(
    rng: np.random.Generator,
    rows: RowsOfSeveral,
    radii: PositiveList = (1.0, 2.0),
    noise: Distance = 0.1,
    features: Count = 2,
) -> tuple[np.ndarray, np.ndarray]:
    """x = (r_k + σ z) u, with u uniform on the unit sphere and z standard normal.

    Parameters
    ----------
    rng : numpy.random.Generator
        Source of the random numbers.
    rows : sequence of int
        The number of rows of each class.
    radii : sequence of float, default=(1.0, 2.0)
        r_k, a radius per class.
    noise : float, default=0.1
        σ, the standard deviation of the distance from the centre.
    features : int, default=2
        d, 2 for circles and 3 for spheres.

    Returns
    -------
    X : array of shape (n, d)
        Rows, class after class.
    y : array of shape (n,)
        Class codes 0, ..., K − 1.

    Notes
    -----
    All classes have mean 0, so LDA cannot distinguish them. Σ_j x_j² is the squared radius.
    """
    _refuse_others(rows, radii)
    y = codes(rows)
    directions = rng.standard_normal((len(y), features))
    directions /= np.sqrt((directions**2).sum(axis=1, keepdims=True))
    distance = np.asarray(radii, dtype=float)[y] + noise * rng.standard_normal(len(y))
    return distance[:, None] * directions, y


def bayes_error(
    rows: RowsOfSeveral,
    radii: PositiveList = (1.0, 2.0),
    noise: Distance = 0.1,
    features: Count = 2,
) -> tuple[float, float]:
    """1 − ∫ max_k π_k f_k(t) dt over the distance t = |r_k + σ z|, by quadrature."""
    _refuse_others(rows, radii)
    shares = np.array(rows) / np.sum(rows)
    if noise == 0:  # of one radius, the most frequent class
        best = {r: max(s for s, q in zip(shares, radii, strict=True) if q == r) for r in radii}
        return float(1 - sum(best.values())), 0.0
    from scipy.integrate import quad

    def correct(t: float) -> float:
        z = (t + np.multiply.outer([-1, 1], radii)) / noise
        density = np.exp(-(z**2) / 2).sum(axis=0) / (noise * np.sqrt(2 * np.pi))
        return float(np.max(shares * density))

    ends = {float(max(r + z * noise, 0)) for r in radii for z in range(-9, 10)}
    pieces = itertools.pairwise(sorted(ends))
    return float(1 - sum(quad(correct, a, b)[0] for a, b in pieces)), 0.0


def _refuse_others(rows: RowsOfSeveral, radii: PositiveList) -> None:
    if len(radii) != len(rows):
        raise ValueError(
            f"radii: {list(radii)} is for {counted(len(radii), 'class')}, rows for {len(rows)}."
        )
