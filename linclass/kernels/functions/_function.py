"""Any function of two matrices of rows as a kernel:  K = function(X, Y)."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from scipy import sparse

from linclass.base.arrays import Array, Matrix
from linclass.kernels.functions.base import Kernel


class Function(Kernel):
    """A function as a kernel.

    Parameters
    ----------
    function : callable
        Maps two matrices of n and n′ rows to the matrix (n, n′) of kernel values.
    """

    is_psd = False  # unknown, so checked

    def __init__(self, function: Callable[[Any, Any], Any]):
        self.function = function

    def matrix(self, X: Matrix, Y: Any = None) -> Array:
        other = X if Y is None else Y
        K = self.function(X, other)
        K = np.asarray(K.toarray() if sparse.issparse(K) else K, dtype=float)
        if K.shape != (X.shape[0], other.shape[0]) or not np.isfinite(K).all():
            raise ValueError(
                f"the kernel gave an array of shape {K.shape}; it must be finite, of shape "
                f"{(X.shape[0], other.shape[0])}."
            )
        return K
