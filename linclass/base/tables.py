"""A table: the matrix of features, the names of its columns, and the levels of its categorical columns.

Features and transforms map tables to tables; a classifier gets ``X`` alone. A categorical column holds codes, the
indices of its ``levels``, so a table is always one float matrix, dense or CSR, and NaN always means missing. A column
of texts (posts, reviews) is stored in the same way, with the texts as levels; ``texts`` marks it, because features are
made of its words and not of its levels.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import scipy.sparse as sp
from scipy import sparse

from linclass.base.arrays import MatrixLike, chosen_rows
from linclass.base.messages import counted
from linclass.base.parameters import require_flag, require_whole

BYTES_PER_NAME = 80  # of a column: a short string and its place in a tuple


def unique(names: Sequence[str]) -> tuple[str, ...]:
    """The names, of which a repeated one becomes `name (2)`."""
    if len(taken := {*names}) == len(names):
        return tuple(names)
    seen: set[str] = set()
    distinct = []
    for name in names:
        candidate, number = name, 2
        while candidate in (seen if candidate == name else taken):
            candidate, number = f"{name} ({number})", number + 1
        seen.add(candidate)
        taken.add(candidate)
        distinct.append(candidate)
    return tuple(distinct)


def new_names(known: Sequence[str], names: Sequence[str]) -> tuple[str, ...]:
    """The names of columns that are added to the known ones, none of which loses its name."""
    return unique([*known, *names])[len(known) :]


class NamedRows(np.ndarray):
    """A matrix whose columns have names, like a data frame's."""

    columns: tuple[str, ...]

    def __array_finalize__(self, rows: Any) -> None:
        self.columns = getattr(rows, "columns", ())


def named(X: MatrixLike, names: Sequence[str] | None) -> Any:
    """The matrix with the names of its columns; None for columns without names."""
    if names is None:
        return X
    X = sparse.csr_array(X) if sparse.issparse(X) else X.view(NamedRows)
    X.columns = tuple(names)
    return X


@dataclass(frozen=True, eq=False)
class Table:
    """X (n × d), one name per column, and the levels of its categorical columns.

    Parameters
    ----------
    X : array or csr_array of shape (n, d)
        float64 in C order, or sparse with 32-bit indices.
    names : tuple of str
        Names of the d columns.
    levels : dict, default={}
        Name of each categorical column → its levels; X holds the index of the level.
    texts : frozenset of str, default=frozenset()
        Names of the categorical columns whose levels are texts.
    words : bool, default=False
        Whether the columns are words of the rows, so that rows without a word cannot know its column.
    """

    X: Any
    names: tuple[str, ...]
    levels: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    texts: frozenset[str] = frozenset()
    words: bool = False

    def __post_init__(self) -> None:
        if len(self.names) != self.X.shape[1]:
            raise ValueError(
                f"{counted(len(self.names), 'name')} for {counted(self.X.shape[1], 'column')}; give one name per "
                "column."
            )
        known = set(self.names)
        unknown = [name for name in self.levels if name not in known]
        if unknown:
            raise ValueError(f"levels of {unknown[0]!r}, which is not a column; leave them out.")
        if unread := self.texts - set(self.levels):
            raise ValueError(
                f"{min(unread)!r} is a column of texts without texts; give its levels."
            )

    @property
    def shape(self) -> tuple[int, int]:
        return self.X.shape

    @property
    def is_sparse(self) -> bool:
        return sparse.issparse(self.X)

    def rows(self, index: np.ndarray | slice) -> Table:
        """The rows that a boolean mask, a slice or an array of row numbers selects."""
        return self.with_rows(chosen_rows(self.X, index))

    def with_rows(self, X: MatrixLike) -> Table:
        """A table of other rows with the same columns, which are not checked."""
        other = object.__new__(Table)
        vars(other).update(vars(self), X=X)
        return other

    def named_rows(self) -> Any:
        """X with the names of its columns, for classifiers with parameters that name columns."""
        return named(self.X, self.names)

    def numeric(self) -> Table:
        """The columns that are neither categories nor texts."""
        return self if not self.levels else self.columns(self._places(categorical=False))

    def categorical(self) -> Table:
        """The columns of categories and texts."""
        return self.columns(self._places(categorical=True))

    def _places(self, categorical: bool) -> np.ndarray:
        if not self.levels:
            return np.arange(0 if categorical else len(self.names))
        kept = [j for j, name in enumerate(self.names) if (name in self.levels) is categorical]
        return np.array(kept, np.int64)

    def column(self, j: int) -> np.ndarray:
        """The entries of column j, dense."""
        return self.X[:, [j]].toarray().ravel() if self.is_sparse else self.X[:, j]

    def columns(self, index: np.ndarray) -> Table:
        """The columns with these indices, in that order."""
        X = self.X[:, index]
        if self.is_sparse:
            X.indices, X.indptr = X.indices.astype(np.int32), X.indptr.astype(np.int32)
        else:
            X = np.ascontiguousarray(X)
        names = tuple(map(self.names.__getitem__, index.tolist()))
        kept = self.levels.keys() & set(names)
        levels = {name: levels for name, levels in self.levels.items() if name in kept}
        return Table(X, names, levels, self.texts & kept, self.words)


