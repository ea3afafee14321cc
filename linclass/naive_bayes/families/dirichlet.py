"""Dirichlet: each row consists of d positive shares with sum 1.

T(x) = ln x,  θ = α,  A(θ) = Σ_j ln Γ(α_j) − ln Γ(Σ_j α_j),  h = Π_j 1 / x_j.

α solves  ψ(α_j) − ψ(Σ α) = mean of ln x_j  numerically.
`smoothing` (0 by default) rows with the overall mean of T are added to each class.
Minka (2000), Estimating a Dirichlet distribution
"""

from collections.abc import Iterator
from typing import Any, ClassVar

import numpy as np
from scipy.special import gammaln

from linclass.base.arrays import Matrix
from linclass.base.messages import NotApplicable
from linclass.naive_bayes.families._digamma_equations import (
    dirichlet_parameters,
    dirichlet_remaining_step,
    lacks_spread,
    off_the_edge,
)
from linclass.naive_bayes.families.base import Family, as_dense, total

SLACK = 1e-6  # of the sum of a row


class Dirichlet(Family):
    support: ClassVar[str] = "simplex"
    values: ClassVar[str] = "shares between 0 and 1 that sum to 1"

    def statistic(self, X: Matrix) -> Iterator[Any]:
        X = as_dense(X)
        yield np.log(X)

    def natural(self, mean: np.ndarray) -> np.ndarray:
        return dirichlet_parameters(mean)

    def remaining_step(self, theta: np.ndarray, mean: np.ndarray) -> float:
        return float(dirichlet_remaining_step(theta, mean).max(initial=0))

    def log_normalizer(self, theta: np.ndarray) -> np.ndarray:
        return gammaln(theta).sum(axis=-1) - gammaln(theta.sum(axis=-1))

    def log_carrier(self, X: Matrix) -> np.ndarray:
        X = as_dense(X)
        return -np.log(X).sum(axis=1)

    def sample(self, theta: np.ndarray, rows: int, rng: np.random.Generator) -> np.ndarray:
        return rng.dirichlet(theta, size=rows)

    def contains(self, x: np.ndarray) -> np.ndarray:
        return (x > 0) & (x < 1)

    def check_rows(self, X: Matrix, names: Any, owner: str) -> None:
        super().check_rows(X, names, owner)
        sums = total(X)
        row = int(np.abs(sums - 1).argmax())
        if abs(sums[row] - 1) > SLACK:
            raise NotApplicable(
                f"{owner} takes {self.values}; row {row} sums to {sums[row]:g}. "
                "Divide each row by its sum."
            )

    def inside(self, mean: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        constant = np.broadcast_to(lacks_spread(mean)[..., None], mean.shape)
        return off_the_edge(mean), constant
