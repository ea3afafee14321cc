"""Types of users' arguments, and operations on dense and sparse arrays that NumPy and SciPy do not have."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from itertools import accumulate
from typing import Any, Generic, Literal, TypeVar

import numpy as np
import numpy.typing as npt
from scipy import sparse
from scipy.special import log_expit

ArrayLike = npt.ArrayLike  # a number or a name for each row: labels, weights, offsets, groups
PerRow = ArrayLike | None  # one entry per row, or None
MatrixLike = Any  # rows: an array, lists, a sparse matrix of SciPy or a data frame of any library
Matrix = Any  # rows that are checked: np.ndarray | sp.csr_array, used through X @ W and X.T @ R
EstimatorLike = Any  # ours or of any library, with scikit-learn's fit and predict
Tags = Any  # sklearn.utils.Tags, which is imported only where scikit-learn asks for it

ClassWeight = Literal["balanced"] | Mapping[Any, float] | None  # the factor of each class
Seed = int | np.random.Generator | None
Index = slice | npt.NDArray[Any]  # some rows, or some columns
FoldsLike = Any  # number of folds, the fold of each row, splits (training, held-out rows), or scikit-learn's splitter
StrengthsLike = int | Sequence[float] | None  # how many to choose from, or which


# Arrays over many rows: computed block by block, and allocated together

Array = npt.NDArray[Any]
HUGE, TINY = 1e110, 1e-110  # between them products are floats, also with weights
EPS = float(np.finfo(float).eps)  # relative rounding error of one operation is at most half of it
SMALLEST = float(np.finfo(float).tiny)  # stands for 0 in a denominator
BLOCK = 2048  # rows at a time: few enough for the cache, enough for BLAS
ROUNDED_COSINE = 1e-13  # cosine of two columns of numbers, up to which it is rounding

Value = TypeVar("Value")


class once(Generic[Value]):
    """`functools.cached_property` without the lock of Python 3.11, which costs more than many a value here."""

    def __init__(self, function: Callable[[Any], Value]):
        self.function, self.__doc__ = function, function.__doc__

    def __set_name__(self, owner: type, name: str) -> None:
        self.name = name

    def __get__(self, holder: Any, owner: type | None = None) -> Value:
        if holder is None:  # of the class, as help() asks
            return self  # type: ignore[return-value]
        value = vars(holder)[self.name] = self.function(holder)
        return value


def by_blocks(function: Callable[..., Any], *arrays: Array) -> Any:
    """function(*arrays) → several arrays, block by block of rows, so that temporaries stay in the cache."""
    n = arrays[-1].shape[-1]
    size = 4 * BLOCK
    if arrays[-1].size <= 2 * size:
        return function(*arrays)
    size = max(1, size * n // arrays[-1].size)
    results: list[Any] = []
    for start in range(0, n, size):
        rows = slice(start, start + size)
        parts = function(*(a[..., rows] for a in arrays))
        if not results:
            shapes = [p.shape[:-1] for p in parts if p is not None]
            outputs = iter(empty_arrays(n, *shapes))
            results = [None if p is None else next(outputs) for p in parts]
        for whole, part in zip(results, parts, strict=True):
            if whole is not None:
                whole[..., rows] = part
    return tuple(results)


def chosen_rows(X: Any, rows: Any) -> Any:
    """X[rows], for a slice, a mask or indices of rows; in .3 to .9 of the time, if rows are contiguous in memory."""
    if isinstance(X, np.ndarray) and isinstance(rows, np.ndarray) and X.flags.c_contiguous:
        return X.take(np.flatnonzero(rows) if rows.dtype == bool else rows, axis=0)
    return X[rows]


def as_dense(X: Matrix) -> Array:
    """Rows, or other products of sparse rows, as an array."""
    return X.toarray() if sparse.issparse(X) else X


def empty_arrays(n: int, *shapes: tuple[int, ...]) -> list[Array]:
    """Empty arrays (*shape, n) in one allocation. A large allocation uses large pages, and the first access to
    many small pages costs more than the arithmetic on them.
    """
    heights = [math.prod(shape) for shape in shapes]
    room, stops = np.empty((sum(heights), n)), accumulate(heights)
    parts = zip(shapes, heights, stops, strict=True)
    return [room[stop - height : stop].reshape(*shape, n) for shape, height, stop in parts]


def diagonal(H: Array) -> Array:
    """The diagonal of a square matrix, as a view that can be changed."""
    return np.einsum("ii->i", H)


def soft_threshold(W: Array, t: Array | float, out: Array | None = None) -> Array:
    """sign(w)·max(|w| − t, 0), entry by entry; into an array, if one is given."""
    near = np.clip(W, -t, t, out=out)
    return np.subtract(W, near, out=near)


# Log-probabilities from scores:  ln p_k = z_k − ln Σ_j e^{z_j},  for two classes  ln σ(±z).
#
# All computations are in logarithms, so a probability of 10⁻⁴⁰⁰ does not underflow, and scores of ±∞ (a class of prior
# 0, an overflow far outside the data) give 0 or −∞, never NaN. The largest score is kept out of the sum,
# ln Σ = z_max + ln(1 + Σ_others), so 1 − p is exact even if p is nearly 1.


def log_softmax(Z: np.ndarray) -> np.ndarray:
    """ln p of each row of Z (n, K). Several scores of +∞ share the probability."""
    first = Z.argmax(axis=1) + np.arange(0, Z.size, Z.shape[1])  # in Z.ravel()
    top = Z.take(first)[:, None]
    if np.isfinite(top).all():
        below = Z - top
    else:
        with np.errstate(invalid="ignore"):  # ∞ − ∞, where the two are equal
            below = np.where(top == Z, 0.0, Z - top)
    others = np.exp(below)
    others.put(first, 0)
    below -= np.log1p(others @ np.ones(Z.shape[1]))[:, None]  # faster than sum(axis=1)
    return below


def log_probabilities(Z: np.ndarray) -> np.ndarray:
    """ln p (n, K) from a decision function: (n,) log-odds of two classes, or (n, K) scores."""
    if Z.ndim == 1:
        return np.stack([log_expit(-Z), log_expit(Z)], axis=1)
    return log_softmax(Z)


# Sums of squares of columns and rows


def squares_of_columns(X: Matrix, weights: Array) -> Array:
    """Σ_i w_i x_ij² of every column."""
    if sparse.issparse(X):
        return X.power(2).T @ weights
    out = np.zeros(X.shape[1])
    for start in range(0, len(X), BLOCK):
        B = X[start : start + BLOCK]
        out += weights[start : start + BLOCK] @ (B * B)
    return out


def squares_of_rows(X: Matrix) -> Array:
    """Σ_j x_ij² of every row."""
    if sparse.issparse(X):
        return X.power(2) @ np.ones(X.shape[1])
    return np.einsum("ij,ij->i", X, X)


OFTEN = 1 / 16  # share of the rows with an entry in a column, from which products with it are dense


def frequent_columns(X: sparse.csr_array) -> Array:
    """Whether products with each column of sparse rows are faster if it is dense."""
    n, d = X.shape
    return np.bincount(X.indices, minlength=d) >= max(OFTEN * n, 1)


def products_of_rows(X: Matrix, others: Matrix | None = None) -> Array:
    """x_i·x_j between all rows, or x_i·z_j of all rows and others, dense."""
    both = [X] if others is None else [X, others]
    if not sparse.issparse(X):
        return np.asarray(X @ both[-1].T)
    often = frequent_columns(both[-1])
    parts = [(Z[:, ~often], Z[:, often].toarray()) for Z in both]
    (few, dense), (few_of_others, dense_of_others) = parts[0], parts[-1]
    products = np.asarray((few @ few_of_others.T).toarray())
    products += dense @ dense_of_others.T
    return products


# A random hash of each row by its content, the same for equal rows, dense or sparse


def hashes(X: Matrix, rng: np.random.Generator) -> Array:
    """A random hash of each row."""
    factors = rng.integers(1 << 63, size=X.shape[1], dtype=np.uint64) * 2 + 1
    keys = np.zeros(X.shape[0], dtype=np.uint64)
    if sparse.issparse(X):
        products = np.append(_mixed(X.data) * factors[X.indices], np.uint64(0))
        sums = np.add.reduceat(products, X.indptr[:-1])
        return np.where(np.diff(X.indptr) > 0, sums, keys)
    for start in range(0, len(X), BLOCK):
        rows = slice(start, start + BLOCK)
        keys[rows] = (_mixed(X[rows]) * factors).sum(axis=1, dtype=np.uint64)
    return keys


def _mixed(values: Array) -> Array:
    """The bits of numbers, the high ones mixed into the low ones; 0 for 0, so that zeros need not be stored."""
    return scrambled((np.asarray(values, dtype=float) + 0.0).view(np.uint64))  # −0 becomes 0


def scrambled(bits: Array) -> Array:
    bits = (bits ^ (bits >> np.uint64(32))) * np.uint64(0x9E3779B97F4A7C15)
    return bits ^ (bits >> np.uint64(29))


# Rows about another origin, x − c: sparse rows stay sparse; only columns with c_j ≠ 0 are filled in

FAR_MEAN_RATIO = 10.0  # |x̄_j| in standard deviations


def centre(X: Matrix, weights: Array, fill: bool) -> tuple[Array, Array]:
    """(means of the columns, variances); unless `fill`, 0 for a mean near 0, whose column may have zeros to fill in."""
    total = weights.sum()
    mean = np.asarray(weights @ X) / total
    variances = squares_of_columns(X, weights) / total - mean * mean
    if not fill:
        mean[mean * mean <= FAR_MEAN_RATIO**2 * variances] = 0
    return mean, variances


def shifted(X: Matrix, c: Array) -> Matrix:
    if not sparse.issparse(X):
        return X - c
    n, columns = X.shape[0], np.flatnonzero(c)
    ends = len(columns) * np.arange(n + 1)
    return X - sparse.csr_array((np.tile(c[columns], n), np.tile(columns, n), ends), shape=X.shape)
