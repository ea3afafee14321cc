"""Random Fourier features:  x → √(2/m) (cos ω_1·x, sin ω_1·x, …, cos ω_{m/2}·x, sin ω_{m/2}·x),

    ω ~ N(0, 2γ I),  so that on average over ω  φ(x)·φ(x′) = e^{−γ‖x − x′‖²},

the Gaussian kernel, with an error of order 1/√m: linear classifiers then approximate kernel machines without
an n × n matrix. The features replace the columns and are dense. Standardize first, since γ is the same for
all columns. ω depends only on the seed and the number of columns.
Rahimi & Recht (2007), NIPS 20
"""

from __future__ import annotations

import numpy as np
import scipy.sparse as sp
from scipy.special import ndtri

from linclass.base.messages import require_memory
from linclass.base.parameters import is_number, is_whole, require_whole
from linclass.base.tables import Table
from linclass.preprocessing.features._products import refuse_text


def apply(table: Table, columns: int = 200, gamma: float | None = None, seed: int = 0) -> Table:
    """Replace the columns by random Fourier features.

    Parameters
    ----------
    table : Table
        Rows and the names of their columns.
    columns : int, default=200
        Number m of features, even.
    gamma : float or None, default=None
        γ of the Gaussian kernel, above 0. None is 1/(number of columns of x).
    seed : int, default=0
        Seed of ω.

    Returns
    -------
    Table
        The features alone.
    """
    if not is_whole(columns, 2) or columns % 2:
        raise ValueError(
            f"random_fourier: columns is {columns!r}; give an even number, a cosine and a sine each."
        )
    if gamma is not None and not (is_number(gamma) and 0 < gamma < np.inf):
        raise ValueError(f"random_fourier: gamma is {gamma!r}; it must be a number above 0.")
    require_whole("random_fourier: seed", seed)
    refuse_text(table, "random_fourier")
    n, d = table.shape
    m = columns // 2
    require_memory(8 * (3 * n * columns + d * m), f"random_fourier makes {columns} dense columns")
    angles = table.X @ (np.sqrt(2 * (gamma or 1 / d)) * _normal(d, m, seed))
    X = np.empty((n, columns))
    np.cos(angles, out=X[:, ::2])
    np.sin(angles, out=X[:, 1::2])
    X /= np.sqrt(m)
    names = tuple(f"{wave}{k}" for k in range(1, m + 1) for wave in ("cos", "sin"))
    return Table(sp.csr_array(X) if table.is_sparse else X, names)


def _normal(d: int, m: int, seed: int) -> np.ndarray:
    """Standard normal numbers from the raw stream of PCG64, which does not depend on NumPy's version."""
    bits = np.random.PCG64(seed).random_raw(d * m)
    return ndtri(((bits >> np.uint64(12)) + 0.5) / 2.0**52).reshape(d, m)
