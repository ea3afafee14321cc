"""Read the available sources and build the data set from them.

Untrusted files are read here and nowhere else, in a guarded child (fetch_dataset.py): a file that hangs, exhausts
memory or crashes its reader makes its source unavailable and does not end the job.
"""

from __future__ import annotations

import zipfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from importlib import import_module
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
from scipy import sparse

from linclass_study.data.build_dataset import build_dataset
from linclass_study.data.content import Content, Matrix
from linclass_study.data.dataset import Dataset, save_dataset
from linclass_study.data.entry_keys import dialect_of, format_of, unnamed_index
from linclass_study.data.fetch_dataset import (
    AvailableSource,
    Failures,
    companion_file,
    first_usable,
)
from linclass_study.data.formats.parquet import errors_in_one_line
from linclass_study.data.local_copies import DownloadLimits, SearchFolders
from linclass_study.data.sources import offers
from linclass_study.entries import Entry
from linclass_study.errors import Unavailable, errors_as_unavailable, first_line
from linclass_study.files.unpack import at_most, count_bytes


class SourceReader:
    """Keeps the content that it has read and the data set that it has built."""

    def __init__(self, entry: Entry, folders: SearchFolders):
        self.entry, self.folders = entry, folders
        self.contents: dict[str, tuple[AvailableSource, Content]] = {}  # of 'source' and 'test'
        self.dataset: Dataset | None = None

    def __call__(self, method: str, *arguments: Any) -> str | None:
        """Call a method; why it failed, or None."""
        try:
            getattr(self, method)(*arguments)
        except Unavailable as reason:
            return str(reason)
        return None

    def read(self, part: str, found: AvailableSource) -> Content:
        """Content of the source or of the test set; the last one of each is kept."""
        kept = self.contents.get(part)
        if kept is None or kept[0] != found:
            self.contents.pop(part, None)  # free its memory before the next one is read
            with errors_as_unavailable("it is unavailable"), at_most(self.folders.limits.megabytes):
                self.contents[part] = (found, self._content(found))
        return self.contents[part][1]

    def build(self, train: AvailableSource, test: AvailableSource | None = None) -> None:
        """Build the data set of training rows and test rows."""
        train_rows = self.read("source", train)
        test_rows = None if test is None else self.read("test", test)
        with errors_as_unavailable("it cannot be converted to a data set"):
            self.dataset = build_dataset(train_rows, test_rows, self.entry)

    def save(self, label: str, failures: Failures, npz: str, json: str) -> None:
        save_dataset(self.finished(label, failures), npz, json)

    def finished(self, label: str, failures: Failures) -> Dataset:
        """The data set with its source and the failures before it."""
        assert self.dataset is not None
        self.dataset.source, self.dataset.attempts = label, failures
        return self.dataset

    def _content(self, found: AvailableSource) -> Content:
        if found.path is None:
            content = dict(offers(found.source, self.folders, found.is_last))[found.label]()
        else:
            content = self._parsed(found, found.path)
        matrices = [read_matrix(*item, content.n_rows) for item in found.matrices.items()]
        return replace(content, matrices=tuple(matrices))

    def _parsed(self, found: AvailableSource, path: Path) -> Content:
        entry, source = self.entry, found.source
        name = format_of(entry, source, path.name)
        if name is None:
            what = f"`format:` is missing and not known from the name {path.name}"
            raise Unavailable(f"{what}; add it")
        options = {**entry, **source, "csv": dialect_of(entry, source, path.name)}
        if "vocabulary" in source:  # some archives contain it
            options["vocabulary"] = lambda: companion_file(
                source["vocabulary"], "vocabulary", self.folders, found.is_last
            )
        with errors_as_unavailable(f"not readable as {name}"):
            return import_module(f"linclass_study.data.formats.{name}").read(path, options)


