"""Equal rows with equal labels are merged, with the sum of their weights:  w₁ℓ(y, z) + w₂ℓ(y, z) = (w₁ + w₂) ℓ(y, z).

The minimum is the same and every row keeps its slope, but K = XXᵀ loses a null direction for each duplicate, and a fit
with weight two equals the fit with the row twice to rounding.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from linclass.base.arrays import Array, Matrix

MOST_COMPARED = 3000  # rows up to which duplicates are searched for


def merge_rows(U: Array, weights: Array) -> tuple[Array, Array]:
    """The distinct rows and their weights."""
    found = distinct_rows(U)
    if found is None:
        return U, weights
    first, place = found
    return U[first], np.bincount(place, weights)


def distinct_rows(X: Matrix, *labels: Array) -> tuple[Array, Array] | None:
    """(the first of all equal rows, the index of each row among these); None if all differ.

    Rows are sorted by their product with random numbers, then compared.
    """
    r = np.random.default_rng(0).random(X.shape[1])
    # a product of BLAS may round equal rows differently
    products = X @ r if hasattr(X, "nnz") else np.einsum("ij,j->i", X, r)
    keys = np.column_stack([products, *labels])
    _, first, place = np.unique(keys, axis=0, return_index=True, return_inverse=True)
    place = place.reshape(-1)
    if len(first) == len(place) or not _equal(X, X[first[place]]):
        return None
    return first, place


def _equal(A: Any, B: Any) -> bool:
    return bool((A != B).nnz == 0 if hasattr(A, "nnz") else (A == B).all())
