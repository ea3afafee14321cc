"""Texts in folders, one folder per class, one file per text, in an archive or on disk.

    …train/alt.atheism/51060        if the folder above the classes ends in `train` or `test`,
    …test/alt.atheism/53068         it defines the official split

Features are words and their counts. Words are runs of the letters a–z in lower case; bytes are decoded as Latin-1,
which never fails and agrees with ASCII.

With `texts: [text]` in the entry nothing is counted: the rows have one column, `text`, for the features
`strip_posts`, `count_words` and `hash_words`. Line ends are normalized to \n.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path, PurePosixPath
from typing import Any

import numpy as np
import polars as pl

from linclass.base.tables import Tokenizer, word_counts
from linclass_study.data.content import Columns, Counts
from linclass_study.errors import Unavailable
from linclass_study.files.unpack import members

TOKENIZER = Tokenizer("text_folders", pattern="[a-z]+")
TARGET = "class"


def read(path: Path, options: Mapping[str, Any]) -> Counts | Columns:
    labels: list[str] = []
    parts: list[int | None] = []
    texts = _texts(path, labels, parts)
    as_they_are = [text.replace("\r\n", "\n") for text in texts] if options.get("texts") else None
    counts = word_counts(texts, TOKENIZER) if as_they_are is None else None
    if not labels:
        raise Unavailable("it contains no texts")
    official = set(parts) == {0, 1}
    split = np.array(parts if official else [0] * len(parts), np.int8)
    if counts is None:
        return Columns(pl.DataFrame({"text": as_they_are, TARGET: labels}), TARGET, split)
    return Counts(*counts, labels, split, are_words=True)


def _texts(path: Path, labels: list[str], parts: list[int | None]) -> Iterator[str]:
    """Yield the texts one by one; append their classes and parts to the two lists."""
    for name, content in members(path):
        *_, above, label, _ = ("", "", *PurePosixPath(name).parts)
        if not label:
            raise Unavailable(f"the text '{name}' lies in no folder; a folder is a class")
        labels.append(label)
        ends = (i for i, part in enumerate(("train", "test")) if above.endswith(part))
        parts.append(next(ends, None))
        yield content.decode("latin-1")
