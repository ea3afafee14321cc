"""Options that are a label for each feature, such as its group: names or numbers, in a list."""

from __future__ import annotations

from typing import Any

import numpy as np

from linclass.base.counted import counted
from linclass.base.numerics.arrays import Array
from linclass.base.parameter_types import is_list


def label_numbers(labels: Any) -> Array:
    """The labels as numbers 0, 1, …, in sorted order."""
    return np.unique(np.asarray(labels), return_inverse=True)[1].reshape(-1)


def are_labels(given: Any) -> bool:
    """Whether they are a list of names or numbers, of one type."""
    try:
        labelled = is_list(given) and np.asarray(given).ndim == 1
        if labelled:
            label_numbers(given)  # names of several types have no order
    except (TypeError, ValueError):
        return False
    return labelled


def require_one_each(option: str, labels: Any, n_features: int) -> None:
    if len(labels) != n_features:
        raise ValueError(
            f"{option} has {counted(len(labels), 'entry')} for {counted(n_features, 'feature')}; give one for each."
        )