# Tokenization and word counts of texts, as sparse rows. The tokenizer, in this order
#     lower     the text in lower case (true by default)
#     pattern   words are the matches of a regular expression, from left to right, without overlap; by
#               default runs of at least two letters, digits or underscores, in any alphabet
#     ngrams    besides the words, every run of 2, …, `ngrams` consecutive words, joined by blanks (1
#               by default: words alone)
# There is no stemming and no list of stop words: the transforms `vocabulary` and `idf` determine from the training rows
# which words are too common or too rare.

PATTERN = r"\w\w+"
Counted = tuple[sp.csr_array, list[str]]  # counts, a row per text; the word of each column


@dataclass(frozen=True)
class Tokenizer:
    """Splits a text into words; `owner` appears in error messages."""

    owner: str
    lower: bool = True
    pattern: str = PATTERN
    ngrams: int = 1

    def __post_init__(self) -> None:
        require_flag(f"{self.owner}: lower", self.lower)
        require_whole(f"{self.owner}: ngrams", self.ngrams, 1)
        try:
            groups = re.compile(self.pattern).groups
        except (re.error, TypeError) as error:
            raise ValueError(
                f"{self.owner}: pattern is {self.pattern!r}, not a regular expression ({error}); "
                f"the default is {PATTERN!r}."
            ) from None
        if groups:
            raise ValueError(
                f"{self.owner}: pattern is {self.pattern!r}; write its groups as (?:…), "
                "since a word is the whole match."
            )

    def words(self, text: str) -> list[str]:
        words = re.findall(self.pattern, text.lower() if self.lower else text)
        runs = [
            " ".join(run)
            for n in range(2, self.ngrams + 1)
            for run in zip(*(words[i:] for i in range(n)), strict=False)
        ]
        return words + runs


def word_counts(texts: Iterable[str], tokenizer: Tokenizer) -> Counted:
    """Count of each word in each text; the columns are sorted by word."""
    column: dict[str, int] = {}
    places, counts, lengths = [], [], [0]
    for text in texts:
        bag = Counter(tokenizer.words(text))
        places.append(np.fromiter((column.setdefault(word, len(column)) for word in bag), np.int32))
        counts.append(np.fromiter(bag.values(), np.float64))
        lengths.append(len(bag))
    words = sorted(column)
    rank = np.empty(len(words), np.int32)
    rank[[column[word] for word in words]] = np.arange(len(words))
    indptr = np.cumsum(lengths, dtype=np.int32)
    indices = rank[np.concatenate([np.empty(0, np.int32), *places])]
    data = np.concatenate([np.empty(0), *counts])
    X = sp.csr_array((data, indices, indptr), shape=(len(lengths) - 1, len(words)))
    X.sort_indices()
    return X, words
