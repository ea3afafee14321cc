"""The plane through the mean of the rows on which decision boundaries are drawn, and margins on it.

Two numeric features are plotted as they are. For more features, the plane is spanned by Fisher's leading discriminant
directions: coordinates u = Wᵀ(x − m), where the columns of W maximize WᵀBW subject to WᵀSW = I, with between-class
covariance B and within-class covariance S. Two classes have one such direction; the second one is then the leading
principal direction within classes among those uncorrelated with the first.

The point with coordinates u is x = m + S W u. All other directions are uncorrelated within classes with these two, so
for two or three classes LDA's regions on the plane are exactly its decisions on the rows' coordinates; for other
methods they are a section.                                                              Hastie et al. (2009), §4.3.3

The margin of class k at the points of a grid is m_k(u) = z_k(u) − max over j ≠ k of z_j(u), whose zero is the boundary
of its region. Linear interpolation of linear scores is exact, so this line is the true boundary of a linear classifier,
which predicted classes alone place within a cell of the grid only.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from linclass.base.tables import Table

MAX_FEATURES = 300  # features
ROWS = 5000  # evenly spaced rows from which the directions are computed
RIDGE = 1e-6  # of the unit variance of a standardized feature: S may be singular
BLOCK = 100_000  # rows whose coordinates are computed at a time
DIGITS = 6  # significant digits of the directions, so that files do not depend on the machine


@dataclass(frozen=True)
class Plane:
    """names of the axes, point m (p,), weights W (p, 2) and span S W (p, 2); unused columns have zeros."""

    names: tuple[str, str]
    mean: np.ndarray
    weights: np.ndarray
    span: np.ndarray

    def coordinates(self, X: np.ndarray) -> np.ndarray:
        """Coordinates (n, 2) of rows; missing values are replaced by the mean."""
        blocks = (X[i : i + BLOCK] for i in range(0, max(len(X), 1), BLOCK))
        return np.concatenate([np.nan_to_num(rows - self.mean) @ self.weights for rows in blocks])

    def points(self, coordinates: np.ndarray) -> np.ndarray:
        """Points (n, p) with the given coordinates (n, 2)."""
        return self.mean + coordinates @ self.span.T


def plane(table: Table, y: np.ndarray) -> Plane | str:
    """The plane of a table with class codes y, or the reason why there is none."""
    p = table.shape[1]
    if table.is_sparse:
        remedy = " (`dense: true` in its entry makes an array)" if p <= MAX_FEATURES else ""
        return f"its {p:,} features are sparse; a plane needs dense ones{remedy}"
    numeric = [j for j, name in enumerate(table.names) if name not in table.levels]
    if p < 2 or len(numeric) < 2:
        return f"a plane needs two numeric features, and it has {len(numeric)}"
    if p > MAX_FEATURES:
        return f"it has {p:,} features, more than the {MAX_FEATURES} that a plane is computed for"
    if p == 2 and not np.isnan(table.X).any():
        return Plane((table.names[0], table.names[1]), np.zeros(2), np.eye(2), np.eye(2))
    evenly_spaced = np.unique(np.linspace(0, len(y) - 1, min(len(y), ROWS)).astype(int))
    X, y = table.X[evenly_spaced], y[evenly_spaced]
    if len(np.unique(y)) < 2:
        return "a plane needs rows of two classes"
    mean = np.zeros(p)
    for j, column in enumerate(X.T):  # the mode of a categorical one
        values, counts = np.unique(column[~np.isnan(column)], return_counts=True)
        if len(values):
            mean[j] = np.nanmean(column) if j in numeric else values[counts.argmax()]
    scale = np.nanstd(np.where(np.isnan(X), mean, X), axis=0)
    varies = np.flatnonzero((scale > 0) & np.isin(np.arange(p), numeric))
    if len(varies) < 2:
        return "fewer than two of its numeric features vary"
    Z = np.nan_to_num((X[:, varies] - mean[varies]) / scale[varies])
    W, S, names = _directions(Z, y)
    weights, span = np.zeros((p, 2)), np.zeros((p, 2))
    weights[varies] = W / scale[varies, None]
    span[varies] = (S @ W) * scale[varies, None]
    return Plane(names, _rounded(mean), _rounded(weights), _rounded(span))


def _directions(Z: np.ndarray, y: np.ndarray) -> tuple[np.ndarray, np.ndarray, tuple[str, str]]:
    """W (p, 2) and S of standardized columns, and the names of the two directions."""
    classes, codes = np.unique(y, return_inverse=True)
    counts = np.bincount(codes)
    means = np.stack([Z[codes == k].mean(axis=0) for k in range(len(classes))])
    R = Z - means[codes]
    S = R.T @ R / max(len(y) - len(classes), 1) + RIDGE * np.eye(Z.shape[1])
    L = np.linalg.cholesky(S)
    between = np.sqrt(counts / len(y))[:, None] * (means - Z.mean(axis=0))
    W = np.linalg.solve(L.T, np.linalg.svd(np.linalg.solve(L, between.T))[0][:, :2])
    names = "first discriminant direction", "second discriminant direction"
    if len(classes) == 2:
        away = S @ W[:, 0]
        P = np.eye(len(S)) - np.outer(away, away) / (away @ away)
        second = np.linalg.eigh(P @ S @ P)[1][:, -1]
        W[:, 1] = second / np.sqrt(second @ S @ second)
        names = "discriminant direction", "leading direction within classes"
    largest = np.abs(W).argmax(axis=0)
    return W * np.sign(W[largest, [0, 1]]), S, names


def _rounded(values: np.ndarray) -> np.ndarray:
    with np.errstate(divide="ignore"):
        digits = np.where(values == 0, 0, np.floor(np.log10(np.abs(values))))
    unit = 10.0 ** (digits - DIGITS + 1)
    return np.round(values / unit) * unit


MOST_CLASSES = 30  # with more, the file of a run would be large
JUMP = 4  # times the step beside it, from which on a step across a boundary is not a slope


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
    if _scores_jump(margins, labels):
        return None
    corners = np.stack([labels[:-1, :-1], labels[1:, :-1], labels[:-1, 1:], labels[1:, 1:]])
    differ = (corners != corners[0]).any(axis=0)  # cells with a boundary in them
    drawn = np.zeros(labels.shape, bool)
    for part in (drawn[:-1, :-1], drawn[1:, :-1], drawn[:-1, 1:], drawn[1:, 1:]):
        part |= differ
    return np.where(drawn, margins, np.nan).astype(np.float32)


def _scores_jump(margins: np.ndarray, labels: np.ndarray) -> bool:
    """Whether most steps between classes are far larger than both neighbouring steps on the same line."""
    ratios = []
    for field, codes in (margins, labels), (margins.transpose(0, 2, 1), labels.T):
        steps = np.abs(np.diff(field, axis=2))
        across = codes[:, 1:-2] != codes[:, 2:-1]
        step_across = np.take_along_axis(steps[..., 1:-1], codes[None, :, 1:-2], 0)[0][across]
        both = (steps[..., part].max(axis=0)[across] for part in (np.s_[:-2], np.s_[2:]))
        ratios.append(step_across > JUMP * np.maximum(*both))
    jumps = np.concatenate(ratios)
    return bool(jumps.size and jumps.mean() > 0.5)
