"""The Bayes decision:  a(x) = argmin_a Σ_k L[a, k] · p(k | x).

L[a, k] is the cost of action a when the class is k. There may be more actions than classes: referring a
patient is neither of two diagnoses. The cost of the best action in class k, min_a L[a, k], is unavoidable
and is subtracted from each column. The remaining costs are non-negative, so the risk can be summed in
logarithms, where probabilities of 0 and of 10⁻⁴⁰⁰ keep their order.   Duda, Hart & Stork (2001), §2.2
"""

from collections.abc import Sequence

import numpy as np

# of single-precision probabilities; a row of probabilities has one of at least 1/K
PROBABILITY_TOLERANCE = 1e-4


def decide(log_proba: np.ndarray, costs: np.ndarray | Sequence[Sequence[float]]) -> np.ndarray:
    """The action of least expected cost for each row; ties go to the first.

    Parameters
    ----------
    log_proba : array of shape (n, K)
        Logarithms of the class probabilities, as `predict_log_proba` returns them.
    costs : array of shape (A, K)
        Cost of each of A actions (rows) in each class (columns), in any unit.

    Returns
    -------
    array of int, shape (n,)
        Index of the action.

    Examples
    --------
    >>> decide(np.log([[0.9, 0.1], [0.8, 0.2]]), costs=[[0, 5], [1, 0]])
    array([0, 1])
    """
    log_proba = np.asarray(log_proba, dtype=np.float64)
    if log_proba.ndim != 2:
        raise ValueError(
            f"log_proba has shape {log_proba.shape}; it must be (n, K), a row for each decision and a column for "
            "each class, as predict_log_proba returns it."
        )
    if (wrong := log_proba[~(log_proba <= PROBABILITY_TOLERANCE)]).size:  # NaN, too
        raise ValueError(
            f"log_proba holds {wrong[0]:g}, and logarithms of probabilities are at most 0; give predict_log_proba(X), "
            "or np.log of probabilities."
        )
    matrix, n_classes = np.asarray(costs, dtype=np.float64), log_proba.shape[1]
    if matrix.ndim != 2 or matrix.shape[1] != n_classes:
        raise ValueError(
            f"costs has shape {matrix.shape}; it needs a row per action and {n_classes} columns, "
            "one per class."
        )
    if not np.isfinite(matrix).all():
        raise ValueError("costs holds NaN or infinity; use a large finite number.")
    with np.errstate(divide="ignore"):
        log_regret = np.log(matrix - matrix.min(axis=0))
    log_risk = [np.logaddexp.reduce(log_proba + regret, axis=1) for regret in log_regret]
    return np.argmin(log_risk, axis=0)
