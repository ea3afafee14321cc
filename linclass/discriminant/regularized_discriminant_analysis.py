"""Regularized discriminant analysis: quadratic discriminant analysis with covariances pooled and shrunk,

    Σ_k(λ) = ((1 − λ) S_k + λ S) / ((1 − λ) f_k + λ f),   Σ_k(λ, γ) = (1 − γ) Σ_k(λ) + γ (tr Σ_k(λ)/d) I,

with S_k the scatter of class k, S = Σ_k S_k, and f_k and f their degrees of freedom. (λ, γ) = (0, 0) is quadratic and
(1, 0) linear discriminant analysis; (1, 1) is the nearest mean, with priors; (0, 1) has a spherical covariance for each
class. λ weighs classes by their rows, whereas the shrinkage of QuadraticDiscriminantAnalysis averages covariances: the
two differ for 0 < λ < 1 and classes of unequal size.

Predicts: log-odds, quadratic in x, and probabilities.
Cost: O(n d² + K d³), and O(K d²) a predicted row; with more features than rows O(n² d + K n³), and O(n d + K n²).
Certificate: closed form.
Reference: Friedman (1989), Regularized discriminant analysis, JASA 84; Hastie, Tibshirani & Friedman (2009),
    §4.3.1.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import cached_property
from typing import ClassVar

import numpy as np

from linclass.base.arrays import ClassWeight
from linclass.discriminant.class_moments import BY_ROWS, ClassMoments
from linclass.discriminant.covariance import (
    AnySpread,
    ShrunkSpread,
    Spread,
    check_ddof,
    check_share,
    degrees_of_freedom,
    is_singular,
    missing_rank,
    mixed_spread,
)
from linclass.discriminant.from_statistics import Priors, check_priors
from linclass.discriminant.quadratic_discriminant_analysis import (
    ClassSpreads,
    QuadraticDiscriminantAnalysis,
)


class RegularizedDiscriminantAnalysis(QuadraticDiscriminantAnalysis):
    """Parameters
    ----------
    ddof : {0, 1}, default=1
        Degrees of freedom of each class mean: f_k = n_k − ddof and f = N − ddof · K, with 0 as in Friedman's paper.
    pooling : float, default=0.5
        λ, from 0 (a covariance for each class) to 1 (the pooled covariance).
    shrinkage : float, default=0.1
        γ, from 0 (no shrinkage) to 1 (spherical). It depends on the units of the features:
        standardize them.

    Attributes
    ----------
    means_
    priors_
    A_ : array of shape (K, d, d)
        Quadratic coefficients A_k = −½ Σ_k(λ, γ)⁻¹.
    beta_ : array of shape (K, d)
        Linear coefficients β_k.
    gamma_ : array of shape (K,)
        Constants γ_k.
    """

    simpler: ClassVar[Mapping[str, int]] = {"pooling": 1, "shrinkage": 1}

    def __init__(
        self,
        priors: Priors = None,
        ddof: int = 1,
        pooling: float = 0.5,
        shrinkage: float = 0.1,
        class_weight: ClassWeight = None,
    ):
        self.priors = priors
        self.ddof = ddof
        self.pooling = pooling
        self.shrinkage = shrinkage
        self.class_weight = class_weight

    def check(self) -> None:
        super().check()
        check_priors(self.priors)
        check_ddof(self.ddof)
        check_share("pooling", self.pooling)
        check_share("shrinkage", self.shrinkage)

    def _spreads_of(self, stack: ClassMoments) -> list[ClassSpreads]:
        shares = float(self.pooling), float(self.shrinkage)
        return [PooledSpreads(fold, self.ddof, *shares) for fold in stack.split()]

    def _deficiency(self, spreads: ClassSpreads) -> str:
        k, singular = spreads.deficient[0]
        if not self.pooling and not self.shrinkage:
            return super()._deficiency(spreads)
        return (
            f"of class {self.classes_.tolist()[k]!r} {missing_rank(singular.rank, self.means_.shape[1])}; "
            "shrinkage above 0 gives them one"
        )


class PooledSpreads(ClassSpreads):
    """Factored covariances Σ_k(λ, γ) of the classes."""

    def __init__(self, moments: ClassMoments, ddof: int, pooling: float, shrinkage: float):
        super().__init__(moments, ddof, shrinkage)
        self.pooling = pooling

    def of(self, k: int) -> AnySpread:
        spread = self.pooled if self.pooling == 1 else self._own(k)
        if not is_singular(spread, self.moments.mean.shape[1]):
            return spread
        if self.moments.mass[k] > 0:
            self.deficient.append((k, spread))
        return spread if self.pooling else self.pooled

    def _own(self, k: int) -> AnySpread:
        factors = np.full(len(self.moments.mass), self.pooling)
        factors[k] = 1
        f = (1 - self.pooling) * self._freedom(k) + self.pooling * self._pooled_freedom
        return self._shrunk_to_sphere(factors / f)

    @cached_property
    def pooled(self) -> AnySpread:
        return self._shrunk_to_sphere(np.full(len(self.moments.mass), 1 / self._pooled_freedom))

    def _freedom(self, k: int) -> float:
        """Degrees of freedom f_k: 0 for a class of one row, whose Σ_k(λ) is then the pooled one; without pooling 1, a
        divisor of its scatter 0.
        """
        f = super()._freedom(k)
        return f if self.moments.mass[k] > self.ddof or not self.pooling else 0.0

    @property
    def _pooled_freedom(self) -> float:
        return float(degrees_of_freedom(self.moments, self.ddof))

    def _shrunk_to_sphere(self, factors: np.ndarray) -> AnySpread:
        """(1 − γ)Σ + γ (tr Σ/d) I for Σ = Σ_k a_k S_k with factors a (K,)."""
        gamma, d = self.shrinkage, self.moments.mean.shape[1]
        mean = float(factors @ self.moments.squares.sum(axis=1)) / d
        if self.moments.form in BY_ROWS:
            return mixed_spread(self.moments, (1 - gamma) * factors, gamma * mean)
        S = np.tensordot(factors, self.moments.scatter, 1)
        if not gamma or not mean:
            return Spread.of_covariance(S, self.moments.negligible)
        values, V = np.linalg.eigh(S)
        return ShrunkSpread((1 - gamma) * np.maximum(values, 0), V.T, gamma * mean)