def obtain_dataset(
    entry: Entry,
    mirrors: list[Path],
    downloads: Path,
    root: Path,
    limits: DownloadLimits = DownloadLimits(),  # noqa: B008 – it is frozen
) -> Dataset:
    """The data set from the first usable source, read in this process; its `attempts` hold the failures before it."""
    folders = SearchFolders(mirrors, Path(downloads), Path(root), limits)
    reader = SourceReader(entry, folders)

    def execute(*call: Any) -> str | None:
        try:
            return reader(*call)
        except MemoryError as error:  # in a guarded child the guard reports it
            return f"it needs more memory than is available ({first_line(error)})"

    return reader.finished(*first_usable(entry, folders, execute))


# Matrices of a source in separate files, such as embeddings of its rows by a language model.
#
#     source: {file: reviews.csv, matrices: {minilm: {file: minilm.npy}}}
#
# Row i of a matrix belongs to row i of the source and is reordered with it. Columns are called minilm.1, minilm.2, …
#
#     .npy       one array, rows × columns
#     .npz       one such array, or a matrix saved by scipy.sparse.save_npz, which stays sparse
#     .parquet   numeric columns, which keep their names (minilm.age), or one column of lists of equal length
#
# Nothing is unpickled, so a file cannot run code.

Numbers = tuple[Any, list[str]]  # the matrix, and the suffixes of its column names


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
    with _reading():
        return _checked(np.load(path, allow_pickle=False))


def _npz(path: Path) -> Numbers:
    with _reading():
        arrays = np.load(path, allow_pickle=False)
    if not isinstance(arrays, np.lib.npyio.NpzFile):
        raise Unavailable("is not an .npz archive")
    with arrays:
        if "format" in arrays.files:
            try:
                return _checked(sparse.csr_array(sparse.load_npz(path)))
            except (ValueError, KeyError, NotImplementedError) as error:
                raise Unavailable(f"is not a sparse matrix of SciPy ({error})") from None
        if len(arrays.files) != 1:
            held = ", ".join(arrays.files) or "no array"
            raise Unavailable(f"holds {held}; keep one array in it")
        with _reading():
            return _checked(arrays[arrays.files[0]])


@contextmanager
def _reading() -> Iterator[None]:
    """Errors in one line, without NumPy's advice to allow pickled objects."""
    try:
        with errors_in_one_line("cannot be read"):
            yield
    except Unavailable as error:
        if "pickle" not in str(error):
            raise
        why = "holds pickled objects, which may run code when read; save an array of numbers"
        raise Unavailable(why) from None


def _checked(X: Any) -> Numbers:
    if X.ndim != 2:
        raise Unavailable(f"has the shape {X.shape}, which is not rows × columns")
    if X.dtype.kind not in "buif":
        raise Unavailable(f"holds {X.dtype}; save numbers")
    return X.astype(np.float64), [str(j + 1) for j in range(X.shape[1])]


def _parquet(path: Path) -> Numbers:
    with errors_in_one_line("cannot be read"):
        frame = pl.read_parquet(path)
    frame = frame.drop(unnamed_index(frame.columns, {}))
    if frame.width == 1 and frame.dtypes[0].is_nested():
        rows = frame.to_series().cast(pl.List(pl.Float64), strict=False)
        lengths = rows.list.len().unique().to_list()
        if rows.null_count() or len(lengths) != 1 or not lengths[0]:
            raise Unavailable(f"has lists of different lengths in '{rows.name}', or none")
        return _checked(rows.explode().to_numpy().reshape(-1, lengths[0]))
    for column in frame:
        if not (column.dtype.is_numeric() or column.dtype in (pl.Boolean, pl.Null)):
            raise Unavailable(f"has a column '{column.name}' of {column.dtype}; keep only numbers")
    numbers = frame.select(pl.all().cast(pl.Float64)).to_numpy()
    return np.ascontiguousarray(numbers), frame.columns


READERS = {".npy": _npy, ".npz": _npz, ".parquet": _parquet}
