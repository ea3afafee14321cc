"""Optimal scores of the classes: given the class means of regressions on fixed scores, the combinations of these scores
that regressions explain best.   Hastie, Tibshirani & Buja (1994), JASA 89
"""

from __future__ import annotations

import numpy as np

from linclass.base.arrays import Array

NEGLIGIBLE = 1e-13  # α², a coordinate that no score of the classes depends on
EXACT = 1e-10  # 1 − α², a coordinate without spread within the classes


def contrasts(share: Array) -> Array:
    """Scores θ (K, K − 1) of classes with these shares p: Σ_k p_k θ_l(k) = 0, Σ_k p_k θ_l(k) θ_m(k) = 1[l = m].

    √p θ are the columns but the first of the reflection that takes the first axis to −√p.
    """
    root = np.sqrt(share)
    v = root.copy()
    v[0] += 1
    reflection = np.eye(len(v)) - np.outer(v, v) / v[0]
    return reflection[:, 1:] / root[:, None]


def best_explained(
    fixed: Array, means: Array, share: Array, most: int | None
) -> tuple[Array, Array]:
    """(α², V): shares of variance, decreasing, and the combinations of the fixed scores that have them, columns of V.

    `means` (K, K − 1) are those of the predictions of the fixed scores in each class. Every direction points from the
    first class to the last.
    """
    products = fixed.T @ (means * share[:, None])
    explained, V = np.linalg.eigh((products + products.T) / 2)
    order = np.argsort(-explained)[:most]
    order = order[explained[order] > NEGLIGIBLE]
    explained, V = explained[order], _settled(explained[order], V[:, order])
    return explained, V * np.where(V.T @ (means[-1] - means[0]) < 0, -1.0, 1.0)


def _settled(explained: Array, V: Array) -> Array:
    """Fixed axes for coordinates without spread, which rounding would choose otherwise."""
    exact = 1 - explained < EXACT
    own = V[:, exact]
    _, axes = np.linalg.eigh(own.T * np.arange(len(V)) @ own)
    return np.column_stack([own @ axes, V[:, ~exact]])
