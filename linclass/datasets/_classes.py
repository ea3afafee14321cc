"""What several generators share: class codes, and means on a line."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np


def codes(rows: Sequence[int]) -> np.ndarray:
    """0 … 0 1 … 1 …, class after class."""
    return np.repeat(np.arange(len(rows), dtype=np.int32), rows)


def on_a_line(n_classes: int, distance: float, features: int) -> np.ndarray:
    """(K, d) means at equal distances along the diagonal (1, …, 1)/√d."""
    steps = distance * np.arange(n_classes) / features**0.5
    return np.repeat(steps[:, None], features, axis=1)
