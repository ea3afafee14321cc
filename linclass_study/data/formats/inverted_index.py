"""An inverted index: for each word, the documents that contain it. Small, and readable by xzcat.

    group train alt.atheism 478            documents are numbered consecutively, group after group
    …
    archive 1 12 3 40                      word, its number in the vocabulary, then the gaps
                                           between the numbers of its documents, the first from 0

It records presence only, not counts. Words are sorted by vocabulary number.
                           Witten, Moffat & Bell (1999), Managing Gigabytes, 2nd edition, ch. 3
"""

from __future__ import annotations

from collections.abc import Mapping
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np

from linclass_study.data.content import Counts, from_triplets
from linclass_study.errors import Unavailable
from linclass_study.files.unpack import Text

PARTS = ("train", "test")


def read(path: Path, options: Mapping[str, Any]) -> Counts:
    text = Text(path)
    labels: list[str] = []
    split: list[int] = []
    words: list[str] = []
    numbers: list[int] = []
    documents: list[np.ndarray] = []
    for line in text:
        try:
            first, *rest = line.split()
            if first == "group" and len(rest) == 3 and rest[0] in PARTS:
                labels += [rest[1]] * int(rest[2])
                split += [PARTS.index(rest[0])] * int(rest[2])
                continue
            numbers.append(int(rest[0]))
            documents.append(np.cumsum(np.array(rest[1:], dtype=np.int32)))
            words.append(first)
        except (ValueError, IndexError):
            raise Unavailable(
                f"line {text.line}: '{line.strip()[:40]}' is not word number gaps"
            ) from None
    if not labels or not words:
        raise Unavailable("the file is empty")
    if any(b <= a for a, b in pairwise(numbers)):
        raise Unavailable("the words are not in the order of the vocabulary")
    document = np.concatenate(documents) - 1
    if document.min() < 0 or document.max() >= len(labels):
        raise Unavailable(f"a word names a document beyond the {len(labels)} of the groups")
    word = np.repeat(np.arange(len(words), dtype=np.int32), [len(f) for f in documents])
    X = from_triplets(document, word, np.ones(len(word)), (len(labels), len(words)))
    return Counts(X, words, labels, np.array(split, np.int8), are_words=True)
