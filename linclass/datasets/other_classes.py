"""Generators of classes that are not Gaussian, with the errors of the best classifiers, and label noise."""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from typing import Any

import numpy as np

from linclass.base.arrays import Array
from linclass.base.messages import counted
from linclass.datasets.keys import (
    Count,
    Degrees,
    Distance,
    Positive,
    PositiveList,
    Probability,
    RowsOfSeveral,
    RowsOfTwo,
    Share,
    class_codes,
    documented_generator,
    on_a_line,
)

Error = tuple[float, float]  # and its standard error
BLOCK = 2**20  # uniform numbers that are drawn at a time


@documented_generator
def heavy_tailed(
    rng: np.random.Generator,
    rows: RowsOfSeveral,
    degrees: Degrees = 2.0,
    distance: Distance = 3.0,
    features: Count = 2,
) -> tuple[Array, Array]:
    """Classes with multivariate t distributions, which have outliers.

    x | k ~ t_ν(k δ u, I): k δ u + z √(ν/χ²_ν), u = (1, …, 1)/√d.

    Parameters
    ----------
    degrees : float
        ν, the degrees of freedom: 1 is the Cauchy distribution, which has no mean; up to 2 there is no
        variance; large ν is nearly Gaussian.
    distance : float
        δ, between the centres of neighbouring classes.

    Notes
    -----
    Outliers dominate means and covariances here, and do not dominate bounded losses.
    Kotz & Nadarajah (2004), Multivariate t Distributions and Their Applications
    """
    y = class_codes(rows)
    centres = on_a_line(len(rows), distance, features)
    normal = rng.standard_normal((len(y), features))
    scale = np.sqrt(degrees / rng.chisquare(degrees, len(y)))
    return centres[y] + normal * scale[:, None], y


def error_of_heavy_tailed(
    rows: Sequence[int], degrees: float, distance: float, features: int
) -> Error | None:
    """2 (K − 1)/K T_ν(−δ/2) for equally likely classes.

    The nearest centre is the best choice, since the density decreases with the distance. For unequal class sizes the
    boundary is not a plane, and the error is not known.
    """
    if len(set(rows)) > 1:
        return None
    from scipy.special import stdtr

    K = len(rows)
    return float(2 * (K - 1) / K * stdtr(degrees, -distance / 2)), 0.0


