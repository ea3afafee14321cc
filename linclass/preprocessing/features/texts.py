"""Features of texts: their words, counted or hashed, and posts without the parts that reveal their group."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import replace
from hashlib import blake2b

import numpy as np
import scipy.sparse as sp

from linclass.base.arrays import Matrix
from linclass.base.messages import require_memory
from linclass.base.parameters import is_list, is_whole, require_flag
from linclass.base.tables import (
    BYTES_PER_NAME,
    PATTERN,
    Counted,
    Table,
    Tokenizer,
    unique,
    word_counts,
)
from linclass.preprocessing.features.base import documented_feature, refuse_no_texts

QUOTE = re.compile(r"writes in|writes:|wrote:|says:|said:|^In article|^Quoted from|^[|>]")


def _in_place_of_texts(table: Table, feature: str, count: Callable[[list[str]], Counted]) -> Table:
    """The table with the counts of its texts in their place, on the right, all of it sparse."""
    refuse_no_texts(table, feature)
    others = [j for j, name in enumerate(table.names) if name not in table.texts]
    blocks = [sp.csr_array(table.X[:, others])]
    names = [table.names[j] for j in others]
    for j, name in enumerate(table.names):
        if name in table.texts:
            codes = np.nan_to_num(table.column(j), nan=-1).astype(np.int64)
            used, row = np.unique(codes, return_inverse=True)
            texts = ("", *table.levels[name])  # a missing text has no words
            X, words = count([texts[code + 1] for code in used])
            blocks.append(X[row])
            names += words if len(table.names) == 1 else [f"{name}:{word}" for word in words]
    X = sp.hstack(blocks, format="csr")
    X.indices, X.indptr = X.indices.astype(np.int32), X.indptr.astype(np.int32)
    levels = {name: values for name, values in table.levels.items() if name not in table.texts}
    return replace(table, X=X, names=unique(names), levels=levels, texts=frozenset())


@documented_feature
def count_words(
    table: Table,
    words: Sequence[str] | None = None,
    binary: bool = False,
    lower: bool = True,
    pattern: str = PATTERN,
    ngrams: int = 1,
) -> Table:
    r"""Count words: a column of texts becomes a column for each word, with the number of its occurrences in a row.

        count_words: {words: [god, gun], binary: true, ngrams: 2, lower: true, pattern: '\w\w+'}

    The counts of a row depend on its own text alone. The columns are the declared `words:`, or every word of
    the table. Words that no training row has are dropped in each fold (linclass_study/pipeline/transforming.py); the
    transform `vocabulary` selects words by their frequency in the training rows. The result is sparse; the other
    columns stay, on the left.   Salton & McGill (1983), Introduction to Modern IR, ch. 3

    Parameters
    ----------
    words : sequence of str or None
        The words to count. None counts every word of the table.
    binary : bool
        Whether to record presence (1) instead of the count.
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

    return _in_place_of_texts(table, "count_words", count)


def _declared(X: Matrix, found: list[str], words: list[str]) -> Counted:
    """The columns of the declared words, in their order; a word that does not occur is a column of zeros."""
    column = {word: j for j, word in enumerate(words)}
    place = np.array([column.get(word, -1) for word in found], np.int32)
    kept = place[X.indices] >= 0
    row = np.repeat(np.arange(X.shape[0]), np.diff(X.indptr))[kept]
    triplets = (X.data[kept], (row, place[X.indices[kept]]))
    return sp.csr_array(triplets, shape=(X.shape[0], len(words))), words


