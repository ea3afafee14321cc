"""Generators of Gaussian classes, with the errors of the best classifiers."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from linclass.base.arrays import Array
from linclass.base.messages import counted
from linclass.datasets.keys import (
    Count,
    Covariances,
    Distance,
    Means,
    Positive,
    Rows,
    RowsOfSeveral,
    RowsOfTwo,
    Share,
    class_codes,
    documented_generator,
    on_a_line,
)
from linclass.evaluation.bayes_error import rectangle, square_roots

Error = tuple[float, float]  # and its standard error


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
    from linclass.evaluation.bayes_error import estimate  # slow to import

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
