"""Products of pairs of columns, appended to a table: dense rows stay dense, sparse rows sparse."""

from dataclasses import replace

import numpy as np
import scipy.sparse as sp

from linclass.base.arrays import Matrix
from linclass.base.messages import NotApplicable, require_memory
from linclass.base.tables import BYTES_PER_NAME, Table, new_names

BYTES_PER_PRODUCT = 64  # sparse: the value, its column, and the row numbers it is made from


def refuse_text(table: Table, feature: str) -> None:
    if table.levels:
        raise NotApplicable(
            f"{feature} needs numeric columns; {next(iter(table.levels))!r} is text. "
            f"Drop the column, or leave {feature} out."
        )


def append(table: Table, columns: Matrix, names: list[str]) -> Table:
    """The table with these columns to its right."""
    both = [table.X, columns]
    X = sp.hstack(both, format="csr") if table.is_sparse else np.hstack(both)
    return replace(table, X=X, names=(*table.names, *new_names(table.names, names)))


def append_pairs(table: Table, feature: str, *, squares: bool) -> Table:
    """The table and x_i·x_j for all i < j, and i = j if `squares`; the first index varies slowest."""
    refuse_text(table, feature)
    n, d = table.shape
    apart = 0 if squares else 1
    width = (d - apart) * (d - apart + 1) // 2
    per_column = BYTES_PER_NAME + (0 if table.is_sparse else 16 * n)  # 16: the product and a copy
    require_memory(width * per_column, f"{feature} of {d} columns makes {width} more")
    pairs = _sparse_pairs if table.is_sparse else _dense_pairs
    products = pairs(table.X, apart, width)
    factors = [factor(name) for name in table.names]
    names = [
        f"{a}^2" if i == j else f"{a}*{b}"
        for i, a in enumerate(factors)
        for j, b in enumerate(factors[i + apart :], start=i + apart)
    ]
    return append(table, products, names)


def factor(name: str) -> str:
    """A name inside a product: that of a product is in brackets, (a*b)^2."""
    return f"({name})" if "*" in name or "^" in name else name


def _dense_pairs(X: np.ndarray, apart: int, width: int) -> np.ndarray:
    n, d = X.shape
    products = np.empty((n, width))
    start = 0
    for i in range(d - apart):
        stop = start + d - apart - i
        np.multiply(X[:, [i]], X[:, i + apart :], out=products[:, start:stop])
        start = stop
    return products


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
