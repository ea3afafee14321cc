"""How far the score of each class is ahead of the best other one, at the points of a plane's grid.

    m_k(u) = z_k(u) − max over j ≠ k of z_j(u),

whose zero is the boundary of the region of class k. Linear interpolation of linear scores is exact, so the zero line of
m_k between the points of the grid is the true straight line of a linear classifier, which predicted classes alone place
within a cell of the grid only.
"""

from __future__ import annotations

import numpy as np

MOST_CLASSES = 30  # with more, the file of a run would be large
JUMP = 4  # times the step beside it, from which on a step across a boundary is no slope


def plane_margins(labels: np.ndarray, score: np.ndarray) -> np.ndarray | None:
    """Margins (K, g, h), as float32, from predicted classes (g, h) and scores (g, h, K).

    They are NaN away from boundaries, at points of cells whose corners have all one class: no line is drawn there. None
    if there are no scores, if the highest one is not what decides, as with costs, or if scores jump at boundaries, as
    votes do: what lies between two points is then not known.
    """
    K = score.shape[-1]
    if K > MOST_CLASSES or not np.isfinite(score).all():
        return None
    if not np.array_equal(score.argmax(axis=-1), labels):
        return None
    second, first = np.moveaxis(np.partition(score, K - 2, axis=-1)[..., K - 2 :], -1, 0)
    is_first = labels == np.arange(K)[:, None, None]
    margins = np.moveaxis(score, -1, 0) - np.where(is_first, second, first)
    if _jump(margins, labels):
        return None
    return np.where(beside_another(labels), margins, np.nan).astype(np.float32)


def _jump(margins: np.ndarray, labels: np.ndarray) -> bool:
    """Whether most steps from one class to another are far larger than both steps beside them, in the same line."""
    ratios = []
    for field, codes in (margins, labels), (margins.transpose(0, 2, 1), labels.T):
        steps = np.abs(np.diff(field, axis=2))
        across = codes[:, 1:-2] != codes[:, 2:-1]
        own = np.take_along_axis(steps[..., 1:-1], codes[None, :, 1:-2], 0)[0][across]
        beside = np.maximum(
            *(steps[..., part].max(axis=0)[across] for part in (np.s_[:-2], np.s_[2:]))
        )
        ratios.append(own > JUMP * beside)
    found = np.concatenate(ratios)
    return bool(found.size and found.mean() > 0.5)


def beside_another(labels: np.ndarray) -> np.ndarray:
    """Whether a point is a corner of a cell whose corners have different classes."""
    corners = np.stack([labels[:-1, :-1], labels[1:, :-1], labels[:-1, 1:], labels[1:, 1:]])
    differ = (corners != corners[0]).any(axis=0)
    found = np.zeros(labels.shape, bool)
    for part in (found[:-1, :-1], found[1:, :-1], found[:-1, 1:], found[1:, 1:]):
        part |= differ
    return found
