"""Validation of the table of scores, and when two scores are equal."""

from __future__ import annotations

from typing import Any

import numpy as np

from linclass.base.messages import counted

Array = np.ndarray
TIE = 1e-9  # scores that differ by less are equal: rounding must not decide who wins


def checked_scores(scores: Any, complete: bool = False, methods: int = 2) -> Array:
    """The scores as a float matrix, rows × methods; otherwise ValueError with the remedy."""
    table = np.asarray(scores, float)
    if table.ndim != 2:
        raise ValueError(
            f"scores have {counted(table.ndim, 'dimension')}; give a table, rows × methods."
        )
    if table.shape[1] < methods:
        raise ValueError(
            f"scores have {counted(table.shape[1], 'method')}; compare at least {methods}."
        )
    if np.isinf(table).any():
        raise ValueError("scores contain inf; give NaN for what is missing.")
    if complete and np.isnan(table).any():
        missing = int(np.isnan(table).sum())
        raise ValueError(
            f"{missing} of {table.size} scores are missing, and this test needs all of them; "
            "use leave_out_missing(scores) or missing_as_worst(scores) first, or both."
        )
    return table


def differences(scores: Array, i: int, j: int) -> Array:
    """Scores of method i minus those of j, on the rows that have both; 0 where they are equal.

    Differences are rounded to multiples of TIE, so that equal differences have equal ranks.
    """
    d = scores[:, i] - scores[:, j]
    d = d[~np.isnan(d)]
    return np.round(d / TIE) * TIE