@documented_feature
def hash_words(
    table: Table,
    columns: int = 2**18,
    signed: bool = True,
    lower: bool = True,
    pattern: str = PATTERN,
    ngrams: int = 1,
) -> Table:
    """Hash words: a column of texts becomes `columns` columns; a word adds its sign to the one it is hashed to.

        h = BLAKE2(word),   column = ⌊h/2⌋ mod columns,   sign = 1 − 2·(h mod 2)

    No vocabulary is kept, so no row influences the columns of another. Words that share a column are no longer
    distinguished; with signs such collisions cancel on average, and inner products of rows are unbiased. The result
    is sparse; the other columns stay, on the left.
    Weinberger et al. (2009), Feature hashing for multitask learning

    Parameters
    ----------
    columns : int
        Number of columns, below 2³¹.
    signed : bool
        Whether words add their sign. False adds up counts, for models of counts.
    """
    require_flag("hash_words: signed", signed)
    tokenizer = Tokenizer("hash_words", lower, pattern, ngrams)
    if not is_whole(columns, 1) or columns >= 2**31:
        raise ValueError(
            f"hash_words: columns is {columns!r}; it must be a whole number from 1 to 2^31 − 1."
        )
    columns = int(columns)  # a remainder of unsigned and signed integers is not an integer in NumPy
    require_memory(columns * BYTES_PER_NAME, f"hash_words makes {columns} columns")
    names = [f"#{j}" for j in range(columns)]

    def count(texts: list[str]) -> Counted:
        X, words = word_counts(texts, tokenizer)
        hashes = np.array([hash_of_word(word) for word in words], np.uint64)
        place = (hashes // 2 % columns).astype(np.int32)
        sign = 1.0 - 2.0 * (hashes % 2) if signed else np.ones(len(words))
        data = X.data * sign[X.indices]
        hashed = sp.csr_array((data, place[X.indices], X.indptr), shape=(X.shape[0], columns))
        hashed.sum_duplicates()
        hashed.eliminate_zeros()
        return hashed, names

    return _in_place_of_texts(table, "hash_words", count)


def hash_of_word(word: str) -> int:
    """Hash of a word, which is the same in every process, unlike Python's hash of a string."""
    return int.from_bytes(blake2b(word.encode(), digest_size=8).digest(), "little")


def _without_headers(post: str) -> str:
    return post.partition("\n\n")[2]


def _without_footer(post: str) -> str:
    lines = post.strip().split("\n")
    breaks = [number for number, line in enumerate(lines) if not line.strip().strip("-")]
    return "\n".join(lines[: breaks[-1]]) if breaks and breaks[-1] > 0 else post


def _without_quotes(post: str) -> str:
    return "\n".join(line for line in post.split("\n") if not QUOTE.search(line))


PARTS: dict[str, Callable[[str], str]] = {
    "headers": _without_headers,
    "footers": _without_footer,
    "quotes": _without_quotes,
}


@documented_feature
def strip_posts(table: Table, parts: Sequence[str] = tuple(PARTS)) -> Table:
    r"""Strip posts: texts of newsgroups or mails without headers, footers and quotes, which reveal the group.

        headers   everything before the first blank line; a post without a blank line has no body
        footers   everything from the last blank line, or line of hyphens, on, where signatures stand
        quotes    lines that quote (they begin with | or >) or announce a quotation ("… writes:", "In article …")

    They are removed in this order, so that a header is not taken for a body with quotes. Line ends \r\n and
    \r become \n first. Headers contain the author's address and organization, from which a classifier learns
    who posts where instead of the subject. Results on 20 Newsgroups are usually compared under these rules.
    Lang (1995), NewsWeeder; Pedregosa et al. (2011)

    Parameters
    ----------
    parts : sequence of str
        The parts to remove, out of 'headers', 'footers' and 'quotes'.
    """
    wrong = [part for part in parts if part not in [*PARTS]] if is_list(parts) else [parts]
    if wrong:
        raise ValueError(
            f"strip_posts: parts has {wrong[0]!r}; give a list out of {', '.join(PARTS)}."
        )
    refuse_no_texts(table, "strip_posts")
    levels = dict(table.levels)
    for name in table.texts:
        posts = [post.replace("\r\n", "\n").replace("\r", "\n") for post in levels[name]]
        for part in PARTS:
            if part in parts:
                posts = [PARTS[part](post) for post in posts]
        levels[name] = tuple(posts)
    return replace(table, levels=levels)
