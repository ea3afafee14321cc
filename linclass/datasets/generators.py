"""The generators, with the errors of the best classifiers, and label noise."""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from typing import Any

import numpy as np

from linclass.base.arrays import Array
from linclass.base.messages import counted
from linclass.datasets.keys import (
    Count,
    Covariances,
    Degrees,
    Distance,
    Means,
    Positive,
    PositiveList,
    Probability,
    Rows,
    RowsOfSeveral,
    RowsOfTwo,
    Share,
    class_codes,
    documented_generator,
    on_a_line,
)
from linclass.evaluation.bayes_error import estimate, rectangle, square_roots

Error = tuple[float, float]  # and its standard error
BLOCK = 2**20  # uniform numbers that are drawn at a time


# Gaussian classes


@documented_generator
def gaussians(
    rng: np.random.Generator, means: Means, rows: Rows, covariances: Covariances = "identity"
) -> tuple[Array, Array]:
    """Gaussian classes of any means and covariances.

    Classes x | k ~ N(μ_k, Σ_k), drawn as μ_k + Σ_k^{1/2} z with z standard normal.

    Parameters
    ----------
    means : sequence of sequences of float
        A list of d numbers per class, μ_k.
    covariances : 'identity' or array, default='identity'
        Identity; a number v_k per class for Σ_k = v_k I; one d × d matrix for all classes; or such a
        matrix per class.

    Notes
    -----
    The square root is V √Λ from Σ = V Λ Vᵀ, so a singular Σ is allowed: its rows lie in a subspace.
    Anderson (2003), Multivariate Statistical Analysis, §2.3
    """
    centers = rectangle(means, "means")
    _require_rows_of_each(rows, len(centers))
    scales = square_roots(covariances, *centers.shape)
    drawn = [
        center + rng.standard_normal((n, centers.shape[1])) @ scale.T
        for center, n, scale in zip(centers, rows, scales, strict=True)
    ]
    return np.vstack(drawn), class_codes(rows)


def error_of_gaussians(means: Any, rows: Sequence[int], covariances: Any = "identity") -> Error:
    _require_rows_of_each(rows, len(rectangle(means, "means")))
    return estimate(means, covariances, rows)


def _require_rows_of_each(rows: Sequence[int], n_classes: int) -> None:
    if len(rows) != n_classes:
        raise ValueError(
            f"rows: {list(rows)} is for {counted(len(rows), 'class')}, means for {n_classes}."
        )


@documented_generator
def simplex(
    rng: np.random.Generator, rows: RowsOfSeveral, distance: Distance = 3.0, features: Count = 10
) -> tuple[Array, Array]:
    """Gaussian classes at equal distances from each other.

    x | k ~ N(δ/√2 e_k, I): the means are the corners of a regular simplex.

    Parameters
    ----------
    distance : float
        δ, between the means of any two classes.
    features : int
        d, at least the number of classes; those beyond it are noise.

    Notes
    -----
    LDA is the true model; the effects of n, d, K and δ on a method can be studied separately.
    """
    _require_feature_of_each(rows, features)
    y = class_codes(rows)
    X = rng.standard_normal((len(y), features))
    X[np.arange(len(y)), y] += distance / 2**0.5
    return X, y


def error_of_simplex(rows: Sequence[int], distance: float, features: int) -> Error:
    """Features beyond the number of classes are noise."""
    _require_feature_of_each(rows, features)
    return error_of_gaussians((distance / 2**0.5 * np.eye(len(rows))).tolist(), rows)


def _require_feature_of_each(rows: Sequence[int], features: int) -> None:
    if features < len(rows):
        raise ValueError(f"features: {features} is less than the {len(rows)} classes; give more.")


@documented_generator
def masking(
    rng: np.random.Generator, rows: RowsOfSeveral, distance: Distance = 4.0, features: Count = 2
) -> tuple[Array, Array]:
    """Gaussian classes in a line: regression on indicators masks the ones in the middle.

    x | k ~ N(k δ u, I) with u = (1, …, 1)/√d.

    Parameters
    ----------
    distance : float
        δ, between the means of neighbouring classes.

    Notes
    -----
    The indicator of a middle class has no slope along the line, so its fitted value is its frequency
    everywhere, and one of the outer classes has a larger one.
    Hastie, Tibshirani & Friedman (2009), The Elements of Statistical Learning, §4.2
    """
    y = class_codes(rows)
    means = on_a_line(len(rows), distance, features)
    return means[y] + rng.standard_normal((len(y), features)), y


