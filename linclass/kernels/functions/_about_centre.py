"""Polynomial kernels of rows far from 0:  k′(x, x′) = ⟨φ(x) − φ(c), φ(x′) − φ(c)⟩  for k = (γ x·x′ + coef0)^degree.

With a free intercept, coefficients have the sum 0, so k′ in place of k changes only the intercept, exactly:

    Σ_j β_j k′(x_j, x) = Σ_j β_j k(x_j, x) − Σ_j β_j (k(x_j, c) − k(c, c))

k′ is computed from x − c without cancellation, by a recursion over the degree D. With s = γ c·c + coef0,
a = γ c·(x − c), b = γ c·(x′ − c) and p = γ (x − c)·(x′ − c),

    e_D(a) = (s + a)^D − s^D,        e_{D+1}(a) = (s + a) e_D(a) + a s^D,
    k′_{D+1} = (s + a + b + p) k′_D + (b + p) e_D(a) + (a + p) e_D(b) + p s^D,   k′_1 = p.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy import sparse

from linclass.base.arrays import Array, Matrix, shifted, squares_of_rows
from linclass.kernels.functions.base import Kernel


class AboutCentre(Kernel):
    """The kernel of φ(x) − φ(c)."""

    def __init__(self, centre: Array, gamma: float = 1.0, coef0: float = 0.0, degree: int = 1):
        self.centre, self.gamma, self.degree = centre, gamma, degree
        self.at_centre = float(gamma * (centre @ centre) + coef0)  # s

    def matrix(self, X: Matrix, Y: Any = None) -> Array:
        return super().matrix(self.near_zero(X), None if Y is None else self.near_zero(Y))

    def near_zero(self, X: Matrix) -> Any:
        return shifted(X, self.centre)

    def features(self, X: Matrix) -> Matrix | None:
        return self.near_zero(X) * self.gamma**0.5 if self.degree == 1 else None

    def between(self, X: Matrix, Y: Any, a: Array, b: Array) -> Array:
        """As `Kernel.between`, for rows from which the centre was subtracted."""
        along = self.gamma * (X @ self.centre)[:, None], self.gamma * (Y @ self.centre)
        products = X @ Y.T
        return self._product(
            *along, self.gamma * (products.toarray() if sparse.issparse(products) else products)
        )

    def diagonal(self, X: Matrix) -> Array:
        along = self.gamma * (X @ self.centre)
        return self._product(along, along, self.gamma * squares_of_rows(X))

    def increments(self, X: Matrix) -> Array:
        """k(x, c) − k(c, c) of every row."""
        s = self.at_centre
        a = self.gamma * (self.near_zero(X) @ self.centre)
        e = a
        for D in range(1, self.degree):
            e = (s + a) * e + a * s**D
        return np.asarray(e)

    def _product(self, a: Array, b: Array, p: Array) -> Array:
        s, K, ea, eb = self.at_centre, p, a, b
        with np.errstate(over="ignore", invalid="ignore"):
            for D in range(1, self.degree):
                K = (s + a + b + p) * K + (b + p) * ea + (a + p) * eb + p * s**D
                ea, eb = (s + a) * ea + a * s**D, (s + b) * eb + b * s**D
        if not np.isfinite(K).all():
            raise ValueError("kernel values overflow on these rows; standardize them.")
        return K
