"""What a word is, and how often each occurs in each text: sparse rows, built without a dense one.

The tokenizer, in this order
    lower     the text in lower case (true by default)
    pattern   words are the matches of a regular expression, from left to right, without overlap; by
              default runs of at least two letters, digits or underscores, in any alphabet
    ngrams    besides the words, every run of 2, …, `ngrams` neighbours, with blanks between them (1
              by default: words alone)

Nothing is stemmed and no list of common words is left out: the transforms `vocabulary` and `idf`
find in the training rows what is too common or too rare to tell classes apart.
"""

import re
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np
import scipy.sparse as sp

PATTERN = r"\w\w+"
Counted = tuple[sp.csr_array, list[str]]  # counts, a row per text; the word of each column


@dataclass(frozen=True)
class Tokenizer:
    """The words of a text; `owner` is who asks, for the sentences about wrong options."""

    owner: str
    lower: bool = True
    pattern: str = PATTERN
    ngrams: int = 1

    def __post_init__(self) -> None:
        if not isinstance(self.ngrams, int) or isinstance(self.ngrams, bool) or self.ngrams < 1:
            raise ValueError(
                f"{self.owner}: ngrams is {self.ngrams!r}; it must be a whole number, at least 1."
            )
        try:
            groups = re.compile(self.pattern).groups
        except (re.error, TypeError) as error:
            raise ValueError(
                f"{self.owner}: pattern is {self.pattern!r}, no regular expression ({error}); "
                f"the default is {PATTERN!r}."
            ) from None
        if groups:
            raise ValueError(
                f"{self.owner}: pattern is {self.pattern!r}; write its groups as (?:…), "
                "for a word is all that it matches."
            )

    def words(self, text: str) -> list[str]:
        found = re.findall(self.pattern, text.lower() if self.lower else text)
        runs = [
            " ".join(run)
            for n in range(2, self.ngrams + 1)
            for run in zip(*(found[i:] for i in range(n)), strict=False)
        ]
        return found + runs


def counted(texts: Iterable[str], tokenizer: Tokenizer) -> Counted:
    """How often each word occurs in each text; the columns in the order of the words' characters."""
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
