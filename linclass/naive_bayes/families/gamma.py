"""Gamma: independent positive features with shape a and rate b.

T(x) = (ln x, x),  θ = (a, −b),  A(θ) = Σ_j ln Γ(a_j) − a_j ln b_j,  h = Π_j 1 / x_j.

The shape solves  ln a − ψ(a) = ln(mean of x) − mean of ln x  numerically; then b = a / mean of x.
`smoothing` (0 by default) rows with the overall mean of T are added to each class.
"""

from collections.abc import Iterator
from typing import Any, ClassVar

import numpy as np
from scipy.special import gammaln

from linclass.base.arrays import Matrix
from linclass.naive_bayes.families._digamma_equations import gamma_remaining_step, gamma_shape
from linclass.naive_bayes.families.base import Family, as_dense

LEAST = 1e-14  # ln(mean of x) − mean of ln x, below which it is rounding


class Gamma(Family):
    support: ClassVar[str] = "positive"
    values: ClassVar[str] = "numbers above 0"

    def statistic(self, X: Matrix) -> Iterator[Any]:
        X = as_dense(X)
        yield np.log(X)
        yield X

    def natural(self, mean: np.ndarray) -> np.ndarray:
        log_x, x = np.split(mean, 2, axis=-1)
        a = gamma_shape(np.log(x) - log_x)
        return np.concatenate([a, -a / x], axis=-1)

    def remaining_step(self, theta: np.ndarray, mean: np.ndarray) -> float:
        log_x, x = np.split(mean, 2, axis=-1)
        a = np.split(theta, 2, axis=-1)[0]
        return float(gamma_remaining_step(a, np.log(x) - log_x).max(initial=0))

    def log_normalizer(self, theta: np.ndarray) -> np.ndarray:
        a, minus_b = np.split(theta, 2, axis=-1)
        return (gammaln(a) - a * np.log(-minus_b)).sum(axis=-1)

    def log_carrier(self, X: Matrix) -> np.ndarray:
        X = as_dense(X)
        return -np.log(X).sum(axis=1)

    def sample(self, theta: np.ndarray, rows: int, rng: np.random.Generator) -> np.ndarray:
        a, minus_b = np.split(theta, 2)
        return rng.gamma(a, -1 / minus_b, size=(rows, len(a)))

    def contains(self, x: np.ndarray) -> np.ndarray:
        return x > 0

    def inside(self, mean: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        log_x, x = np.split(mean, 2, axis=-1)
        constant = np.log(x) - log_x < LEAST * (1 + np.abs(log_x))
        log_x = np.where(constant, np.log(x) - LEAST * (1 + np.abs(log_x)), log_x)
        return np.concatenate([log_x, x], axis=-1), constant