@documented_generator
def high_dimensional_sparse(
    rng: np.random.Generator,
    rows: RowsOfSeveral,
    features: Count = 10_000,
    density: Probability = 0.005,
    informative: Count = 20,
    informative_density: Probability = 0.05,
) -> tuple[Any, Array]:
    """Many features that are 0 in nearly all rows, like words; X is CSR.

    x_j ∈ {0, 1} independent given the class; each class has m features of its own.

    Parameters
    ----------
    features : int
        d, at least m for each class; the others are noise.
    density : float
        The probability that a feature is 1.
    informative : int
        m, the number of features of its own that each class has.
    informative_density : float
        The probability that a feature of its own is 1 in a row of a class.

    Notes
    -----
    Bernoulli naive Bayes is the true model.
    """
    _require_features(len(rows), features, informative)
    y = class_codes(rows)
    indptr, indices = np.zeros(len(y) + 1, np.int32), []
    step = max(1, BLOCK // features)
    own = np.arange(features) // informative  # the class whose feature it is; K and more: of none
    for begin in range(0, len(y), step):
        block = y[begin : begin + step]
        probability = np.where(own == block[:, None], informative_density, density)
        present = rng.random((len(block), features)) < probability
        indptr[begin + 1 : begin + 1 + len(block)] = present.sum(axis=1)
        indices.append(np.nonzero(present)[1].astype(np.int32))
    from scipy import sparse

    places = np.concatenate(indices)
    indptr = np.cumsum(indptr, dtype=np.int32)
    X = sparse.csr_array((np.ones(len(places)), places, indptr), shape=(len(y), features))
    return X, y


def error_of_high_dimensional_sparse(
    rows: Sequence[int], features: int, density: float, informative: int, informative_density: float
) -> Error:
    """ln P(k | x) = c_k ln-odds + ln π_k + …, with c_k the count of class k's own features in a row.

    c_k is binomial, so P(correct) = Σ_k π_k Σ_c P(c_k = c | k) Π_l P(class l has less | k) is a finite sum.
    """
    _require_features(len(rows), features, informative)
    from scipy.stats import binom

    m, p, q = informative, density, informative_density
    weight = np.log(q * (1 - p) / (p * (1 - q)))
    shares = np.array(rows) / np.sum(rows)
    counts = np.arange(m + 1)
    score = np.round(weight * counts[:, None] + np.log(shares), 12)  # ties must be seen as ties
    other = binom.pmf(counts, m, p)
    correct = 0.0
    for k, share in enumerate(shares):
        less = np.ones(m + 1)
        for each in range(len(shares)):
            if each != k:  # of a tie the class that comes first is chosen
                below = score[:, each] < score[:, k, None]
                equal = score[:, each] == score[:, k, None]
                less *= (below | (equal & (each > k))) @ other
        correct += share * float(binom.pmf(counts, m, q) @ less)
    return float(1 - correct), 0.0


def _require_features(n_classes: int, features: int, informative: int) -> None:
    if features < n_classes * informative:
        raise ValueError(
            f"features: {features} is less than {informative} for each of {n_classes} classes; give more."
        )


@documented_generator
def circles(
    rng: np.random.Generator,
    rows: RowsOfSeveral,
    radii: PositiveList = (1.0, 2.0),
    noise: Distance = 0.1,
    features: Count = 2,
) -> tuple[Array, Array]:
    """Classes on concentric circles: no hyperplane separates them, their squares are separable.

    x = (r_k + σ z) u, with u uniform on the unit sphere and z standard normal.

    Parameters
    ----------
    radii : sequence of float
        r_k, a radius per class.
    noise : float
        σ, the standard deviation of the distance from the centre.
    features : int
        d, 2 for circles and 3 for spheres.

    Notes
    -----
    All classes have mean 0, so LDA cannot distinguish them. Σ_j x_j² is the squared radius.
    """
    _require_radius_of_each(rows, radii)
    y = class_codes(rows)
    directions = rng.standard_normal((len(y), features))
    directions /= np.sqrt((directions**2).sum(axis=1, keepdims=True))
    distance = np.asarray(radii, dtype=float)[y] + noise * rng.standard_normal(len(y))
    return distance[:, None] * directions, y


def error_of_circles(
    rows: Sequence[int], radii: Sequence[float], noise: float, features: int
) -> Error:
    """1 − ∫ max_k π_k f_k(t) dt over the distance t = |r_k + σ z|, by quadrature."""
    _require_radius_of_each(rows, radii)
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


def _require_radius_of_each(rows: Sequence[int], radii: Sequence[float]) -> None:
    if len(radii) != len(rows):
        raise ValueError(
            f"radii: {list(radii)} is for {counted(len(radii), 'class')}, rows for {len(rows)}."
        )


@documented_generator
def separable(
    rng: np.random.Generator,
    rows: RowsOfTwo,
    margin: Positive = 0.5,
    spread: Distance = 1.0,
    features: Count = 2,
) -> tuple[Array, Array]:
    """Two linearly separable classes with a known maximum margin.

    x = ±(γ + s |z|) u + s v, with u = (1, …, 1)/√d, z and v standard normal, v ⟂ u.

    Parameters
    ----------
    margin : float
        γ, the distance of the nearest row of each class from the best hyperplane.
    spread : float
        s, the standard deviation of what is added to the nearest rows.

    Notes
    -----
    The first rows of the classes have z = 0 and the same v: they are 2γ apart along u, and all rows
    are at least γ from the hyperplane uᵀx = 0. So this hyperplane has the maximum margin.
    Cristianini & Shawe-Taylor (2000), §6.1
    """
    y = class_codes(rows)
    u = np.full(features, features**-0.5)
    X = spread * rng.standard_normal((len(y), features))
    depth = margin + spread * np.abs(rng.standard_normal(len(y)))
    nearest = [0, rows[0]]  # the first row of each class
    X[nearest] = X[0]
    depth[nearest] = margin
    X -= np.sum(X * u, axis=1, keepdims=True) * u
    return X + np.where(y == 1, depth, -depth)[:, None] * u, y


def error_of_separable(rows: Sequence[int], margin: float, spread: float, features: int) -> Error:
    return 0.0, 0.0


def label_noise(rng: np.random.Generator, y: Array, share: Share) -> Array:
    """Each label, with the probability `share`, becomes one of the K − 1 other classes, equally likely.

    The noise does not depend on the rows, so it is symmetric and completely at random.
    Frénay & Verleysen (2014), IEEE Trans. Neural Netw. 25(5), §II

    Parameters
    ----------
    share : float
        the probability that a label is replaced by another class; below (K − 1)/K
    """
    K = int(y.max()) + 1
    _require_signal(share, K)
    wrong = rng.random(len(y)) < share
    step = rng.integers(1, max(K, 2), len(y), dtype=np.int32)
    return np.where(wrong, (y + step) % K, y).astype(y.dtype)


def error_with_label_noise(clean: Error, share: float, K: int) -> Error:
    """η + ε (1 − η K/(K − 1)), from a Bayes error ε without noise.

    P(label = k | x) = (1 − η) p_k + (1 − p_k) η/(K − 1) increases with p_k, so the best class is the same.
    """
    _require_signal(share, K)
    error, deviation = clean
    slope = 1 - share * K / (K - 1)
    return share + slope * error, slope * deviation


def _require_signal(share: float, K: int) -> None:
    if share >= (K - 1) / K:
        raise ValueError(
            f"label_noise: {share} leaves no signal with {K} classes; give less than {(K - 1) / K:.4g}."
        )
