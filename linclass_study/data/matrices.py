"""Matrices of a source in separate files, such as embeddings of its rows by a language model.

    source: {file: reviews.csv, matrices: {minilm: {file: minilm.npy}}}

Row i of a matrix belongs to row i of the source, and is reordered with it. The columns are called minilm.1, minilm.2, …

    .npy       one array, rows × columns
    .npz       one such array, or a matrix saved by scipy.sparse.save_npz, which stays sparse
    .parquet   numeric columns, which keep their names (minilm.age), or one column of lists of equal length

Nothing is unpickled, so a file cannot run code.
"""

from __future__ import annotations

import zipfile
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
from scipy import sparse

from linclass_study.data.content import Content, Matrix
from linclass_study.data.data_frames import unnamed_index
from linclass_study.data.unavailable import Unavailable
from linclass_study.data.unpack import count_bytes

Numbers = tuple[Any, list[str]]  # the matrix, and the suffixes of its column names


def with_matrices(content: Content, paths: Mapping[str, Path]) -> Content:
    """The content with the matrices of these files (name → path)."""
    found = tuple(read_matrix(name, path, content.n_rows) for name, path in paths.items())
    return replace(content, matrices=found)


def read_matrix(name: str, path: Path, n_rows: int) -> Matrix:
    """Read a matrix, which must have as many rows as its source."""
    if path.suffix not in READERS:
        raise Unavailable(f"matrix '{name}': {path.name} is not one of {', '.join(READERS)}")
    if zipfile.is_zipfile(path):  # its members never unpack to more than their declared size
        with zipfile.ZipFile(path) as box:
            count_bytes(sum(about.file_size for about in box.infolist()), path.name)
    try:
        X, ends = READERS[path.suffix](path)
    except Unavailable as reason:
        raise Unavailable(f"matrix '{name}': {path.name} {reason}") from None
    if X.shape[0] != n_rows:
        raise Unavailable(
            f"matrix '{name}': {path.name} has {X.shape[0]} rows and its source {n_rows}; "
            "give a row for each row of the source, in its order"
        )
    values = X.data if sparse.issparse(X) else X
    if np.isinf(values).any():
        raise Unavailable(f"matrix '{name}': {path.name} holds an infinite number")
    return Matrix(X, [f"{name}.{end}" for end in ends])


def _npy(path: Path) -> Numbers:
    return _checked(_loaded(path))


def _npz(path: Path) -> Numbers:
    arrays = _loaded(path)
    if not isinstance(arrays, np.lib.npyio.NpzFile):
        raise Unavailable("is not an .npz archive")
    with arrays:
        if "format" in arrays.files:
            try:
                return _checked(sparse.csr_array(sparse.load_npz(path)))
            except (ValueError, KeyError, NotImplementedError) as error:
                raise Unavailable(f"is not a sparse matrix of SciPy ({error})") from None
        if len(arrays.files) != 1:
            raise Unavailable(
                f"holds {', '.join(arrays.files) or 'no array'}; keep one array in it"
            )
        try:
            return _checked(arrays[arrays.files[0]])
        except ValueError as error:
            raise Unavailable(_why(error)) from None


def _loaded(path: Path) -> Any:
    try:
        return np.load(path, allow_pickle=False)
    except (ValueError, EOFError, OSError) as error:
        raise Unavailable(_why(error)) from None


def _why(error: Exception) -> str:
    """NumPy's message, without its advice to allow pickled objects."""
    if "pickle" in str(error):
        return "holds pickled objects, which may run code when read; save an array of numbers"
    return f"cannot be read ({str(error).splitlines()[0]})"


def _checked(X: Any) -> Numbers:
    if X.ndim != 2:
        raise Unavailable(f"has the shape {X.shape}, which is not rows × columns")
    if X.dtype.kind not in "buif":
        raise Unavailable(f"holds {X.dtype}; save numbers")
    return X.astype(np.float64), [str(j + 1) for j in range(X.shape[1])]


def _parquet(path: Path) -> Numbers:
    try:
        frame = pl.read_parquet(path)
    except (pl.exceptions.PolarsError, OSError) as error:
        raise Unavailable(f"cannot be read ({str(error).splitlines()[0]})") from None
    frame = frame.drop(unnamed_index(frame.columns, {}))
    if frame.width == 1 and frame.dtypes[0].is_nested():
        return _checked(_of_lists(frame.to_series()))
    for column in frame:
        if not (column.dtype.is_numeric() or column.dtype in (pl.Boolean, pl.Null)):
            raise Unavailable(f"has a column '{column.name}' of {column.dtype}; keep only numbers")
    numbers = frame.select(pl.all().cast(pl.Float64)).to_numpy()
    return np.ascontiguousarray(numbers), frame.columns


def _of_lists(column: pl.Series) -> np.ndarray:
    rows = column.cast(pl.List(pl.Float64), strict=False)
    lengths = rows.list.len().unique().to_list()
    if rows.null_count() or len(lengths) != 1 or not lengths[0]:
        raise Unavailable(f"has lists of different lengths in '{column.name}', or none")
    return rows.explode().to_numpy().reshape(-1, lengths[0])


READERS = {".npy": _npy, ".npz": _npz, ".parquet": _parquet}
