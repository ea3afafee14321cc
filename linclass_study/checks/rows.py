"""Keys of rows, and checks that use them: repeated rows, rows of several groups, rows on both sides of a split.

Cells are encoded as 64-bit words, so that rows and columns can be compared quickly. A number is encoded by its bits (−0
as 0, every NaN as one NaN); a level by a hash of its text, or as a number if all levels of its column are numbers. 0 is
the word 0, so the zeros of a sparse matrix need no work.
"""

from __future__ import annotations

import hashlib
from typing import Any, NamedTuple

import numpy as np
import polars as pl

from linclass.base.tables import Table

Words = np.ndarray  # of uint64

MISSING = np.float64(np.nan).view(np.uint64)


def words_of_numbers(values: np.ndarray) -> Words:
    words = (np.asarray(values, np.float64) + 0.0).view(np.uint64)
    words[np.isnan(values)] = MISSING
    return words


def words_of_levels(codes: np.ndarray, levels: tuple[str, ...]) -> Words:
    """Words of a categorical or text column; `codes` are indices into `levels`."""
    try:
        numbers = np.array([float(level) for level in levels])
    except ValueError:
        numbers = np.array([np.nan])
    if np.isfinite(numbers).all() and len(np.unique(numbers)) == len(levels):
        words = words_of_numbers(numbers)
    else:
        words = np.array([word_of_name(level) for level in levels], np.uint64)
    of_level = np.append(words, MISSING)
    return of_level[np.where(np.isnan(codes), len(levels), codes).astype(np.int64)]


def word_of_name(name: str) -> np.uint64:
    digest = hashlib.blake2b(name.encode("utf-8", "surrogatepass"), digest_size=8).digest()
    return np.frombuffer(digest, np.uint64)[0]


def mix(words: Words) -> Words:
    """Mix the bits of 64-bit words by a bijection, in place.

    The finalizer of splitmix64. Steele, Lea & Flood (2014), Fast splittable pseudorandom number generators
    """
    words ^= words >> np.uint64(30)
    words *= np.uint64(0xBF58476D1CE4E5B9)
    words ^= words >> np.uint64(27)
    words *= np.uint64(0x94D049BB133111EB)
    words ^= words >> np.uint64(31)
    return words


# 64-bit keys of rows and columns: equal rows have equal keys, whatever the order of columns, and vice versa.
#
#     cell_ij = mixed(word_ij ⊕ c_j)  where the word is not 0, else 0;   c_j is a hash of the column's name
#     key of row i = Σ_j cell_ij,     key of column j = Σ_i cell_ij      mod 2⁶⁴
#
# Dense and sparse tables have the same keys, and columns of zeros do not change the keys of rows. The probability of a
# collision among n rows is about n²/2⁶⁵: 3·10⁻⁸ for a million rows.

BLOCK = 1 << 18  # cells at a time


KINDS = ("rows_by_name", "rows_by_value", "columns_by_name")


class Keys(NamedTuple):
    rows: Words
    columns: Words


def keys_of_table(table: Table, named: bool = True) -> Keys:
    """Keys of rows and columns; with `named=False`, independent of the column names."""
    hashes = [word_of_name(name if named else "") for name in table.names]
    salts = np.array(hashes, np.uint64)
    coded = [j for j, name in enumerate(table.names) if name in table.levels]
    keys = (_of_sparse if table.is_sparse else _of_dense)(table.X, salts, coded)
    for j in coded:
        levels = table.levels[table.names[j]]
        cells = _mixed(words_of_levels(table.column(j), levels), salts[j])
        keys.rows[:] += cells
        keys.columns[j] = cells.sum(dtype=np.uint64)
    return keys


def keys_by_kind(table: Table) -> dict[str, Words]:
    """Keys of the rows with and without column names, and of the columns."""
    by_name, by_value = keys_of_table(table), keys_of_table(table, named=False)
    return dict(zip(KINDS, (by_name.rows, by_value.rows, by_name.columns), strict=True))


def features_digest(rows: Words) -> str:
    """Hash of the features of all rows, independent of their order and classes."""
    return f"sha256:{hashlib.sha256(np.sort(rows).astype('<u8').tobytes()).hexdigest()}"


def _of_dense(X: np.ndarray, salts: Words, coded: list[int]) -> Keys:
    n, d = X.shape
    keys = Keys(np.zeros(n, np.uint64), np.zeros(d, np.uint64))
    size = max(1, BLOCK // max(1, d))
    for start in range(0, n, size):
        block = slice(start, start + size)
        cells = _mixed(words_of_numbers(X[block]), salts)
        cells[:, coded] = 0
        keys.rows[block] = cells.sum(axis=1, dtype=np.uint64)
        keys.columns[:] += cells.sum(axis=0, dtype=np.uint64)
    return keys


def _of_sparse(X: Any, salts: Words, coded: list[int]) -> Keys:
    cells = _mixed(words_of_numbers(X.data), salts[X.indices])
    if coded:
        cells[np.isin(X.indices, coded)] = 0
    columns = np.zeros(X.shape[1], np.uint64)
    np.add.at(columns, X.indices, cells)
    sums = np.concatenate([np.zeros(1, np.uint64), np.cumsum(cells, dtype=np.uint64)])
    return Keys(sums[X.indptr[1:]] - sums[X.indptr[:-1]], columns)


def _mixed(cells: Words, salts: Any) -> Words:
    mixed = mix(cells ^ salts)
    mixed[cells == 0] = 0
    return mixed


def repeated_rows(keys: Words, y: np.ndarray) -> dict[str, Any]:
    """Rows equal to an earlier one in features and class, and the least error caused by conflicting labels.

    A classifier predicts the same class for rows with equal features, so it errs on all but those of the most frequent
    class:   least error = (1/n) Σ_groups (n_g − max_k n_gk).
    """
    pairs = pl.DataFrame({"key": keys, "class": y}).group_by("key", "class").len("n")
    groups = pairs.group_by("key").agg(
        size=pl.col("n").sum(), most=pl.col("n").max(), classes=pl.len()
    )
    errors = int((groups["size"] - groups["most"]).sum())
    return {
        "duplicated_rows": len(y) - pairs.height,
        "conflicting_rows": int(groups.filter(pl.col("classes") > 1)["size"].sum()),
        "least_errors": errors,
        "least_error": errors / len(y) if len(y) else None,
    }


def rows_across_groups(keys: Words, y: np.ndarray, groups: np.ndarray | None) -> dict[str, Any]:
    """Rows equal to an earlier one of another group, in features and class; null without groups. Those of one group are
    never on both sides."""
    if groups is None:
        return {"repeated_across_groups": None}
    rows = pl.DataFrame({"key": keys, "class": y, "group": groups})
    first = pl.col("group").first().over("key", "class")
    return {"repeated_across_groups": int(rows.select(pl.col("group") != first).sum().item())}


def rows_on_both_sides(keys: Words, split: np.ndarray) -> dict[str, Any]:
    """Official test rows with the features of a training row; null without an official test set."""
    test = split == 1
    if not test.any():
        return {"test_rows_in_training": None}
    return {"test_rows_in_training": int(np.isin(keys[test], keys[~test]).sum())}
