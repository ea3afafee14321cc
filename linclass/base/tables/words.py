"""Tokenization and word counts of texts, as sparse rows.

The tokenizer, in this order
    lower     the text in lower case (true by default)
    pattern   words are the matches of a regular expression, from left to right, without overlap; by
              default runs of at least two letters, digits or underscores, in any alphabet
    ngrams    besides the words, every run of 2, …, `ngrams` consecutive words, joined by blanks (1
              by default: words alone)

There is no stemming and no list of stop words: the transforms `vocabulary` and `idf` determine from the training rows
which words are too common or too rare.
"""

import re
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np
import scipy.sparse as sp

from linclass.base.parameter_types import require_flag, require_whole

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
        found = re.findall(self.pattern, text.lower() if self.lower else text)
        runs = [
            " ".join(run)
            for n in range(2, self.ngrams + 1)
            for run in zip(*(found[i:] for i in range(n)), strict=False)
        ]
        return found + runs


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
