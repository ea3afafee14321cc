"""Holm's correction: of m tests the smallest p is multiplied by m, the next by m − 1, and so on.

It bounds the probability of any false positive, whatever the dependence.        Holm (1979), Scand. J. Statistics 6
"""

from __future__ import annotations

from typing import Any

import numpy as np

from linclass.comparisons.score_table import Array


def holm(p: Any) -> Array:
    """Adjusted p-values of several tests.

    Parameters
    ----------
    p : array
        p-values; NaN is no test. For a symmetric matrix use `holm_of_pairs`.

    Returns
    -------
    array of the same shape
    """
    p = np.asarray(p, float)
    adjusted = np.full(p.shape, np.nan)
    tested = np.flatnonzero(~np.isnan(p))
    values = p.ravel()[tested]
    if len(wrong := values[(values < 0) | (values > 1)]):
        raise ValueError(f"p holds {wrong[0]:g}; give probabilities, from 0 to 1.")
    order = np.argsort(values, kind="stable")
    steps = values[order] * np.arange(len(values), 0, -1)
    adjusted.ravel()[tested[order]] = np.minimum(np.maximum.accumulate(steps), 1)
    return adjusted


def holm_of_pairs(p: Any) -> Array:
    """Adjusted p-values of the k(k − 1)/2 pairs of methods.

    Parameters
    ----------
    p : array of shape (k, k)
        p-values, symmetric; the diagonal is ignored.

    Returns
    -------
    array of shape (k, k)
        With ones on the diagonal.
    """
    p = np.asarray(p, float)
    upper = np.triu_indices(len(p), 1)
    adjusted = np.ones_like(p)
    adjusted[upper] = holm(p[upper])
    adjusted.T[upper] = adjusted[upper]
    return adjusted
