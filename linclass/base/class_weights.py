"""The parameter `class_weight`: factors on the weights of the rows of each class."""

from collections.abc import Mapping
from numbers import Real
from typing import Any

import numpy as np


def class_weights(
    class_weight: str | Mapping[Any, float], classes: np.ndarray, mass: np.ndarray
) -> np.ndarray:
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
