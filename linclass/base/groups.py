"""Groups of rows that are held out together, for the estimators that hold rows out while they are fitted.

Such an estimator may be inside of others: whatever is fitted to rows gets their groups, down to the last one.
"""

from __future__ import annotations

import numpy as np

from linclass.base import validation
from linclass.base.annotations import ArrayLike, EstimatorLike
from linclass.base.metadata import arguments, asks_for, is_routing
from linclass.base.numerics.arrays import Array


def groups_for(model: EstimatorLike, groups: Array | None) -> dict[str, Array]:
    """The argument of `model.fit` with the groups of its rows; none if it has no use for them.

    A pipeline of scikit-learn passes `name__groups` to its last step; a search (it has `refit`) passes `groups` to the
    splitter that makes its folds, as GroupKFold.
    """
    if groups is None:
        return {}
    if "groups" in arguments(getattr(model, "fit", None)):
        return {"groups": groups}
    if is_routing():
        return {"groups": groups} if asks_for(model, "fit", "groups") else {}
    steps = getattr(model, "steps", None)
    if isinstance(steps, list) and steps:
        name, last = steps[-1]
        return {f"{name}__{key}": value for key, value in groups_for(last, groups).items()}
    splits = hasattr(model, "refit") and asks_for(getattr(model, "cv", None), "split", "groups")
    return {"groups": groups} if splits else {}


def kept_groups(
    groups: ArrayLike | None, sample_weight: ArrayLike | None, y: ArrayLike
) -> Array | None:
    """The groups of the rows whose weight is not 0."""
    if groups is None:
        return None
    groups, rows = np.asarray(groups), len(np.asarray(y))
    if groups.shape != (rows,):
        raise ValueError(f"groups has shape {groups.shape}; it must be ({rows},), one per row.")
    return np.asarray(groups[validation.row_weights(sample_weight, rows) > 0])
