"""Weights of rows: the parameter `class_weight`, and weights that are frequencies or relative."""

from collections.abc import Mapping
from numbers import Real
from typing import Any

import numpy as np

from linclass.base.arrays import Array
from linclass.base.messages import warn_user


def class_weights(class_weight: str | Mapping[Any, float], classes: Array, mass: Array) -> Array:
    """One weight per class: 'balanced' gives all classes the same total weight, a dict specifies them.

    'balanced': Σmass / (K · mass_k), with mass_k the sum of the row weights of class k.
    """
    if isinstance(class_weight, str) and class_weight == "balanced":
        return mass.sum() / (len(classes) * mass)
    if isinstance(class_weight, str) or not hasattr(class_weight, "get"):
        raise ValueError(
            f"class_weight is {class_weight!r}; it must be 'balanced', None, or a dict from class "
            "to weight."
        )
    known = classes.tolist()
    unknown = [key for key in class_weight if key not in known]
    if unknown and any(c not in class_weight for c in known):
        raise ValueError(f"class_weight names {unknown[0]!r}, but the classes are {known}.")
    given = [class_weight.get(c, 1.0) for c in known]
    for c, weight in zip(known, given, strict=True):
        if not isinstance(weight, Real):
            raise ValueError(f"class_weight of {c!r} is {weight!r}; it must be a number above 0.")
    weights = np.array(given, dtype=np.float64)
    if not (np.isfinite(weights) & (weights > 0)).all():
        c = int(np.argmin(np.isfinite(weights) & (weights > 0)))
        raise ValueError(
            f"class_weight of {known[c]!r} is {weights[c]:g}; it must be finite and above 0. "
            "Leave the rows of a class out to ignore it."
        )
    return weights


def weights_of_some(class_weight: str | Mapping[Any, float], classes: np.ndarray) -> np.ndarray:
    """The same for a part of the rows, which may lack classes that a dict names; 'balanced' needs all of them."""
    if isinstance(class_weight, str):
        raise ValueError(
            f"class_weight is {class_weight!r}, which needs all rows at once; give a dict from class to weight."
        )
    if hasattr(class_weight, "get"):
        class_weight = {c: class_weight[c] for c in classes.tolist() if c in class_weight}
    return class_weights(class_weight, classes, np.ones(len(classes)))


# How many rows the weights count, where a fit depends on it (degrees of freedom, priors, visits):
#
#     N = max(Σ w, n),   n the number of rows whose weight is not negligible.
#
# Weights with a mean of at least 1 are frequency weights; weights with a mean below 1 are relative, and are scaled to a
# mean of 1. The two agree where they meet, so a fit is continuous in a constant factor of the weights; integer weights
# are repeated rows, and weights that sum to 1 or to n give the same fit.

NEGLIGIBLE_WEIGHT = 1e-9  # of the largest weight: such a row is as good as absent
WEIGHT_SUM_TOLERANCE = 1e-9  # of a sum of weights


def count_factor(total: Any, rows: Any) -> Any:
    """N/Σw, the factor by which weights with this sum over this number of rows count rows."""
    return np.maximum(1.0, rows / total)


def have_weight(weights: Array) -> Array:
    """The rows that count towards n, as a mask."""
    return weights > NEGLIGIBLE_WEIGHT * weights.max(initial=0)


def as_counts(weights: Array) -> Array:
    """The weights, multiplied by N/Σw."""
    return weights * count_factor(weights.sum(), have_weight(weights).sum())


def warn_of_relative_weights(weights: Array, owner: str) -> None:
    """Warn of a mean below 1, unless the weights sum to 1, as those that boosting gives."""
    total, n = float(weights.sum()), int(have_weight(weights).sum())
    if total < n * (1 - WEIGHT_SUM_TOLERANCE) and abs(total - 1) > WEIGHT_SUM_TOLERANCE * n:
        warn_user(
            f"sample_weight sums to {total:g} over {n} rows, and {owner} depends on how many rows the weights count; "
            "they are taken as relative and scaled to a mean of 1. Divide relative weights by their mean, and "
            "multiply frequency weights until they sum to the number of observations."
        )
