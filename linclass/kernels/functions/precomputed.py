"""A precomputed kernel: X is K (n, n) itself for `fit`, and (m, n) for new rows."""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy import sparse

from linclass.base.arrays import Array, Matrix
from linclass.kernels.functions.base import Kernel


class Precomputed(Kernel):
    is_psd = False  # unknown, so checked

    def matrix(self, X: Matrix, Y: Any = None) -> Array:
        if Y is None and X.shape[0] != X.shape[1]:
            raise ValueError(
                f"Precomputed matrix must be square: kernel='precomputed' takes k between all rows "
                f"as X; it has shape {X.shape}."
            )
        return X.toarray() if sparse.issparse(X) else np.asarray(X, dtype=float)
