"""Finitely many features whose inner products are a kernel's:  K = ΦΦᵀ, by pivoted Cholesky factorization.

The factorization stops at a residual of 10⁻¹² of the largest k(x, x), or more, so the number of features is the
numerical rank of K. Linear solvers then minimize the same losses over kernels. Weights w of the features
correspond to coefficients β of the pivots, with Φ_Pᵀβ = w.
Fine & Scheinberg (2001), J. Machine Learning Research 2
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy import sparse
from scipy.linalg import blas, lapack, solve_triangular

from linclass.base.arrays import (
    FAR_MEAN_RATIO,
    Array,
    EstimatorLike,
    Matrix,
    centre,
    squares_of_rows,
)
from linclass.base.messages import NotApplicable
from linclass.kernels.functions import BLOCK, AboutCentre, Kernel

KERNEL_TOLERANCE = 1e-12
DIGITS = 1e-9  # of the largest residual: smaller pivots would amplify rounding errors elsewhere
HARDLY = 1e-3  # share of the trace


@dataclass(frozen=True)
class KernelFeatures:
    """Features Φ (n, r) and the r rows that are pivots."""

    features: Array  # Φ (n, r)
    pivots: Array  # (r,) rows

    def coefficients(self, W: Array) -> Array:
        """β of the pivots for weights W (K, r) of the features."""
        if not self.features.any():
            return np.zeros(W.shape)
        return solve_triangular(self.features[self.pivots], W.T, lower=True, trans=1).T


def kernel_features(K: Array) -> KernelFeatures:
    """The features of K (n, n), which is overwritten by its factor."""
    n = len(K)
    tol = KERNEL_TOLERANCE * float(np.diag(K).max())
    factor, pivots, rank, _ = lapack.dpstrf(K.T, tol=tol, lower=1, overwrite_a=1)
    pivots = pivots - 1
    if not rank:  # a constant kernel, about a row; one column of zeros, as linear models need one
        return KernelFeatures(np.zeros((n, 1)), pivots[:1])
    features = np.empty((n, rank))
    features[pivots] = np.tril(factor[:, :rank])
    return KernelFeatures(features, pivots[:rank])


def few_features(kernel: Kernel, X: Array, most: int, error: float = 0.0) -> Array | None:
    """Φ (n, r) with r ≤ most and K = ΦΦᵀ up to `error` or rounding, one kernel column per pivot; None if there is none.

    K itself is never formed. Pivots are found among few rows at a time, first from all over the data, then those that
    the columns so far explain least, so that all but their own matrix are products of matrices. The search stops
    if a quarter of the columns explain hardly any of the trace.
    """
    X = kernel.near_zero(X)
    left, lengths = kernel.diagonal(X), squares_of_rows(X)
    enough, whole = max(error, KERNEL_TOLERANCE * float(left.max())), float(left.sum())
    factor, r = np.empty((most, X.shape[0])), 0
    rows = np.flatnonzero(left > enough)
    rows = rows[:: -(-len(rows) // BLOCK) or 1]  # at most BLOCK, with equal steps
    while len(rows):
        among = kernel.between(X[rows], X[rows], lengths[rows], lengths[rows])
        among -= factor[:r, rows].T @ factor[:r][:, rows]
        level = max(enough, DIGITS * float(left.max()))
        L, order, rank, _ = lapack.dpstrf(among.T, tol=level, lower=1)
        if r + rank > most:
            return None
        pivots = rows[order[:rank] - 1]
        new = factor[r : r + rank]
        new[:] = kernel.between(X[pivots], X, lengths[pivots], lengths)
        if r:
            new -= factor[:r, pivots].T @ factor[:r]
        # new ← L⁻¹ new, whose contiguous rows are the columns of BLAS
        blas.dtrsm(1.0, L[:rank, :rank], new.T, side=1, lower=1, trans_a=1, overwrite_b=1)
        left -= np.einsum("ij,ij->j", new, new)
        left[rows] = np.minimum(left[rows], level)
        r += rank
        if 4 * r >= most and left.sum() > HARDLY * whole:
            return None
        rows = np.flatnonzero(left > enough)
        if len(rows) > BLOCK:
            rows = rows[np.argpartition(left[rows], -BLOCK)[-BLOCK:]]
    return np.ascontiguousarray(factor[:r].T)


# Kernels of rows far from 0, about the mean of the rows, where a free intercept makes that the same machine.
#
# A linear or polynomial kernel of such rows is nearly constant, and its matrix loses the digits of their differences.


def near_the_mean(kernel: Kernel, X: Matrix, weights: Array) -> Kernel:
    """The kernel about the mean of rows far from 0, if it has such a form; or the kernel.

    Of sparse rows only columns far from 0 are moved, which have few zeros to fill in.
    """
    mean, variances = centre(X, weights, fill=not sparse.issparse(X))
    if mean @ mean <= FAR_MEAN_RATIO**2 * variances.sum():
        return kernel
    return kernel.about(mean)


def near_a_row(kernel: Kernel, X: Matrix, weights: Array) -> tuple[Kernel, int | None]:
    """(the kernel about the row next to the mean, that row) of rows far from 0, or (the kernel, None).

    Of coefficients with any sum the row takes the rest, so that with it they sum to 0.
    """
    about = near_the_mean(kernel, X, weights)
    if not isinstance(about, AboutCentre):
        return kernel, None
    row = int(squares_of_rows(about.near_zero(X)).argmin())
    centre = X[[row]].toarray()[0] if sparse.issparse(X) else X[row]
    return kernel.about(centre), row


def own_intercepts(model: EstimatorLike) -> Array:
    """The intercepts for the kernel as it is computed; `intercept_` is that for the kernel as it is chosen."""
    beta, kernel = np.atleast_2d(model.dual_coef_), model._made
    intercepts = np.atleast_1d(model.intercept_) - model._shift * beta.sum(axis=1)
    if isinstance(kernel, AboutCentre):
        intercepts = intercepts + beta @ kernel.increments(model.support_vectors_)
    return intercepts


def set_intercepts(model: EstimatorLike, own: Array) -> None:
    """Set `intercept_` so that `own_intercepts(model)` are these; the two differ by a constant of each score."""
    model.intercept_ = np.zeros(len(own))
    model.intercept_ = own - own_intercepts(model)


def why_far_rows_are_hard(kernel: Kernel | None) -> str:
    """The end of the reason of a fit that did not converge: monomials of rows far from 0 are nearly of lower degree.

    The kernel is None for a linear machine.
    """
    if not isinstance(kernel, AboutCentre) or kernel.degree == 1:
        return ""
    return (
        "; rows so far from 0 are nearly linear in the kernel, which has the value "
        f"{kernel.at_centre**kernel.degree:.0e} at their mean: standardize the features"
    )


# Is a kernel an inner product on these rows: is its matrix positive semidefinite?

NEGATIVE = 1e-8  # relative to the largest eigenvalue: a negative one beyond it is no rounding error
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
