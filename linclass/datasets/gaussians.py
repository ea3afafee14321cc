"""Gaussian classes of any means and covariances."""

from __future__ import annotations

import numpy as np

from linclass.base.messages import counted
from linclass.datasets.keys import Covariances, Means, Rows
from linclass.evaluation.bayes_error import rectangle, square_roots


def gaussians(
    rng: np.random.Generator,
    means: Means,
    rows: Rows,
    covariances: Covariances = "identity",
) -> tuple[np.ndarray, np.ndarray]:
    """Classes x | k ~ N(μ_k, Σ_k), drawn as μ_k + Σ_k^{1/2} z with z standard normal.

    Parameters
    ----------
    rng : numpy.random.Generator
        Source of the random numbers.
    means : sequence of sequences of float
        A list of d numbers per class, μ_k.
    rows : sequence of int
        The number of rows of each class.
    covariances : 'identity' or array, default='identity'
        Identity; a number v_k per class for Σ_k = v_k I; one d × d matrix for all classes; or such a
        matrix per class.

    Returns
    -------
    X : array of shape (n, d)
        Rows, class after class.
    y : array of shape (n,)
        Class codes 0, ..., K − 1.

    Notes
    -----
    The square root is V √Λ from Σ = V Λ Vᵀ, so a singular Σ is allowed: its rows lie in a subspace.
    Anderson (2003), Multivariate Statistical Analysis, §2.3
    """
    centers = rectangle(means, "means")
    n_classes, d = centers.shape
    _refuse_others(rows, n_classes)
    scales = square_roots(covariances, n_classes, d)
    X = np.vstack(
        [
            center + rng.standard_normal((n, d)) @ scale.T
            for center, n, scale in zip(centers, rows, scales, strict=True)
        ]
    )
    return X, np.repeat(np.arange(n_classes, dtype=np.int32), rows)


def bayes_error(
    means: Means, rows: Rows, covariances: Covariances = "identity"
) -> tuple[float, float]:
    """(error, its standard error) of the best classifier; the keys are those of `gaussians`."""
    from linclass.evaluation.bayes_error import estimate  # slow to import

    _refuse_others(rows, len(rectangle(means, "means")))
    return estimate(means, covariances, rows)


def _refuse_others(rows: Rows, n_classes: int) -> None:
    if len(rows) != n_classes:
        raise ValueError(
            f"rows: {list(rows)} is for {counted(len(rows), 'class')}, means for {n_classes}."
        )
