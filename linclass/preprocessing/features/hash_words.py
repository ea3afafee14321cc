"""Hash words: a column of texts becomes `columns` columns; a word adds its sign to the one it is hashed to.

    h = BLAKE2(word),   column = ⌊h/2⌋ mod columns,   sign = 1 − 2·(h mod 2)

No vocabulary is kept, so no row influences the columns of another. Words that share a column are no longer
distinguished; with signs such collisions cancel on average, and inner products of rows are unbiased.
                                  Weinberger et al. (2009), Feature hashing for multitask learning
"""

from hashlib import blake2b

import numpy as np
import scipy.sparse as sp

from linclass.base.messages import require_memory
from linclass.base.parameters import is_whole, require_flag
from linclass.base.tables import BYTES_PER_NAME, PATTERN, Counted, Table, Tokenizer, word_counts
from linclass.preprocessing.features._texts import in_place_of_texts


def apply(
    table: Table,
    columns: int = 2**18,
    signed: bool = True,
    lower: bool = True,
    pattern: str = PATTERN,
    ngrams: int = 1,
) -> Table:
    r"""Replace columns of texts by hashed word counts.

    Parameters
    ----------
    table : Table
        Rows and the names of their columns.
    columns : int, default=262144
        Number of columns, below 2³¹.
    signed : bool, default=True
        Whether words add their sign. False adds up counts, for models of counts.
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
    require_flag("hash_words: signed", signed)
    tokenizer = Tokenizer("hash_words", lower, pattern, ngrams)
    if not is_whole(columns, 1) or columns >= 2**31:
        raise ValueError(
            f"hash_words: columns is {columns!r}; it must be a whole number from 1 to 2^31 − 1."
        )
    columns = int(columns)  # a remainder of unsigned and signed integers is no integer in NumPy
    require_memory(columns * BYTES_PER_NAME, f"hash_words makes {columns} columns")
    names = [f"#{j}" for j in range(columns)]

    def count(texts: list[str]) -> Counted:
        X, words = word_counts(texts, tokenizer)
        hashes = np.array([_hash(word) for word in words], np.uint64)
        place = (hashes // 2 % columns).astype(np.int32)
        sign = 1.0 - 2.0 * (hashes % 2) if signed else np.ones(len(words))
        data = X.data * sign[X.indices]
        hashed = sp.csr_array((data, place[X.indices], X.indptr), shape=(X.shape[0], columns))
        hashed.sum_duplicates()
        hashed.eliminate_zeros()
        return hashed, names

    return in_place_of_texts(table, "hash_words", count)


def _hash(word: str) -> int:
    """The same in every process, unlike Python's hash of a string."""
    return int.from_bytes(blake2b(word.encode(), digest_size=8).digest(), "little")
