"""The Bayes decision:  a(x) = argmin_a Σ_k L[a, k] · p(k | x).

L[a, k] is the cost of action a when the class is k: rows are actions, columns are classes, and
there may be more actions than classes (to refer a patient is neither of two diagnoses). What the
best action costs in class k is paid whatever is done, so min_a L[a, k] is taken off each column.
The rest is non-negative and the risk can be added up in logarithms, where probabilities of 0 and
of 10⁻⁴⁰⁰ keep their order.   Duda, Hart & Stork (2001), §2.2
"""

from collections.abc import Sequence

import numpy as np


def decide(log_proba: np.ndarray, costs: np.ndarray | Sequence[Sequence[float]]) -> np.ndarray:
    """The action of least expected risk for each row of `log_proba` (n, K); of equals the first.

    >>> decide(np.log([[0.9, 0.1], [0.8, 0.2]]), costs=[[0, 5], [1, 0]])
    array([0, 1])
    """
    log_proba = np.asarray(log_proba, dtype=np.float64)
    costs = check_costs(costs, log_proba.shape[1])
    with np.errstate(divide="ignore"):
        log_regret = np.log(costs - costs.min(axis=0))
    log_risk = [np.logaddexp.reduce(log_proba + regret, axis=1) for regret in log_regret]
    return np.argmin(log_risk, axis=0)


def check_costs(costs: np.ndarray | Sequence[Sequence[float]], n_classes: int) -> np.ndarray:
    """costs as a finite (actions, classes) matrix, or ValueError."""
    matrix = np.asarray(costs, dtype=np.float64)
    if matrix.ndim != 2 or matrix.shape[1] != n_classes:
        raise ValueError(
            f"costs has shape {matrix.shape}; it needs a row per action and {n_classes} columns, "
            "one per class."
        )
    if not np.isfinite(matrix).all():
        raise ValueError("costs holds NaN or infinity; say how much worse with a large number.")
    return matrix
