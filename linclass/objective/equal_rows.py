"""Equal rows with equal labels are merged, with the sum of their weights:  w₁ℓ(y, z) + w₂ℓ(y, z) = (w₁ + w₂) ℓ(y, z).

The minimum is the same and every row keeps its slope, but K = XXᵀ loses a null direction for each duplicate.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from linclass.design.design_matrix import DesignMatrix
from linclass.numerics import Array
from linclass.objective.objective import Objective

FEW = 3000  # rows up to which duplicates are searched for


class Merged(NamedTuple):
    objective: Objective
    place: Array  # index of each row among the distinct ones


def merged(objective: Objective) -> Merged | None:
    """None if all rows differ, or if there are too many to compare."""
    design, y = objective.design, objective.y
    if not isinstance(design, DesignMatrix) or design.n_rows > FEW or y.ndim != 1:
        return None
    X = design.X
    keys = np.column_stack([X @ np.random.default_rng(0).random(X.shape[1]), y])
    _, first, place = np.unique(keys, axis=0, return_index=True, return_inverse=True)
    place = place.reshape(-1)
    if len(first) == design.n_rows or not _equal(X, X[first[place]]):
        return None
    distinct = objective.take(first)
    weights = np.bincount(place, objective.weights)
    P = objective
    return Merged(
        Objective(distinct.design, P.loss, distinct.y, weights, P.penalty, P.strength), place
    )


def _equal(A: Array, B: Array) -> bool:
    return bool((A != B).nnz == 0 if hasattr(A, "nnz") else (A == B).all())
