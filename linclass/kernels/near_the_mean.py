"""Kernels of rows far from 0, about the mean of the rows, where a free intercept makes that the same machine.

A linear or polynomial kernel of such rows is nearly constant, and its matrix loses the digits of their differences.
"""

from __future__ import annotations

import numpy as np
from scipy import sparse

from linclass.base.arrays import FAR, Array, EstimatorLike, Matrix, centre, squares_of_rows
from linclass.kernels.functions._about_centre import AboutCentre
from linclass.kernels.functions.base import Kernel


def near_the_mean(kernel: Kernel, X: Matrix, weights: Array) -> Kernel:
    """The kernel about the mean of rows far from 0, if it has such a form; or the kernel.

    Of sparse rows only columns far from 0 are moved, which have few zeros to fill in.
    """
    mean, variances = centre(X, weights, fill=not sparse.issparse(X))
    if mean @ mean <= FAR**2 * variances.sum():
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
    own = X[[row]].toarray()[0] if sparse.issparse(X) else X[row]
    return kernel.about(own), row


def own_intercepts(model: EstimatorLike) -> Array:
    """The intercepts for the kernel as it is computed; `intercept_` is that for the kernel as it is chosen."""
    beta, kernel = np.atleast_2d(model.dual_coef_), model._made
    own = np.atleast_1d(model.intercept_) - model._shift * beta.sum(axis=1)
    return own + beta @ kernel.increments(model._basis) if isinstance(kernel, AboutCentre) else own


def set_intercepts(model: EstimatorLike, own: Array) -> None:
    """Set `intercept_` so that `own_intercepts(model)` are these; the two differ by a constant of each score."""
    model.intercept_ = np.zeros(len(own))
    model.intercept_ = own - own_intercepts(model)


def why_far_rows_are_hard(kernel: Kernel | None) -> str:
    """What to say of a fit that did not converge: monomials of rows far from 0 are nearly functions of lower degree.

    A linear machine has no kernel.
    """
    if not isinstance(kernel, AboutCentre) or kernel.degree == 1:
        return ""
    return (
        "; rows so far from 0 are nearly linear in the kernel, which has the value "
        f"{kernel.at_centre**kernel.degree:.0e} at their mean: standardize the features"
    )
