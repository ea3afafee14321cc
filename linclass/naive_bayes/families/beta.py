"""Beta: independent features between 0 and 1, with parameters a and b.

T(x) = (ln x, ln(1 − x)),  θ = (a, b),  A(θ) = Σ_j ln Γ(a_j) + ln Γ(b_j) − ln Γ(a_j + b_j),
h = Π_j 1 / (x_j (1 − x_j)).  (a, b) solves Dirichlet's equations for two shares numerically.

`smoothing` (0 by default) rows with the overall mean of T are added to each class.
"""

from collections.abc import Iterator
from typing import Any, ClassVar

import numpy as np
from scipy.special import betaln

from linclass.base.arrays import Matrix
from linclass.naive_bayes.families._digamma_equations import (
    dirichlet_parameters,
    dirichlet_remaining_step,
    lacks_spread,
    off_the_edge,
)
from linclass.naive_bayes.families.base import Family, as_dense


class Beta(Family):
    support: ClassVar[str] = "unit interval"
    values: ClassVar[str] = "numbers between 0 and 1"

    def statistic(self, X: Matrix) -> Iterator[Any]:
        X = as_dense(X)
        yield np.log(X)
        yield np.log1p(-X)

    def natural(self, mean: np.ndarray) -> np.ndarray:
        return _apart(dirichlet_parameters(_pairs(mean)))

    def remaining_step(self, theta: np.ndarray, mean: np.ndarray) -> float:
        return float(dirichlet_remaining_step(_pairs(theta), _pairs(mean)).max(initial=0))

    def log_normalizer(self, theta: np.ndarray) -> np.ndarray:
        return betaln(*np.split(theta, 2, axis=-1)).sum(axis=-1)

    def log_carrier(self, X: Matrix) -> np.ndarray:
        X = as_dense(X)
        return -(np.log(X) + np.log1p(-X)).sum(axis=1)

    def sample(self, theta: np.ndarray, rows: int, rng: np.random.Generator) -> np.ndarray:
        a, b = np.split(theta, 2)
        return rng.beta(a, b, size=(rows, len(a)))

    def contains(self, x: np.ndarray) -> np.ndarray:
        return (x > 0) & (x < 1)

    def inside(self, mean: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        pairs = _pairs(mean)
        return _apart(off_the_edge(pairs)), lacks_spread(pairs)


def _pairs(mean: np.ndarray) -> np.ndarray:
    """(…, 2 d) → (…, d, 2)."""
    return np.stack(np.split(mean, 2, axis=-1), axis=-1)


def _apart(pairs: np.ndarray) -> np.ndarray:
    return np.concatenate([pairs[..., 0], pairs[..., 1]], axis=-1)
