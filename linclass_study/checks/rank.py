"""Rank and condition number of the design with centred columns of standard deviation 1.

Without full rank, unpenalized coefficients are not unique; the condition number, the ratio of the largest to the
smallest nonzero singular value, bounds their loss of digits. Constant columns are 0.
Golub & Van Loan (2013), Matrix Computations, §5.4
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from linclass_study.checks.design import CELLS, NotChecked, dense_blocks

WORK = 10**10  # multiplications


def rank(X: Any) -> dict[str, Any]:
    """`rank` and `condition_number` of the design."""
    n, p = X.shape
    if n * p * min(n, p) > WORK:
        raise NotChecked(f"a design of {n:,} × {p:,} takes too many multiplications")
    if n < p and n * p > CELLS:
        raise NotChecked(f"a design of {n:,} × {p:,} is too large")
    mean, sd = _moments(X)
    scale = np.divide(1, sd, out=np.zeros(p), where=sd > 0)
    standardized = ((block - mean) * scale for block in dense_blocks(X))
    small = _triangle(standardized) if n >= p else np.vstack(list(standardized))
    values = np.linalg.svd(small, compute_uv=False)
    offset = float(np.max(np.abs(mean) * scale, initial=1.0))  # rounding of centred columns
    floor = values[0] * np.finfo(float).eps * max(n, p, offset) if len(values) else 0.0
    r = int((values > floor).sum())
    condition = float(values[0] / values[r - 1]) if r else None
    return {"rank": r, "condition_number": condition}


def _moments(X: Any) -> tuple[np.ndarray, np.ndarray]:
    """Mean and standard deviation of each column; the latter is exactly 0 for constant columns."""
    n, p = X.shape
    total, squares = np.zeros(p), np.zeros(p)
    low, high = np.full(p, np.inf), np.full(p, -np.inf)
    for block in dense_blocks(X):
        total += block.sum(axis=0)
        low, high = np.minimum(low, block.min(axis=0)), np.maximum(high, block.max(axis=0))
    mean = np.where(low < high, total / n, low)
    for block in dense_blocks(X):
        squares += ((block - mean) ** 2).sum(axis=0)
    return mean, np.sqrt(squares / n)


def _triangle(parts: Iterator[np.ndarray]) -> np.ndarray:
    """R of the QR decomposition of all rows, block by block."""
    R = np.empty((0, 0))
    for part in parts:
        R = np.asarray(np.linalg.qr(np.vstack([R, part]) if len(R) else part, mode="r"))
    return R
