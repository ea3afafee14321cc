"""Principal components of the numeric columns."""

from typing import Self

import numpy as np
import scipy.sparse as sp
from scipy.sparse.linalg import LinearOperator, svds

from linclass.base.arrays import ArrayLike, Matrix
from linclass.base.messages import require_memory
from linclass.base.parameters import is_whole, require_flag
from linclass.base.tables import Table
from linclass.base.validation import refuse_extremes
from linclass.preprocessing.transforms.base import Transform, beside_categories, complete_numbers

# seed of the vector that Lanczos' iteration begins with: the same fit, the same components
START = 0


class PrincipalComponents(Transform):
    """Principal components:  x → Vᵀ(x − m), the directions in which the training rows vary most.

        X − 1mᵀ = U S Vᵀ,     m the mean of the training rows, S decreasing, V the first columns

    Directions without variance are dropped, so there may be fewer components than `components`. Signs: the entry
    of v that is largest in size is positive.

    Sparse rows are not centred explicitly: (X − 1mᵀ)v = Xv − 1(mᵀv) is all that the Lanczos iteration needs.
    The result is dense; categorical columns are kept, on the left. On word counts, a few hundred components
    are latent semantic analysis but for the mean.      Hastie, Tibshirani & Friedman (2009), §14.5.1

    Parameters
    ----------
    components : int or float, default=10
        Number of components, at least 1; or a share of the variance between 0 and 1 that they are to
        explain.
    whiten : bool, default=False
        Whether to divide each component by its standard deviation √(s²/(n − 1)).

    Attributes
    ----------
    mean_ : array of shape (d,)
        Mean m of the training rows.
    components_ : array of shape (k, d)
        Directions Vᵀ.
    variance_ : array of shape (k,)
        Variance of each component.
    """

    makes_dense = True

    def __init__(self, components: int | float = 10, whiten: bool = False):
        share = isinstance(components, float) and 0 < components < 1
        if not (share or is_whole(components, 1)):
            raise ValueError(
                f"principal_components: components is {components!r}; give a whole number, "
                "at least 1, or a share of the variance between 0 and 1."
            )
        require_flag("principal_components: whiten", whiten)
        self.components, self.whiten = components, whiten

    def fit(self, table: Table, y: ArrayLike | None = None) -> Self:
        X = complete_numbers(table, "principal_components")
        n, d = X.shape
        self.mean_ = np.asarray(X.mean(axis=0)).ravel()
        share = isinstance(self.components, float)
        few = table.is_sparse and not share and 2 * self.components < min(n, d)
        s, V = _lanczos(X, self.mean_, int(self.components)) if few else _svd(X, self.mean_)
        variance, wanted = s**2 / max(n - 1, 1), self.components
        if share:
            explained = np.cumsum(variance) / max(variance.sum(), np.finfo(float).tiny)
            wanted = int(np.searchsorted(explained, self.components)) + 1
        V, variance = V[:wanted], variance[:wanted]
        self.components_ = V * np.sign(V[np.arange(len(V)), np.abs(V).argmax(axis=1)])[:, None]
        self.variance_ = variance
        return self

    def transform(self, table: Table) -> Table:
        X, V = table.numeric().X, self.components_.T
        n, k = table.shape[0], V.shape[1]
        require_memory(16 * n * k, f"{k} principal components of {n} rows are dense")
        scores = X @ V - self.mean_ @ V if table.is_sparse else (X - self.mean_) @ V
        if self.whiten:
            scores /= np.sqrt(self.variance_)
        names = [f"component{j}" for j in range(1, k + 1)]
        return beside_categories(table, scores, names)


def _svd(X: Matrix, mean: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """(s, rows of V) without directions that are rounding error, from a dense matrix."""
    n, d = X.shape
    what = f"principal_components needs a dense {n} × {d} matrix for that many components"
    require_memory(8 * (2 * n * d + min(n, d) * d), what)
    D = (X.toarray() if sp.issparse(X) else X) - mean
    R = np.linalg.qr(D, mode="r") if n > d else D
    _, s, V = np.linalg.svd(R, full_matrices=False)
    return _varying(s, V, X)


def _lanczos(X: Matrix, mean: np.ndarray, components: int) -> tuple[np.ndarray, np.ndarray]:
    """(s, rows of V) of the first components, from products with X alone."""
    n, d = X.shape
    XT = sp.csr_array(X.T)
    centred = LinearOperator(
        (n, d),
        matvec=lambda v: X @ v.ravel() - mean @ v.ravel(),
        rmatvec=lambda u: XT @ u.ravel() - mean * u.sum(),
        dtype=np.float64,
    )
    start = np.random.default_rng(START).standard_normal(min(n, d))
    _, s, V = svds(centred, k=components, v0=start, return_singular_vectors="vh")
    return _varying(s[::-1], V[::-1], X)


def _varying(s: np.ndarray, V: np.ndarray, X: Matrix) -> tuple[np.ndarray, np.ndarray]:
    """Drops singular values below the rounding error of the uncentred rows."""
    with np.errstate(over="ignore"):
        size = np.linalg.norm(X.data if sp.issparse(X) else X)
    if not np.isfinite(size):
        refuse_extremes(X, None)
    real = s > max(X.shape) * np.finfo(float).eps * size
    return s[real], V[real]
