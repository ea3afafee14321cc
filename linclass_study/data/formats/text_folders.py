"""Texts in folders, one folder per class, one file per text, in an archive or on disk.

    …train/alt.atheism/51060        the folder above the classes may end in `train` or `test`;
    …test/alt.atheism/53068         then it gives the official split

A feature is a word, its value how often it occurs. Words are runs of the letters a–z after
lowering the case; bytes are read as Latin-1, which never fails and leaves ASCII as it is.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping
from pathlib import Path, PurePosixPath
from typing import Any

import numpy as np

from linclass_study.data.archive import members
from linclass_study.data.content import Counts
from linclass_study.data.sparse_rows import from_triplets
from linclass_study.data.unavailable import Unavailable

WORD = re.compile(r"[a-z]+")


def read(path: Path, options: Mapping[str, Any]) -> Counts:
    labels: list[str] = []
    parts: list[int | None] = []
    columns: dict[str, int] = {}
    lengths, places, counts = [], [], []
    for name, content in members(path):
        *_, above, label, _ = ("", "", *PurePosixPath(name).parts)
        if not label:
            raise Unavailable(f"the text '{name}' lies in no folder; a folder is a class")
        words = Counter(WORD.findall(content.decode("latin-1").lower()))
        labels.append(label)
        parts.append(_part(above))
        lengths.append(len(words))
        places.append(np.fromiter((columns.setdefault(w, len(columns)) for w in words), np.int32))
        counts.append(np.fromiter(words.values(), float))
    if not labels:
        raise Unavailable("there are no texts in it")
    names = sorted(columns)
    rank = np.empty(len(names), np.int32)
    rank[[columns[name] for name in names]] = np.arange(len(names))
    rows = np.repeat(np.arange(len(labels), dtype=np.int32), lengths)
    shape = (len(labels), len(names))
    X = from_triplets(rows, rank[np.concatenate(places)], np.concatenate(counts), shape)
    official = set(parts) == {0, 1}
    split = np.array(parts if official else [0] * len(parts), np.int8)
    return Counts(X, names, labels, split, are_words=True)


def _part(folder: str) -> int | None:
    return next((i for i, part in enumerate(("train", "test")) if folder.endswith(part)), None)
