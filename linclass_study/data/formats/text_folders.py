"""Texts in folders, one folder per class, one file per text, in an archive or on disk.

    …train/alt.atheism/51060        if the folder above the classes ends in `train` or `test`,
    …test/alt.atheism/53068         it defines the official split

The rows have one column, `text`, for the features `strip_posts`, `count_words` and `hash_words`. Bytes are decoded as
Latin-1, which never fails and agrees with ASCII. Line ends are normalized to \\n.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path, PurePosixPath
from typing import Any

import numpy as np
import polars as pl

from linclass_study.data.content import Columns
from linclass_study.errors import Unavailable
from linclass_study.files.unpack import members

TARGET = "class"


def read(path: Path, options: Mapping[str, Any]) -> Columns:
    labels: list[str] = []
    parts: list[int | None] = []
    texts: list[str] = []
    for name, content in members(path):
        *_, above, label, _ = ("", "", *PurePosixPath(name).parts)
        if not label:
            raise Unavailable(f"the text '{name}' lies in no folder; a folder is a class")
        labels.append(label)
        ends = (i for i, part in enumerate(("train", "test")) if above.endswith(part))
        parts.append(next(ends, None))
        texts.append(content.decode("latin-1").replace("\r\n", "\n"))
    if not labels:
        raise Unavailable("it contains no texts")
    official = set(parts) == {0, 1}
    split = np.array(parts if official else [0] * len(parts), np.int8)
    return Columns(pl.DataFrame({"text": texts, TARGET: labels}), TARGET, split)
