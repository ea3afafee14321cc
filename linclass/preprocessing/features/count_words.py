r"""Count words: a column of texts becomes a column for each word, with the number of its occurrences in a row.

    count_words: {words: [god, gun], binary: true, ngrams: 2, lower: true, pattern: '\w\w+'}

The counts of a row depend on its own text alone. The columns are the declared `words:`, or every word of
the table. Words that no training row has are dropped in each fold (linclass_study/pipeline/transforming.py); the
transform `vocabulary` selects words by their frequency in the training rows.
                                         Salton & McGill (1983), Introduction to Modern IR, ch. 3
"""

from collections.abc import Sequence

import numpy as np
import scipy.sparse as sp

from linclass.base.arrays import Matrix
from linclass.base.parameters import is_list, require_flag
from linclass.base.tables import PATTERN, Counted, Table, Tokenizer, word_counts
from linclass.preprocessing.features._texts import in_place_of_texts


def apply(
    table: Table,
    words: Sequence[str] | None = None,
    binary: bool = False,
    lower: bool = True,
    pattern: str = PATTERN,
    ngrams: int = 1,
) -> Table:
    r"""Replace columns of texts by word counts.

    Parameters
    ----------
    table : Table
        Rows and the names of their columns.
    words : sequence of str or None, default=None
        The words to count. None counts every word of the table.
    binary : bool, default=False
        Whether to record presence (1) instead of the count.
    lower : bool, default=True
        Whether to convert the texts to lower case first.
    pattern : str, default=r'\w\w+'
        Regular expression that a word matches: by default runs of at least two letters, digits or
        underscores.
    ngrams : int, default=1
        Also count runs of 2, ..., `ngrams` consecutive words; 1 counts words alone.

    Returns
    -------
    Table
        Sparse; the other columns stay, on the left.
    """
    tokenizer = Tokenizer("count_words", lower, pattern, ngrams)
    require_flag("count_words: binary", binary)
    different = words is None or (is_list(words) and 0 < len(words) == len({*map(str, words)}))
    if not different:
        raise ValueError(f"count_words: words is {words!r}; give a list of different words.")

    def count(texts: list[str]) -> Counted:
        X, found = word_counts(texts, tokenizer)
        if words is not None:
            X, found = _declared(X, found, list(map(str, words)))
        if binary:
            X.data[:] = 1
        return X, found

    return in_place_of_texts(table, "count_words", count)


def _declared(X: Matrix, found: list[str], words: list[str]) -> Counted:
    """The columns of the declared words, in their order; a word that does not occur is a column of zeros."""
    column = {word: j for j, word in enumerate(words)}
    place = np.array([column.get(word, -1) for word in found], np.int32)
    kept = place[X.indices] >= 0
    row = np.repeat(np.arange(X.shape[0]), np.diff(X.indptr))[kept]
    triplets = (X.data[kept], (row, place[X.indices[kept]]))
    return sp.csr_array(triplets, shape=(X.shape[0], len(words))), words