def error_of_masking(rows: Sequence[int], distance: float, features: int) -> Error:
    """The classes differ only in the coordinate along the line."""
    return error_of_gaussians([[distance * k] for k in range(len(rows))], rows)


@documented_generator
def unequal_covariances(
    rng: np.random.Generator,
    rows: RowsOfSeveral,
    distance: Distance = 2.0,
    ratio: Positive = 9.0,
    features: Count = 2,
) -> tuple[Array, Array]:
    """Gaussian classes, each with a larger variance along a feature of its own.

    x | k ~ N(k δ u, Σ_k), Σ_k = I but for the variance r of feature k, u = (1, …, 1)/√d.

    Parameters
    ----------
    distance : float
        δ, between the means of neighbouring classes; with 0 only the covariances differ.
    ratio : float
        r, the variance of feature k in class k; class d + 1 begins again with the first feature.

    Notes
    -----
    The best boundaries are quadrics, so QDA can be right where LDA cannot.
    Hastie, Tibshirani & Friedman (2009), §4.3
    """
    y = class_codes(rows)
    means = on_a_line(len(rows), distance, features)
    deviations = np.sqrt(_variances(len(rows), ratio, features))
    return means[y] + deviations[y] * rng.standard_normal((len(y), features)), y


def error_of_unequal_covariances(
    rows: Sequence[int], distance: float, ratio: float, features: int
) -> Error:
    K = len(rows)
    covariances = [np.diag(v).tolist() for v in _variances(K, ratio, features)]
    return error_of_gaussians(on_a_line(K, distance, features).tolist(), rows, covariances)


def _variances(n_classes: int, ratio: float, features: int) -> Array:
    variances = np.ones((n_classes, features))
    variances[np.arange(n_classes), np.arange(n_classes) % features] = ratio
    return variances


@documented_generator
def correlated_groups(
    rng: np.random.Generator,
    rows: RowsOfTwo,
    groups: Count = 10,
    size: Count = 5,
    correlation: Share = 0.9,
    informative: Count = 3,
    shift: Distance = 1.0,
) -> tuple[Array, Array]:
    """Two Gaussian classes whose features form groups of nearly equal information.

    x_gj = √ρ z_g + √(1 − ρ) e_gj, and in class 1 the features of the first groups are shifted by δ.

    Parameters
    ----------
    groups : int
        The number of groups, independent of each other.
    size : int
        m, the features of a group.
    correlation : float
        ρ, between two features of a group; variances are 1.
    informative : int
        The number of groups, the first ones, whose means differ between the classes.
    shift : float
        δ, the difference of means of each of their features.

    Notes
    -----
    The lasso selects one feature of a group almost arbitrarily, the elastic net selects the group.
    Zou & Hastie (2005), J. R. Statist. Soc. B 67(2), §§2.3, 5
    """
    _require_groups(informative, groups)
    y = class_codes(rows)
    common = np.repeat(rng.standard_normal((len(y), groups)), size, axis=1)
    X = correlation**0.5 * common + (1 - correlation) ** 0.5 * rng.standard_normal(common.shape)
    X[y == 1, : informative * size] += shift
    return X, y


def error_of_correlated_groups(
    rows: Sequence[int], groups: int, size: int, correlation: float, informative: int, shift: float
) -> Error:
    """Δ² = δ² m/(1 + (m − 1)ρ) for each informative group, from 1ᵀΣ⁻¹1."""
    _require_groups(informative, groups)
    squared = informative * shift**2 * size / (1 + (size - 1) * correlation)
    return error_of_gaussians([[0.0], [squared**0.5]], rows)


def _require_groups(informative: int, groups: int) -> None:
    if informative > groups:
        raise ValueError(
            f"informative: {informative} is more than the {groups} groups; give fewer."
        )


# Other classes


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
