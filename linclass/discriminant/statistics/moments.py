"""Weight, mean and scatter of each class, from its rows:  n_k = Σ w_i,  m_k = Σ w_i x_i / n_k.

Squares are of deviations from the class mean, in two passes, and never a difference of sums of squares. The mean
is corrected by the mean of the deviations, so a constant column has no deviation but in the last digit. Sparse
rows stay sparse: entries that are not stored deviate by −m_k. A class without rows has weight 0 and mean 0.

The scatter Σ w (x − m_k)(x − m_k)ᵀ has one of these forms (FORMS): of single features (K, d), of all features in
each class (K, d, d), summed over the classes (d, d), or none. With fewer rows than features it is kept as rows R (n, d)
with RᵀR that sum ('rows'), or with those of each class ('class_rows').
Chan, Golub & LeVeque (1983), Algorithms for computing the sample variance
"""

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import scipy.sparse as sp

from linclass.base.arrays import Array, Matrix, chosen_rows
from linclass.discriminant.statistics.deviations import Deviations


def moments(
    X: Matrix, codes: Array, weights: Array, K: int, form: str
) -> tuple[Array, Array, Array]:
    """(weight (K,), mean (K, d), scatter in this form)."""
    measure, gather = FORMS[form]
    found = []
    for rows, w in _classes(X, codes, weights, K):
        mass = w.sum()
        m, D, off = _centred(rows, w, mass)
        found.append((mass, m, measure(rows, w, m, D, off)))
    mass, mean, scatter = zip(*found, strict=True)
    return np.array(mass), np.array(mean), gather(scatter)


def _squares(rows: Matrix, w: Array, m: Array, D: Matrix, off: Array | float) -> Array:
    """Σ w (x − m)² of each column."""
    if not sp.issparse(rows):
        return np.maximum(w @ np.square(D, out=D) - w.sum() * off**2, 0)
    D.data **= 2
    return w @ D + _unstored(rows, w) * m**2


def _outer(rows: Matrix, w: Array, m: Array, D: Matrix, off: Array | float) -> Array:
    """Σ w (x − m)(x − m)ᵀ."""
    if not sp.issparse(rows):
        D -= off
        D *= np.sqrt(w)[:, None]
        return D.T @ D  # a product of a matrix with its transpose (syrk): half the work
    shift = np.where(_unstored(rows, w) > 0, 0, m)  # columns without zeros may be far from 0
    near, rest = _deviations(rows, shift), m - shift
    product = (near.T @ _times(near, w)).toarray() - w.sum() * np.outer(rest, rest)
    np.fill_diagonal(product, _squares(rows, w, m, D, off))  # without cancellation
    return product


def _rows(rows: Matrix, w: Array, m: Array, D: Matrix, off: Array | float) -> Any:
    """(near, t, √w) of Deviations."""
    roots = np.sqrt(w)
    if not sp.issparse(rows):
        D -= off
        D *= roots[:, None]
        return D, None, roots
    shift = np.where(_unstored(rows, w) > 0, 0, m)  # columns without zeros may be far from 0
    return _times(_deviations(rows, shift), roots), m - shift, roots


def _classes(X: Matrix, codes: Array, weights: Array, K: int) -> Iterator[tuple[Matrix, Array]]:
    """(rows, weights) of each class, the rows a copy."""
    for k in range(K):
        members = np.flatnonzero(codes == k)
        yield chosen_rows(X, members), weights[members]


def _centred(rows: Matrix, w: Array, mass: float) -> tuple[Array, Matrix, Array | float]:
    """(mean m, deviations, their mean off, which rounding leaves); dense rows become their deviations, in place."""
    mass = mass or 1.0  # for a class without rows
    m = (w @ rows) / mass
    if not sp.issparse(rows):
        rows -= m
        off = (w @ rows) / mass
        return m + off, rows, off
    m += (w @ _deviations(rows, m) - _unstored(rows, w) * m) / mass
    return m, _deviations(rows, m), 0.0


def _deviations(rows: sp.csr_array, m: Array) -> sp.csr_array:
    return sp.csr_array((rows.data - m[rows.indices], rows.indices, rows.indptr), rows.shape)


def _unstored(rows: sp.csr_array, w: Array) -> Array:
    """Total weight of the zeros of each column."""
    stored = np.bincount(rows.indices, np.repeat(w, np.diff(rows.indptr)), rows.shape[1])
    full = np.bincount(rows.indices, minlength=rows.shape[1]) == rows.shape[0]
    return np.where(full, 0, np.maximum(w.sum() - stored, 0))


def _times(rows: sp.csr_array, w: Array) -> sp.csr_array:
    return sp.csr_array(
        (rows.data * np.repeat(w, np.diff(rows.indptr)), rows.indices, rows.indptr), rows.shape
    )


FORMS: dict[str, tuple[Callable[..., Any], Callable[..., Any]]] = {
    "means": (lambda rows, w, m, D, off: None, lambda scatter: np.zeros(0)),
    "diagonal": (_squares, np.array),
    "full": (_outer, np.array),
    "tied": (_outer, sum),
    "rows": (_rows, Deviations.stacked),
    "class_rows": (_rows, Deviations.stacked),
}
