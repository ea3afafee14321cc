"""A covariance in factors:  Σ = FᵀF  and its (pseudo-)inverse  Σ⁺ = W Wᵀ.

x ↦ xW whitens rows, which is all that LDA and Fisher's discriminant need of Σ. Columns are first scaled to unit
variance, so that the rank does not depend on the units of the features. Without full rank Σ⁺ is the pseudo-inverse
in those coordinates: directions without variance are left out.   Golub & Van Loan (2013), §4.2, §5.5
"""

from dataclasses import dataclass
from typing import Any, Self

import numpy as np
import scipy.sparse as sp
from scipy.linalg import lapack

from linclass.base.arrays import Matrix

NEGLIGIBLE = 1e-13  # eigenvalue of a correlation matrix, relative to d times the largest


@dataclass(frozen=True)
class Spread:
    """Root F (r, d) and whitener W (d, r), r the rank.

    Without a `factor` the root is computed as the inverse of the triangular whitener, which halves the memory.
    """

    factor: np.ndarray | None
    whitener: np.ndarray
    known_volume: float | None = None  # ln det Σ, if a factorization gave it

    @property
    def rank(self) -> int:
        return self.whitener.shape[1]

    @property
    def root(self) -> np.ndarray:
        return lapack.dtrtri(self.whitener)[0] if self.factor is None else self.factor

    @property
    def log_volume(self) -> float:
        """ln det Σ; without full rank, over the directions with variance."""
        if self.known_volume is not None:
            return self.known_volume
        if self.rank == self.root.shape[1]:
            return 2 * float(np.linalg.slogdet(self.root)[1])
        return 2 * float(np.log(np.linalg.svd(self.root, compute_uv=False)).sum())

    def whiten(self, X: Matrix) -> np.ndarray:
        """Rows X (n, d) in coordinates (n, r) in which the covariance is the identity."""
        return X @ self.whitener

    def distances(self, X: Matrix, mean: np.ndarray) -> np.ndarray:
        """(x − m)ᵀΣ⁺(x − m) of rows X (n, d)."""
        return distances_by(self, X, mean)

    def directions(self, V: np.ndarray) -> np.ndarray:
        """Directions of whitened coordinates V (q, r) in those of the features: x·directions(v) = whiten(x)·v."""
        return V @ self.whitener.T

    def unwhiten(self, Y: np.ndarray) -> np.ndarray:
        """The rows (q, d) with these whitened coordinates, without the directions without variance."""
        return Y @ self.root

    def lengths(self, theta: np.ndarray) -> np.ndarray:
        """θᵀΣθ of each row of theta (K, d)."""
        return ((theta @ self.root.T) ** 2).sum(axis=1)

    def noise(self, rows: int, rng: np.random.Generator) -> np.ndarray:
        """Rows from N(0, Σ)."""
        return rng.standard_normal((rows, self.rank)) @ self.root

    def times(self, theta: np.ndarray) -> np.ndarray:
        """Σθ of each row of theta (K, d)."""
        return theta @ self.root.T @ self.root

    def solve(self, mean: np.ndarray) -> np.ndarray:
        """Σ⁺m of each row of mean (K, d)."""
        return mean @ self.whitener @ self.whitener.T

    @classmethod
    def of_covariance(cls, C: np.ndarray, negligible: np.ndarray) -> Self:
        """From Σ (d, d); a standard deviation up to `negligible` (d,) is rounding error."""
        return cls.of_covariances(C[None], negligible[None])[0]

    @classmethod
    def of_covariances(cls, C: np.ndarray, negligible: np.ndarray) -> list[Self]:
        """From many Σ (n, d, d) at once, with `negligible` (n, d)."""
        scale, weight = _scales(np.diagonal(C, axis1=1, axis2=2), negligible)
        return [cls._of_one(*one) for one in zip(C, scale, weight, strict=True)]

    @classmethod
    def _of_one(cls, C: np.ndarray, scale: np.ndarray, weight: np.ndarray) -> Self:
        """By Cholesky factorization if that determines the rank; otherwise by eigenvectors."""
        L, indefinite = lapack.dpotrf(C.T, lower=1, clean=1)
        if not indefinite and weight.all():
            inverse, _ = lapack.dtrtri(L, lower=1)
            unit = inverse.T * scale[:, None]  # of the correlation matrix Q, Σ = scale·Q·scale
            # ‖Q‖ ≤ d and ‖Q⁻¹‖ ≤ ‖unit‖², so nothing ill-conditioned passes
            if len(C) * np.vdot(unit, unit) * _tolerance(C) < 1:
                return cls(None, inverse.T, 2 * float(np.log(L.diagonal()).sum()))
        Q = C * np.multiply.outer(weight, weight)  # correlations, 0 for columns without variance
        values, vectors = np.linalg.eigh(Q)
        return cls._of_eigen(values, vectors.T, scale, weight)

    @classmethod
    def _of_eigen(
        cls, values: np.ndarray, V: np.ndarray, scale: np.ndarray, weight: np.ndarray
    ) -> Self:
        kept = values > max(values.max(initial=0) * _tolerance(V), 0)
        root = np.sqrt(values[kept])[:, None]
        return cls(root * V[kept] * scale, weight[:, None] * (V[kept] / root).T)


def distances_by(spread: Any, X: Matrix, mean: np.ndarray) -> np.ndarray:
    """Squared lengths of whitened rows about m, which avoids cancellation."""
    distance = spread.whiten((X.toarray() if sp.issparse(X) else X) - mean)
    return np.einsum("ij,ij->i", distance, distance)


def _scales(variance: np.ndarray, negligible: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """(standard deviation, its inverse) of each column, both 0 for a column without variance."""
    scale = np.sqrt(np.maximum(variance, 0))
    scale = np.where(scale > negligible, scale, 0)
    return scale, np.divide(1, scale, out=np.zeros_like(scale), where=scale > 0)


def _tolerance(Q: np.ndarray) -> float:
    return NEGLIGIBLE * Q.shape[1]
