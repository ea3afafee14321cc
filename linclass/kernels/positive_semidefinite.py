"""Is a kernel an inner product on these rows: is its matrix positive semidefinite?"""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy.linalg import lapack

from linclass.base.arrays import Array
from linclass.base.messages import NotApplicable
from linclass.kernels.functions.base import BLOCK

NEGATIVE = 1e-8  # of the largest eigenvalue: a negative one beyond it is no rounding error
POWERS = 30  # of K, enough for a lower bound on its largest eigenvalue


def shift_to_psd(K: Array, name: Any, free: bool = True) -> float:
    """A number c that makes K + c positive semidefinite: 0, where it is; refused, where none does.

    With a `free` intercept Σ β = 0, so c changes nothing but the intercept; without one c is 0. A direction in
    which βᵀKβ < 0 leaves ½‖f‖² without a minimum. Cholesky's factor is all the memory that it takes.
    """
    largest = max(float(K.max()), -float(K.min()))
    for start in range(0, len(K), BLOCK):
        rows = slice(start, start + BLOCK)
        if not np.allclose(K[rows], K[:, rows].T, rtol=1e-10, atol=1e-12 * largest):
            raise ValueError(f"kernel {name!r} is not symmetric: k(x, x′) must be k(x′, x).")
    lifted = np.diag(K) + NEGATIVE * max(largest_eigenvalue(K), 1e-300)
    shifted = np.empty_like(K, order="C")
    for c in (0.0, 10 * largest) if free else (0.0,):
        np.add(K, c, out=shifted)
        np.fill_diagonal(shifted, lifted + c)
        if lapack.dpotrf(shifted.T, lower=1, clean=0, overwrite_a=1)[1] == 0:
            return c
    raise NotApplicable(
        f"kernel {name!r} is not an inner product on these rows: its matrix has a negative "
        "eigenvalue. Use kernel='gaussian', or a smaller gamma and coef0 for 'sigmoid'."
    )


def largest_eigenvalue(K: Array) -> float:
    """max |λ(K)| from below, by powers of a symmetric K: never more than it is, so no tolerance grows."""
    v = np.abs(K).sum(axis=1) + float(np.abs(np.diag(K)).max(initial=0))
    v = v * np.where(np.arange(len(v)) % 3 == 1, -0.5, 1)  # orthogonal to few
    size = 0.0
    for _ in range(POWERS):
        length = float(np.linalg.norm(v))
        if not length:
            break
        v = K @ (v / length)
        size = max(size, float(np.linalg.norm(v)))
    return size
