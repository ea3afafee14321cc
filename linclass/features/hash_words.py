"""Hash words: a column of texts becomes `columns` columns; a word adds its sign to the one it is hashed to.

    h = BLAKE2(word),   column = ⌊h/2⌋ mod columns,   sign = 1 − 2·(h mod 2)

No vocabulary is kept, so no row says anything about the columns of another. Words that share a
column are told apart no more; with signs such collisions cancel on average, and the scalar products
of rows are unbiased. `signed: false` adds counts up instead, for models of counts. Options of the
tokenizer as in count_words.       Weinberger et al. (2009), Feature hashing for multitask learning
"""

from hashlib import blake2b

import numpy as np
import scipy.sparse as sp

from linclass.conventions import require_memory
from linclass.features._texts import in_place_of_texts
from linclass.table import Table
from linclass.words import PATTERN, Counted, Tokenizer, counted

BYTES_PER_NAME = 80  # a short string and its place in a tuple


def apply(
    table: Table,
    columns: int = 2**18,
    signed: bool = True,
    lower: bool = True,
    pattern: str = PATTERN,
    ngrams: int = 1,
) -> Table:
    tokenizer = Tokenizer("hash_words", lower, pattern, ngrams)
    if not isinstance(columns, int) or isinstance(columns, bool) or not 1 <= columns < 2**31:
        raise ValueError(
            f"hash_words: columns is {columns!r}; it must be a whole number from 1 to 2^31 − 1."
        )
    require_memory(columns * BYTES_PER_NAME, f"hash_words makes {columns} columns")
    names = [f"#{j}" for j in range(columns)]

    def count(texts: list[str]) -> Counted:
        X, words = counted(texts, tokenizer)
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
    """The same in every process, unlike Python's own hash of text."""
    return int.from_bytes(blake2b(word.encode(), digest_size=8).digest(), "little")
