"""Make newsgroups.xz, the compact copy of the religion-versus-politics part of 20 Newsgroups.

    python resources/make_newsgroups.py 20news-bydate-matlab.tgz

The archive is published at http://qwone.com/~jason/20Newsgroups/. The copy keeps, of six groups,
which words occur in which post: an inverted index (linclass_study/data/formats/inverted_index.py),
compressed by xz. Its bytes do not depend on the order of rows in the archive.
"""

from __future__ import annotations

import lzma
import sys
from pathlib import Path

import numpy as np

from linclass_study.data.formats import bag_of_words
from linclass_study.data.formats.inverted_index import inverted_index_text

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
    kept = counts.rows(np.flatnonzero([label in GROUPS for label in counts.labels]))
    return inverted_index_text(kept, range(1, len(counts.names) + 1))


if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    text = index(Path(sys.argv[1]))
    target = Path(__file__).with_name("newsgroups.xz")
    target.write_bytes(lzma.compress(text.encode(), filters=FILTERS))
    print(f"{target}: {target.stat().st_size:,} bytes")
