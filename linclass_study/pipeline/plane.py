"""The plane through the mean of the rows on which decision boundaries are drawn.

Two numeric features are plotted as they are. For more features, the plane is spanned by Fisher's leading discriminant
directions: coordinates u = Wᵀ(x − m), where the columns of W maximize WᵀBW subject to WᵀSW = I, with between-class
covariance B and within-class covariance S. Two classes have one such direction; the second one is then the leading
principal direction within classes among those uncorrelated with the first.

The point with coordinates u is x = m + S W u. All other directions are uncorrelated within classes with these two, so
for two or three classes LDA's regions on the plane are exactly its decisions on the rows' coordinates; for other
methods they are a section.                                                              Hastie et al. (2009), §4.3.3
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from linclass.base.tables import Table

MOST = 300  # features
ROWS = 5000  # evenly spaced rows from which the directions are computed
RIDGE = 1e-6  # of the unit variance of a standardized feature: S may be singular
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
        return np.nan_to_num(X - self.mean) @ self.weights

    def points(self, coordinates: np.ndarray) -> np.ndarray:
        """Points (n, p) with the given coordinates (n, 2)."""
        return self.mean + coordinates @ self.span.T


def plane(table: Table, y: np.ndarray) -> Plane | str:
    """The plane of a table with class codes y, or the reason why there is none."""
    p = table.shape[1]
    if table.is_sparse:
        remedy = " (`dense: true` in its entry makes an array)" if p <= MOST else ""
        return f"its {p:,} features are sparse; a plane needs dense ones{remedy}"
    numeric = [j for j, name in enumerate(table.names) if name not in table.levels]
    if p < 2 or len(numeric) < 2:
        return f"a plane needs two numeric features, and it has {len(numeric)}"
    if p > MOST:
        return f"it has {p:,} features, more than the {MOST} that a plane is computed for"
    if p == 2 and not np.isnan(table.X).any():
        return Plane((table.names[0], table.names[1]), np.zeros(2), np.eye(2), np.eye(2))
    some = np.unique(np.linspace(0, len(y) - 1, min(len(y), ROWS)).astype(int))
    X, y = table.X[some], y[some]
    if len(np.unique(y)) < 2:
        return "a plane needs rows of two classes"
    mean = np.array([_middle(X[:, j], j in set(numeric)) for j in range(p)])
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


def _middle(column: np.ndarray, is_numeric: bool) -> float:
    """The mean of a numeric column, the mode of a categorical one."""
    known = column[~np.isnan(column)]
    if not len(known):
        return 0.0
    values, counts = np.unique(known, return_counts=True)
    return float(known.mean() if is_numeric else values[counts.argmax()])


def _rounded(values: np.ndarray) -> np.ndarray:
    with np.errstate(divide="ignore"):
        digits = np.where(values == 0, 0, np.floor(np.log10(np.abs(values))))
    unit = 10.0 ** (digits - DIGITS + 1)
    return np.round(values / unit) * unit
