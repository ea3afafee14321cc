"""ROC and precision–recall curves of many fits at once, with exact areas.

A curve is represented by its means over CELLS equal intervals of the axis, so their mean is the area under it: the AUC
(ties count half, as on the straight line between two thresholds), or the average precision Σ (rₖ − rₖ₋₁) pₖ, whose
curve is a step function. The mean of such curves over folds is the vertical average of Fawcett (2006), §8.1, and its
area is the mean of the folds' areas.
"""

from __future__ import annotations

import numpy as np

CELLS = 100
MIDDLES = (np.arange(CELLS) + 0.5) / CELLS


def roc(score: np.ndarray, member: np.ndarray, fit: np.ndarray, fits: int) -> np.ndarray:
    """Mean true positive rate (fits, CELLS) over each interval of the false positive rate; NaN without pairs."""
    of, hits, misses, inside, outside = _thresholds(score, member, fit, fits)
    with np.errstate(invalid="ignore", divide="ignore"):
        x, height = misses / outside[of], hits / inside[of]
    begin = np.concatenate([[0.0], height[:-1]])
    return _means(of, x, begin, height, (inside > 0) & (outside > 0))


def precision_recall(
    score: np.ndarray, member: np.ndarray, fit: np.ndarray, fits: int
) -> np.ndarray:
    """Mean precision (fits, CELLS) over each interval of the recall; NaN without rows of the class."""
    of, hits, misses, inside, _ = _thresholds(score, member, fit, fits)
    with np.errstate(invalid="ignore", divide="ignore"):
        x, height = hits / inside[of], hits / (hits + misses)
    return _means(of, x, height, height, inside > 0)


def _thresholds(
    score: np.ndarray, member: np.ndarray, fit: np.ndarray, fits: int
) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
    """Points of the curves: (0, 0) for each fit, then one for each distinct score in descending order.

    Returns the fit of each point, the numbers of rows inside and outside the class with at least this score, and the
    totals of both for each fit.
    """
    order = np.lexsort((-score, fit))
    score, member, fit = score[order], member[order].astype(np.int64), fit[order]
    last = np.append((score[1:] != score[:-1]) | (fit[1:] != fit[:-1]), True)
    inside = np.bincount(fit, member, fits).astype(np.int64)
    outside = np.bincount(fit, minlength=fits) - inside
    of = fit[last]
    hits = np.cumsum(member)[last] - (np.cumsum(inside) - inside)[of]
    misses = np.cumsum(1 - member)[last] - (np.cumsum(outside) - outside)[of]
    starts = np.searchsorted(of, np.arange(fits))
    parts = (np.insert(values, starts, 0) for values in (hits, misses))
    return np.insert(of, starts, np.arange(fits)), *parts, inside, outside  # type: ignore[return-value]


def _means(
    of: np.ndarray, x: np.ndarray, begin: np.ndarray, end: np.ndarray, defined: np.ndarray
) -> np.ndarray:
    """Means, over the intervals of the axis, of line segments from (x of the previous point, begin) to (x, end).

    The area up to a position is the area up to the last point before it plus a trapezoid, so differences of areas are
    exact.
    """
    fits, grid = len(defined), np.linspace(0, 1, CELLS + 1)
    width = np.diff(x, prepend=0.0)
    width[np.searchsorted(of, np.arange(fits))] = 0
    width = np.where(defined[of], width, 0)
    piece = np.where(width > 0, width * (begin + end) / 2, 0)
    area = np.cumsum(piece)
    place = 2.0 * of + np.where(defined[of], x, 0)
    positions = (2.0 * np.arange(fits)[:, None] + grid).ravel()
    k = np.searchsorted(place, positions, "right") - 1
    over = np.maximum(positions - place[k], 0)
    after = np.minimum(k + 1, len(x) - 1)
    share = np.divide(over, width[after], out=np.zeros_like(over), where=width[after] > 0)
    inside = (of[after] == of[k]) & (over > 0)
    middle = begin[after] + (end[after] - begin[after]) * np.minimum(share, 1) / 2
    total = area[k] + np.where(inside, over * middle, 0)
    found = np.diff(total.reshape(fits, -1), axis=1) * CELLS
    found[~defined] = np.nan
    return found
