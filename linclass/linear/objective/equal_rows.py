"""Equal rows with equal labels are merged, with the sum of their weights:  w₁ℓ(y, z) + w₂ℓ(y, z) = (w₁ + w₂) ℓ(y, z).

The minimum is the same and every row keeps its slope, but K = XXᵀ loses a null direction for each duplicate.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from linclass.base.arrays import Array
from linclass.linear.objective.distinct_rows import distinct_rows
from linclass.linear.objective.objective import Objective

FEW = 3000  # rows up to which duplicates are searched for


class Merged(NamedTuple):
    objective: Objective
    place: Array  # index of each row among the distinct ones


def merged(objective: Objective) -> Merged | None:
    """None if all rows differ, or if there are too many to compare."""
    design, y = objective.design, objective.y
    if design.is_kernel or design.n_rows > FEW or y.ndim != 1:
        return None
    target, offset = objective.loss.parted(y)
    found = distinct_rows(design.X, target, *([] if offset is None else [offset]))
    if found is None:
        return None
    first, place = found
    return Merged(objective.take(first, np.bincount(place, objective.weights)), place)
