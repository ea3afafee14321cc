"""Predicted probabilities against observed frequencies, and what chance alone would make of them.

In each of BINS bins the share of the rows that is of the class is a matter of chance, so the calibration error

    Σ_b |Σ_{i in b} (p_i − [y_i is of the class])| / n,

the mean over classes, is above 0 even if every probability is right, the more the fewer rows there are. What it would
be then is found by drawing labels from the probabilities themselves: a row has one label in all its predictions.
Bröcker & Smith (2007), Increasing the reliability of reliability diagrams, Weather and Forecasting 22
"""

from __future__ import annotations

from typing import Any

import numpy as np

from linclass.evaluation.metrics.calibration_error import BINS
from linclass_study.analysis.held_out_predictions import HeldOut

VALUES = 5_000_000  # probabilities that are compared with draws, about
DRAWS = 40, 1000  # at least and at most
COVERED = 0.95


def reliability(rows: HeldOut, classes: list[int]) -> dict[str, Any]:
    """Content of a panel: the error, its mean by chance, and for each bin that has rows their number, mean prediction,
    share of the class, and the range that has COVERED of the shares by chance. Classes share the bins."""
    assert rows.log_proba is not None
    p = np.exp(rows.log_proba[:, classes])
    bins = np.clip(np.ceil(p * BINS).astype(np.int64) - 1, 0, BINS - 1)
    bins += np.arange(len(classes)) * BINS
    cells = len(classes) * BINS
    n, predicted = (np.bincount(bins.ravel(), w, cells) for w in (None, p.ravel()))
    actual = np.bincount(bins[rows.y_true[:, None] == np.array(classes)], minlength=cells)
    pooled, sums, members = (v.reshape(-1, BINS).sum(axis=0) for v in (n, predicted, actual))
    drawn = _drawn(rows.row, p, bins, len(classes) == 1)
    there, total = pooled > 0, max(p.size, 1)
    shares = drawn.reshape(len(drawn), -1, BINS).sum(axis=1)[:, there] / pooled[there]
    low, high = np.quantile(shares, [(1 - COVERED) / 2, (1 + COVERED) / 2], axis=0)
    return {
        "calibration_error": float(np.abs(predicted - actual).sum() / total),
        "by_chance": float(np.abs(predicted - drawn).sum(axis=1).mean() / total),
        "rows": pooled[there].astype(int).tolist(),
        "predicted": (sums[there] / pooled[there]).tolist(),
        "share": (members[there] / pooled[there]).tolist(),
        "low": low.tolist(),
        "high": high.tolist(),
    }


def _drawn(row: np.ndarray, p: np.ndarray, bins: np.ndarray, two: bool) -> np.ndarray:
    """Members (draws, cells) of each cell if labels were drawn from the probabilities: the same draws each time."""
    rng, cells = np.random.default_rng(0), p.shape[1] * BINS
    different, own = np.unique(row, return_inverse=True)
    upper = np.cumsum(p, axis=1)
    counts = []
    for _ in range(int(np.clip(VALUES // max(p.size, 1), *DRAWS))):
        u = rng.random(len(different))[own]
        if two:  # p of the positive class
            found = bins[u < p[:, 0], 0]
        else:
            code = (u[:, None] >= upper[:, :-1]).sum(axis=1)
            found = bins[np.arange(len(bins)), code]
        counts.append(np.bincount(found, minlength=cells))
    return np.array(counts)
