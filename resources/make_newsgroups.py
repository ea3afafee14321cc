"""Make newsgroups.xz, the compact copy of the religion-versus-politics part of 20 Newsgroups.

    python resources/make_newsgroups.py 20news-bydate-matlab.tgz

The archive is published at http://qwone.com/~jason/20Newsgroups/. The copy keeps, of six groups,
which words occur in which post: an inverted index (linclass_study/data/formats/inverted_index.py),
compressed by xz. Its bytes do not depend on the order of rows in the archive.
"""

from __future__ import annotations

import lzma
import sys
from collections import Counter
from collections.abc import Iterable
from dataclasses import replace
from pathlib import Path

import numpy as np

from linclass_study.data.content import Counts
from linclass_study.data.formats import bag_of_words
from linclass_study.data.formats.inverted_index import PARTS

GROUPS = {
    "alt.atheism",
    "soc.religion.christian",
    "talk.politics.guns",
    "talk.politics.mideast",
    "talk.politics.misc",
    "talk.religion.misc",
}
# Text of digits and blanks has no alignment, and the last symbols say most about the next.
FILTERS = [{"id": lzma.FILTER_LZMA2, "preset": 9 | lzma.PRESET_EXTREME, "lc": 4, "lp": 0, "pb": 0}]


def index(archive: Path) -> str:
    """The text of the inverted index of the six groups."""
    counts = bag_of_words.read(archive, {})
    kept = rows(counts, np.flatnonzero([label in GROUPS for label in counts.labels]))
    return inverted_index_text(kept, range(1, len(counts.names) + 1))


def rows(counts: Counts, kept: np.ndarray) -> Counts:
    """Select rows by index."""
    labels = [counts.labels[row] for row in kept]
    return replace(counts, X=counts.X[kept], labels=labels, split=counts.split[kept])


def inverted_index_text(counts: Counts, numbers: Iterable[int]) -> str:
    """Text of the index of `counts`; `numbers` are the vocabulary numbers of the columns."""
    counts = rows(counts, order(counts))
    groups = Counter(zip(counts.split, counts.labels, strict=True))  # in the order of the rows
    lines = [f"group {PARTS[part]} {label} {size}" for (part, label), size in groups.items()]
    columns = counts.X.tocsc()
    columns.sort_indices()
    for j, (word, number) in enumerate(zip(counts.names, numbers, strict=True)):
        documents = columns.indices[columns.indptr[j] : columns.indptr[j + 1]]
        if len(documents):
            lines.append(" ".join([word, str(number), *map(str, np.diff(documents, prepend=-1))]))
    return "\n".join(lines) + "\n"


def order(counts: Counts) -> np.ndarray:
    """Group by group, and long documents first within a group, which keeps the gaps small."""
    words = [tuple(part) for part in np.split(counts.X.indices, counts.X.indptr[1:-1])]
    keys = list(zip(counts.split, counts.labels, (-len(w) for w in words), words, strict=True))
    return np.array(sorted(range(len(keys)), key=keys.__getitem__))


if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    text = index(Path(sys.argv[1]))
    target = Path(__file__).with_name("newsgroups.xz")
    target.write_bytes(lzma.compress(text.encode(), filters=FILTERS))
    print(f"{target}: {target.stat().st_size:,} bytes")
