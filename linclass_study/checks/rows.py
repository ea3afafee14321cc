"""Duplicated rows, rows with conflicting labels, and test rows that also occur in the training set."""

from __future__ import annotations

from typing import Any

import numpy as np

from linclass_study.checks.cell_words import Words


def repeated(keys: Words, y: np.ndarray) -> dict[str, Any]:
    """Rows equal to an earlier one in features and class, and the least error caused by conflicting labels.

    A classifier predicts the same class for rows with equal features, so it errs on all but those of the most frequent
    class:   least error = (1/n) Σ_groups (n_g − max_k n_gk).
    """
    groups, group = np.unique(keys, return_inverse=True)
    K = int(y.max()) + 1 if len(y) else 1
    pairs, counts = np.unique(group * K + y, return_counts=True)
    of_pair = pairs // K
    size = np.bincount(group, minlength=len(groups))
    classes = np.bincount(of_pair, minlength=len(groups))
    most = np.zeros(len(groups), np.int64)
    np.maximum.at(most, of_pair, counts)
    return {
        "duplicated_rows": int(len(y) - len(pairs)),
        "conflicting_rows": int(size[classes > 1].sum()),
        "least_errors": int((size - most).sum()),
        "least_error": float((size - most).sum() / len(y)) if len(y) else None,
    }


def across_groups(keys: Words, y: np.ndarray, groups: np.ndarray | None) -> dict[str, Any]:
    """Rows equal to an earlier one of another group, in features and class; null without groups. Those of one group are
    never on both sides."""
    if groups is None:
        return {"repeated_across_groups": None}
    _, first, same = np.unique(
        np.unique(keys, return_inverse=True)[1] * (int(y.max(initial=0)) + 1) + y,
        return_index=True,
        return_inverse=True,
    )
    return {"repeated_across_groups": int((groups != groups[first][same]).sum())}


def on_both_sides(keys: Words, split: np.ndarray) -> dict[str, Any]:
    """Official test rows with the features of a training row; null without an official test set."""
    test = split == 1
    if not test.any():
        return {"test_rows_in_training": None}
    return {"test_rows_in_training": int(np.isin(keys[test], keys[~test]).sum())}
