"""Lower bounds of singular values that hold whatever LAPACK returns.

Factors and vectors of LAPACK are only candidates; what they show is computed again. The bounds need nothing but the
error of a product, which holds for sums in any order, with and without fused operations (not for Strassen's),

    |fl(AB) − AB| ≤ γ_k |A||B|,   γ_k = k u/(1 − k u),   k terms in each sum.   Higham (2002), §3.5

Norms in the bounds are sums of positive terms; the factor `ABOVE` is for their rounding and that of γ.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy import linalg, sparse

from linclass.base.arrays import Array
from linclass.separation.proofs.signed_rows import TINY, UNIT

ABOVE = 1.01
LARGEST = 2000  # rows or columns of A up to which bounds are computed
SMALL = 100_000  # entries of A up to which V comes from A itself, not from AᵀA


def exceed(A: Any, wanted: float) -> bool:
    """Whether it is proved that all singular values of A (n, p), n ≥ p, are above `wanted`.

    For any R, RᵀR has no negative eigenvalue, so those of  AᵀA = cI + RᵀR + E  are at least c − ‖E‖.
    Rump (2006), BIT 46, on the choice of c
    """
    n, p = A.shape
    if n < p or p > LARGEST:
        return False
    G = _gram(A)
    size = ABOVE * float(np.trace(G)) + TINY  # ‖A‖²
    of_gram = ABOVE * (n + 1) * UNIT * size + n * p * TINY
    c = 2 * wanted**2 + 4 * of_gram + 8 * (p + 2) * UNIT * size
    H = G - c * np.eye(p)
    try:
        R = linalg.cholesky(H, check_finite=False)
    except linalg.LinAlgError:
        return False
    E = H - R.T @ R
    of_product = (p + 2) * UNIT * float(np.square(R).sum() + np.abs(H.diagonal()).max())
    off = ABOVE * (float(np.linalg.norm(E)) + of_product + p * p * TINY + 4 * UNIT * c)
    return bool(c - off - of_gram > ABOVE * wanted**2)


def lower_bound(A: Any, k: int) -> float:
    """A lower bound of the k-th singular value of A, 0 if none is found.

    For any V with k columns it is at least σ_min(AV)/‖V‖. If V holds right singular vectors, the columns of AV are
    nearly orthogonal, and Gershgorin's circles are small for columns of length about 1.
    """
    A = A if A.shape[0] >= A.shape[1] else A.T
    n, p = A.shape
    if k > p or p > LARGEST:
        return 0.0
    if sparse.issparse(A) or n * p > SMALL:
        V = linalg.eigh(_gram(A), check_finite=False)[1][:, p - k :]
    else:
        V = linalg.svd(A, full_matrices=False, check_finite=False)[2][:k].T
    B = A @ V
    lengths = np.sqrt(np.square(B).sum(axis=0))
    if not (np.isfinite(lengths).all() and lengths.all()):
        return 0.0
    scale = np.exp2(np.floor(np.log2(lengths)))  # powers of two: dividing by them does not round
    C = B / scale
    least = _least_by_circles(C)
    of_product = (p + 1) * UNIT * frobenius(A) * float(np.linalg.norm(V)) + n * p * TINY
    of_V = np.sqrt(ABOVE * float(np.abs(V.T @ V).sum(axis=1).max()))
    return max((float(scale.min()) * least / ABOVE - ABOVE * of_product) / of_V, 0.0)


def _least_by_circles(C: Array) -> float:
    """A lower bound of the least singular value of C:  λ ≥ min_i G_ii − Σ_j |G_ij|,  G = CᵀC.   Gershgorin"""
    n, k = C.shape
    G = C.T @ C
    of_product = ABOVE * k * (n + k + 8) * UNIT * float(G.diagonal().max()) + n * k * TINY
    circles = 2 * G.diagonal() - np.abs(G).sum(axis=1)
    return float(np.sqrt(max(float(circles.min()) - of_product, 0.0)))


def frobenius(A: Any) -> float:
    return float(np.square(A.data if sparse.issparse(A) else A).sum()) ** 0.5


def _gram(A: Any) -> Array:
    G = A.T @ A
    return np.asarray(G.toarray() if sparse.issparse(G) else G)
