"""Count words: a column of texts becomes a column for each word, with how often it occurs in a row.

    count_words: {words: [god, gun], binary: true, ngrams: 2, lower: true, pattern: '\\w\\w+'}

A row's counts come from its own text alone. Which columns there are is the vocabulary: the declared
`words:`, else every word of the table, which is a way to write all counts down and no choice among
them. Which words are worth a feature is learned, by the transform `vocabulary` inside the fold.
                                         Salton & McGill (1983), Introduction to Modern IR, ch. 3
"""

from collections.abc import Sequence
from typing import Any

import numpy as np
import scipy.sparse as sp

from linclass.features._texts import in_place_of_texts
from linclass.table import Table
from linclass.words import PATTERN, Counted, Tokenizer, counted


def apply(
    table: Table,
    words: Sequence[str] | None = None,
    binary: bool = False,
    lower: bool = True,
    pattern: str = PATTERN,
    ngrams: int = 1,
) -> Table:
    tokenizer = Tokenizer("count_words", lower, pattern, ngrams)
    if words is not None and (isinstance(words, str) or len({*words}) < max(len(words), 1)):
        raise ValueError(f"count_words: words is {words!r}; give a list of different words.")

    def count(texts: list[str]) -> Counted:
        X, found = counted(texts, tokenizer)
        if words is not None:
            X, found = _declared(X, found, list(map(str, words)))
        if binary:
            X.data[:] = 1
        return X, found

    return in_place_of_texts(table, "count_words", count)


def _declared(X: Any, found: list[str], words: list[str]) -> Counted:
    """The columns of the declared words, in their order; one that occurs nowhere is a column of zeros."""
    column = {word: j for j, word in enumerate(words)}
    place = np.array([column.get(word, -1) for word in found], np.int32)
    kept = place[X.indices] >= 0
    row = np.repeat(np.arange(X.shape[0]), np.diff(X.indptr))[kept]
    triplets = (X.data[kept], (row, place[X.indices[kept]]))
    return sp.csr_array(triplets, shape=(X.shape[0], len(words))), words
