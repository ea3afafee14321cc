"""What relevance vector machines share: columns φ_j, of which few stay, and a Gaussian posterior of their weights.

The columns are values of a kernel, φ_j(x) = k(x, x_j) with the training rows x_j, or the features themselves. A column
of a kernel needs no inner product behind it, so the kernel may be any function.
"""

from __future__ import annotations

import numpy as np
from scipy import sparse

from linclass.base.arrays import Array, Matrix, hashes
from linclass.base.linear_scores import products
from linclass.base.messages import counted, require_memory
from linclass.base.parameters import require_positive, require_whole
from linclass.kernels.functions import KernelLike
from linclass.kernels.kernel_machine import KernelMachine
from linclass.linear.objective.coordinates import about_mean, far_about_mean
from linclass.linear.support_vectors import of_all_rows

MOST = 10_000  # changes of a precision
NOTHING = "the evidence is largest without any weights: the columns carry no information."


class RelevanceMachine(KernelMachine):
    """Base of relevance vector machines.

    Parameters
    ----------
    kernel : str, callable or None
        'gaussian', 'polynomial', 'sigmoid', 'linear', a function (X, X′) → matrix (n, n′), or
        'precomputed': X is then the matrix of kernel values between rows and training rows. None takes the
        features as the columns, which is automatic relevance determination.
    max_iter : int or None
        Limit on the number of changes of an α_j, from each beginning. None is 10000.

    Attributes
    ----------
    precisions_ : array of shape (d,) with kernel=None, (n,) with a kernel
        The α_j of all columns, infinite for those that have left.
    support_ : array of shape (m,), only with a kernel
        Indices of the relevance vectors.
    covariance_ : array of shape (m + 1, m + 1)
        Posterior covariance of the m weights that stay, and of the intercept, the last.
    n_effective_ : float
        Σ_j (1 − α_j Σ_jj), the number of weights that the data determine.
    """

    kernel: KernelLike | None  # type: ignore[assignment]
    tol: float
    max_iter: int | None
    precisions_: Array
    covariance_: Array

    def check(self) -> None:
        super().check()
        if self.kernel is not None:
            if not (callable(self.kernel) or isinstance(self.kernel, str)):
                raise ValueError(
                    f"kernel is {self.kernel!r}; give its name, a function, or None for the features."
                )
            self._check_kernel()
        require_positive("tol", self.tol)
        require_whole("max_iter", self.max_iter, 1, or_none=True)

    def _columns(self, X: Matrix, kept: Array, weights: Array) -> tuple[Matrix, Array]:
        """(columns, their means), about the means; of sparse features only where they are far from 0."""
        self._forget(  # attributes of an earlier fit
            "coef_",
            "mean_coef_",
            "dual_coef_",
            "support_",
            "support_vectors_",
            "_made",
        )
        if self.kernel is None:
            if sparse.issparse(X):
                return far_about_mean(X, weights / weights.sum())
            return about_mean(X, weights)
        n = X.shape[0]
        require_memory(24 * n * n, f"{type(self).__name__} needs {n} × {n} kernel values")
        if self._is_precomputed() and len(kept) == X.shape[1] and not kept.all():
            X = X[:, kept]
        self._made = self._kernel_for(X, weights)
        with np.errstate(over="ignore", invalid="ignore"):
            K = self._made.matrix(X)
        if not np.isfinite(K).all():
            raise self._overflows()
        return about_mean(K, weights)

    def _columns_again(self, X: Matrix, n_columns: int) -> Array:
        """Mask of the kernel columns of repeated rows but the first, whose weight is all that they could share."""
        again = np.zeros(n_columns, bool)
        if self.kernel is not None:
            again[:] = True
            again[np.unique(hashes(X, np.random.default_rng(0)), return_index=True)[1]] = False
        return again

    def _keep(self, X: Matrix, kept: Array, active: Array, alpha: Array, root: Array) -> None:
        """Keep what predictions need of the columns that stay, and their precisions α.

        `root` is an R with RRᵀ the covariance of their weights and the intercept.
        """
        columns = X.shape[1] if self.kernel is None else X.shape[0]
        precisions = np.full(columns, np.inf)
        precisions[active] = alpha
        self._active, self._root = active, root
        if self.kernel is not None:
            precisions = of_all_rows([precisions], kept, np.inf)
            self._keep_support(X, active, kept)
        self.precisions_ = precisions
        self.covariance_ = root @ root.T

    def _combined(self, X: Matrix, W: Array) -> Array:
        """Σ_j φ_j(x) w_kj (n, K) of the columns that stay, for weights (K, m)."""
        if not W.shape[1]:
            return np.zeros((X.shape[0], len(W)))
        if self.kernel is None:
            return products(X[:, self._active], W)
        return self._scores(X, W).T

    def _deviations(self, X: Matrix) -> Array:
        """√(φᵀΣφ) (n,) of the score of each row."""
        found = self._combined(X, np.ascontiguousarray(self._root[:-1].T)) + self._root[-1]
        return np.asarray(np.hypot.reduce(found, axis=1))

    def _stopped(self, gain: float, moves: int) -> tuple[str, str]:
        """(status, reason) of a fit that leaves this gain."""
        if gain > self.tol:
            why = "" if moves >= self._most else "; rounding errors exceed what more changes gain"
            return "max_iter", (
                f"after {counted(moves, 'change')} of a precision one more would raise the log evidence by "
                f"{gain:.1e}, and tol is {self.tol:g}{why}."
            )
        return "converged", "" if len(self._active) else NOTHING

    @property
    def _most(self) -> int:
        return MOST if self.max_iter is None else self.max_iter
