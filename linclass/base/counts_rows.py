"""How many rows the weights count, where a fit depends on it (degrees of freedom, priors, visits):

    N = max(Σ w, n),   n the number of rows whose weight is not negligible.

Weights with a mean of at least 1 are frequency weights; weights with a mean below 1 are relative, and are scaled to a
mean of 1. The two agree where they meet, so a fit is continuous in a constant factor of the weights; integer weights
are repeated rows, and weights that sum to 1 or to n give the same fit.
"""

from typing import Any

import numpy as np

from linclass.base.convergence_warning import warn_user
from linclass.base.numerics.arrays import Array

NEGLIGIBLE = 1e-9  # of the largest weight: such a row is as good as absent
ROUNDING = 1e-9  # of a sum of weights


def count_factor(total: Any, rows: Any) -> Any:
    """N/Σw, the factor by which weights with this sum over this number of rows count rows."""
    return np.maximum(1.0, rows / total)


def have_weight(weights: Array) -> Array:
    """The rows that count towards n, as a mask."""
    return weights > NEGLIGIBLE * weights.max(initial=0)


def as_counts(weights: Array) -> Array:
    """The weights, multiplied by N/Σw."""
    return weights * count_factor(weights.sum(), have_weight(weights).sum())


def warn_of_relative_weights(weights: Array, owner: str) -> None:
    """Warn of a mean below 1, unless the weights sum to 1, as those that boosting gives."""
    total, n = float(weights.sum()), int(have_weight(weights).sum())
    if total < n * (1 - ROUNDING) and abs(total - 1) > ROUNDING * n:
        warn_user(
            f"sample_weight sums to {total:g} over {n} rows, and {owner} depends on how many rows the weights count; "
            "they are taken as relative and scaled to a mean of 1. Divide relative weights by their mean, and "
            "multiply frequency weights until they sum to the number of observations."
        )
