"""Features that expand numbers: powers and products, radial basis functions, random Fourier features."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import scipy.sparse as sp
from scipy.special import ndtri

from linclass.base.messages import NotApplicable, counted, require_memory
from linclass.base.parameters import is_number, is_whole, require_whole
from linclass.base.tables import BYTES_PER_NAME, Table
from linclass.preprocessing.features.base import append, documented_feature, refuse_text

BYTES_PER_PRODUCT = 64  # sparse: the value, its column, and the row numbers it is made from


@documented_feature
def interactions(table: Table) -> Table:
    """Interactions:  x → (x, x_i·x_j for i < j): pairs of features, without the squares."""
    return _append_pairs(table, "interactions", apart=1)


@documented_feature
def quadratic(table: Table) -> Table:
    """Quadratic augmentation:  x → (x, x_i·x_j for i ≤ j), so linear scores have quadratic boundaries.

    Hastie, Tibshirani & Friedman (2009), §4.3: LDA on these columns is close to QDA on x.
    """
    return _append_pairs(table, "quadratic", apart=0)


def _append_pairs(table: Table, feature: str, apart: int) -> Table:
    """The table and x_i·x_j for all i ≤ j − apart; the first index varies slowest."""
    refuse_text(table, feature)
    n, d = table.shape
    width = (d - apart) * (d - apart + 1) // 2
    per_column = BYTES_PER_NAME + (0 if table.is_sparse else 16 * n)  # 16: the product and a copy
    require_memory(width * per_column, f"{feature} of {d} columns makes {width} more")
    first, second = np.triu_indices(d, apart)
    if table.is_sparse:
        products = _sparse_pairs(table.X, apart, width)
    else:
        products = table.X.take(first, axis=1)
        products *= table.X.take(second, axis=1)
    factors = [_factor(name) for name in table.names]
    names = [
        f"{factors[i]}^2" if i == j else f"{factors[i]}*{factors[j]}"
        for i, j in zip(first.tolist(), second.tolist(), strict=True)
    ]
    return append(table, products, names)


def _factor(name: str) -> str:
    """A name inside a product: that of a product is in brackets, (a*b)^2."""
    return f"({name})" if "*" in name or "^" in name else name


def _sparse_pairs(X: sp.csr_array, apart: int, width: int) -> sp.csr_array:
    """Each stored value times those to its right in its row: about m²/2 products of m values."""
    X = X if X.has_sorted_indices else X.sorted_indices()
    d = X.shape[1]
    row_end = np.repeat(X.indptr[1:], np.diff(X.indptr))
    partners = row_end.astype(np.int64) - np.arange(X.nnz) - apart
    count = int(partners.sum())
    require_memory(count * BYTES_PER_PRODUCT, f"the rows have {count} products that are not zero")
    starts = np.concatenate([[0], np.cumsum(partners)])
    first = np.repeat(np.arange(X.nnz), partners)
    second = first + apart + np.arange(count) - starts[first]
    i, j = X.indices[first].astype(np.int64), X.indices[second]
    column = i * (d - apart) - i * (i - 1) // 2 + (j - i - apart)  # after the pairs of columns < i
    values = X.data[first] * X.data[second]
    index = np.int32 if max(width + d, count + X.nnz) <= np.iinfo(np.int32).max else np.int64
    parts = values, column.astype(index), starts[X.indptr].astype(index)
    return sp.csr_array(parts, shape=(X.shape[0], width))


@documented_feature
def powers(table: Table, degree: int = 2) -> Table:
    """Powers:  x → (x, x², …, x^degree) of every column, without products of different columns.

    Parameters
    ----------
    degree : int
        The largest power, at least 1.
    """
    require_whole("powers: degree", degree, 1)
    refuse_text(table, "powers")
    if degree == 1:
        return table
    width = (degree - 1) * len(table.names)
    entries = (degree - 1) * table.X.nnz if table.is_sparse else width * table.shape[0]
    size = 24 * entries + BYTES_PER_NAME * width  # a power, its place in the stack, a copy
    require_memory(size, f"powers of {len(table.names)} columns makes {width} more")
    stack = sp.hstack if table.is_sparse else np.hstack
    exponents = range(2, degree + 1)
    names = [f"{_factor(name)}^{k}" for k in exponents for name in table.names]
    return append(table, stack([table.X**k for k in exponents]), names)


@documented_feature
def radial(table: Table, centres: Sequence[Sequence[float]], width: float = 1.0) -> Table:
    """Radial basis functions:  x → (x, φ_1(x), …, φ_K(x)),  φ_k(x) = exp(−‖x − c_k‖² / (2·width²)).

        radial: {centres: [[0, 0], [2, 2]], width: 1}

    The centres c_k are given, so nothing is fitted. For sparse rows the distance is computed from the nonzero
    values and ‖c‖² alone; the functions, which are hardly ever 0, add K numbers to each row.
    Hastie, Tibshirani & Friedman (2009), §6.7, equation 6.28

    Parameters
    ----------
    centres : sequence of sequences of float
        The points c_k, each with one coordinate per column.
    width : float
        Distance from the centre at which φ is e^(−1/2), above 0.
    """
    try:
        C = np.array(centres, dtype=np.float64)
    except (TypeError, ValueError):
        C = np.empty(0)
    if C.ndim != 2 or not C.size or not np.isfinite(C).all():
        raise ValueError(
            f"radial: centres is {centres!r}; give a list of points, each a list of numbers."
        )
    if not (is_number(width) and 0 < width < np.inf):
        raise ValueError(f"radial: width is {width!r}; it must be a positive number.")
    refuse_text(table, "radial")
    n, d = table.shape
    if C.shape[1] != d:
        raise NotApplicable(
            f"radial: the centres have {counted(C.shape[1], 'coordinate')} and the data {counted(d, 'column')}; "
            "give each centre a coordinate per column."
        )
    require_memory(8 * n * (2 * d + 3 * len(C)), f"radial appends {len(C)} columns")
    squares = np.column_stack([_squared_distances(table, c) for c in C])
    bumps = np.exp(squares / (-2 * width**2))
    columns = sp.csr_array(bumps) if table.is_sparse else bumps
    return append(table, columns, [f"radial{k}" for k in range(1, len(C) + 1)])


def _squared_distances(table: Table, c: np.ndarray) -> np.ndarray:
    """‖x − c‖² of each row; of sparse rows ‖c‖² + Σ_{x_j ≠ 0} x_j·(x_j − 2c_j)."""
    X = table.X
    if not table.is_sparse:  # ‖x‖² − 2x·c + ‖c‖² would cancel far from the origin
        return np.asarray(((X - c) ** 2).sum(axis=1))
    row = np.repeat(np.arange(X.shape[0]), np.diff(X.indptr))
    change = np.bincount(row, X.data * (X.data - 2 * c[X.indices]), minlength=X.shape[0])
    return np.maximum(c @ c + change, 0)


@documented_feature
def random_fourier(
    table: Table, columns: int = 200, gamma: float | None = None, seed: int = 0
) -> Table:
    """Random Fourier features:  x → √(2/m) (cos ω_1·x, sin ω_1·x, …, cos ω_{m/2}·x, sin ω_{m/2}·x),

        ω ~ N(0, 2γ I),  so that on average over ω  φ(x)·φ(x′) = e^{−γ‖x − x′‖²},

    the Gaussian kernel, with an error of order 1/√m: linear classifiers then approximate kernel machines without
    an n × n matrix. The features replace the columns and are dense. Standardize first, since γ is the same for
    all columns. ω depends only on the seed and the number of columns.
    Rahimi & Recht (2007), NIPS 20

    Parameters
    ----------
    columns : int
        Number m of features, even.
    gamma : float or None
        γ of the Gaussian kernel, above 0. None is 1/(number of columns of x).
    seed : int
        Seed of ω.
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
    bits = np.random.PCG64(seed).random_raw(d * m)  # does not depend on NumPy's version
    normal = ndtri(((bits >> np.uint64(12)) + 0.5) / 2.0**52).reshape(d, m)
    angles = table.X @ (np.sqrt(2 * (gamma or 1 / d)) * normal)
    X = np.empty((n, columns))
    np.cos(angles, out=X[:, ::2])
    np.sin(angles, out=X[:, 1::2])
    X /= np.sqrt(m)
    names = tuple(f"{wave}{k}" for k in range(1, m + 1) for wave in ("cos", "sin"))
    return Table(sp.csr_array(X) if table.is_sparse else X, names)
