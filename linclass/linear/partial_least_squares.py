"""Partial least squares: regression on a few scores, each the combination of features with most covariance with y,

    t_m = X_m φ_m,   φ_m maximizes  ‖Y_cᵀ W X_m φ‖,  ‖φ‖ = 1,      (for one y:  φ_m ∝ X_mᵀ W y_c)
    X_1 = X_c,   X_{m+1} = X_m − t_m t_mᵀ W X_m / t_mᵀ W t_m,      ŷ = ȳ + Σ_m t_m θ_m,   θ_m = t_mᵀ W Y_c / t_mᵀ W t_m,

with the row weights W and centred X_c, Y_c. The scores are uncorrelated. For one y, the weights of M components are the
M-th step of conjugate gradients on the normal equations: they have the least loss among combinations of c, Gc, …,
G^(M−1)c, with the covariances c = X_cᵀ W y_c and G = X_cᵀ W X_c. With as many components as features it is least
squares. X_m is not computed, so sparse rows stay sparse. Covariances depend on the units of the features: standardize
them first, as the book does. `transform` gives the scores.

Predicts: a number, or several, linear in x; scores as coordinates.
Cost: O(n d) per component, and O(n M²) for M of them.
Certificate: closed form.
Reference: Hastie, Tibshirani & Friedman (2009), §3.5.2; Wold, Sjöström & Eriksson (2001), Chemometrics and
    Intelligent Laboratory Systems 58.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import ClassVar, NamedTuple, Self

import numpy as np
from scipy import sparse
from scipy.linalg import solve_triangular

from linclass.base.arrays import (
    ROUNDED_COSINE,
    Array,
    ArrayLike,
    Matrix,
    MatrixLike,
    PerRow,
    squares_of_columns,
)
from linclass.base.linear_scores import Coordinates, LinearGeometry, products
from linclass.base.messages import require_memory
from linclass.base.parameters import is_whole, require_whole
from linclass.base.regressor import Regressor
from linclass.linear.objective.coordinates import about_mean, far_about_mean


class PartialLeastSquares(Coordinates, LinearGeometry, Regressor):
    """Parameters
    ----------
    n_components : int or None, default=2
        Number M of components, at least 1. There are fewer where the residual has no covariance with any feature left.
        None takes all, which is least squares.
    fit_intercept : bool, default=True
        Whether to fit the intercept b. False sets b = 0 and centres nothing.

    Attributes
    ----------
    coef_ : array of shape (d,), or (m, d) for y of shape (n, m)
        Weights w.
    intercept_ : float, or array of shape (m,)
        Intercept b.
    centre_ : array of shape (d,)
        Mean of the rows; 0 without an intercept.
    directions_ : array of shape (d, M)
        The directions φ_m, as columns.
    scalings_ : array of shape (d, M)
        The scores as combinations of the centred features, t_m = X_c r_m, as columns.
    loadings_ : array of shape (M,), or (M, m)
        Coefficients θ_m of y on the scores; the sign of φ_m makes the largest positive.
    """

    simpler: ClassVar[Mapping[str, int]] = {"n_components": -1}
    several_targets = True

    def __init__(self, n_components: int | None = 2, *, fit_intercept: bool = True):
        self.n_components = n_components
        self.fit_intercept = fit_intercept

    def _plane(self, pair: tuple[int, int] | None) -> tuple[Array, float]:
        if self.coef_.ndim > 1:
            raise ValueError(
                f"{len(self.coef_)} targets have no boundary in common; fit one of them alone."
            )
        return super()._plane(pair)

    def check(self) -> None:
        super().check()
        require_whole("n_components", self.n_components, 1, or_none=True)

    def fit(self, X: MatrixLike, y: ArrayLike, sample_weight: PerRow = None) -> Self:
        """Parameters
        ----------
        X : array, sparse matrix or data frame of shape (n, d)
            Training rows; finite numbers.
        y : array of shape (n,) or (n, m)
            Target of each row, a finite number, or m of them.
        """
        X, y, weights = self._start_fit(X, y, sample_weight)
        w, Y = weights / weights.sum(), y.reshape(len(y), -1)
        rows = CentredProducts(X, w, self.fit_intercept)
        constant = Y.min(axis=0) == Y.max(axis=0)  # whose mean has no rounding error
        middle = np.where(constant, Y[0], w @ Y) if self.fit_intercept else np.zeros(Y.shape[1])
        most = min(len(y) - self.fit_intercept, X.shape[1], self.n_components or X.shape[1])
        require_memory(8 * most * len(y), f"{most} scores of {len(y)} rows are dense")
        factors = components(rows, rows.roots[:, None] * (Y - middle), most)
        self.centre_, self.directions_ = rows.mean, factors.directions.T
        lengths = np.diag(factors.H)
        self.scalings_ = lengths * _solved(factors.H, factors.directions).T
        self.loadings_ = (factors.loadings.T / lengths).T.reshape(len(lengths), *y.shape[1:])
        self.coef_ = self.coef_after(len(lengths))
        self.intercept_ = middle.reshape(y.shape[1:]) - self.coef_ @ rows.mean
        if y.ndim == 1:
            self.intercept_ = float(self.intercept_)
        return self._record()

    def predict(self, X: MatrixLike) -> Array:
        """Predicted targets of each row.

        Parameters
        ----------
        X : array, sparse matrix or data frame of shape (n, d)
            Rows with the features of the training rows.

        Returns
        -------
        array of shape (n,), or (n, m) if fitted to m targets
        """
        Z = products(self._check_rows(X), np.atleast_2d(self.coef_)) + self.intercept_
        return Z[:, 0] if self.coef_.ndim == 1 else Z

    def coef_after(self, components: int) -> Array:
        """Weights of a fit with fewer components.

        Parameters
        ----------
        components : int
            Number of components, from 0 to M.

        Returns
        -------
        array of shape (d,), or (m, d)
        """
        M = self.scalings_.shape[1]
        if not (is_whole(components) and components <= M):
            raise ValueError(
                f"components is {components!r}; it must be a whole number from 0 to {M}."
            )
        return np.asarray((self.scalings_[:, :components] @ self.loadings_[:components]).T)


class CentredProducts:
    """Products with √w (x − x̄), for weights w that sum to 1; sparse rows are centred only in columns far from 0."""

    def __init__(self, X: Matrix, w: Array, centre: bool):
        self.roots, self.rest = np.sqrt(w), np.zeros(X.shape[1])
        self.X, self.mean = X, self.rest
        if centre and sparse.issparse(X):
            self.X, far = far_about_mean(X, w)
            self.rest = np.asarray(w @ self.X)
            self.mean = far + self.rest
        elif centre:
            self.X, self.mean = about_mean(X, w)
        self.norms = np.sqrt(squares_of_columns(self.X, w))

    def times(self, v: Array) -> Array:
        return np.asarray(self.roots * (self.X @ v - self.rest @ v))

    def pull(self, E: Array) -> Array:
        E = self.roots[:, None] * E
        return np.asarray(self.X.T @ E - np.outer(self.rest, E.sum(axis=0)))


class Scores(NamedTuple):
    """Scores of length 1, T = X_c Φ H⁻¹, with Φ the directions as rows, and y on them."""

    directions: Array
    H: Array
    loadings: Array


def components(rows: CentredProducts, Y: Array, most: int) -> Scores:
    """The first components, by Gram and Schmidt's method for the scores, twice.

    Since the residual E is orthogonal to all scores so far,  X_mᵀ E = X_cᵀ E,  and X_m is not needed.
    """
    d, (n, m), E = len(rows.norms), Y.shape, Y.copy()
    T, W, H, Q = (
        np.empty((most, n)),
        np.empty((most, d)),
        np.zeros((most, most)),
        np.empty((most, m)),
    )
    rounding = ROUNDED_COSINE * np.outer(rows.norms, np.linalg.norm(Y, axis=0))
    for a in range(most):
        S = rows.pull(E)
        S[np.abs(S) <= rounding] = 0
        if not S.any():
            return Scores(W[:a], H[:a, :a], Q[:a])
        U, _, V = np.linalg.svd(S, full_matrices=False)
        W[a] = U[:, 0] * np.sign(V[0, np.abs(V[0]).argmax()])
        t = rows.times(W[a])
        for _ in range(2):
            h = T[:a] @ t
            t -= h @ T[:a]
            H[:a, a] += h
        H[a, a] = np.linalg.norm(t)
        T[a] = t / H[a, a]
        Q[a] = T[a] @ E
        E -= np.outer(T[a], Q[a])
    return Scores(W, H, Q)


def _solved(H: Array, W: Array) -> Array:
    return solve_triangular(H, W, trans="T", check_finite=False) if len(H) else W
