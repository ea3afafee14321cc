"""LIBSVM format: one row per line, `label index:value index:value …`, zeros left out.

Columns are named by their index. Duplicate indices in a row are added. # starts a comment.
                              Chang & Lin (2011), LIBSVM, ACM TIST 2(3), and the README of it
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np

from linclass_study.data.content import Counts, from_triplets
from linclass_study.errors import Unavailable
from linclass_study.files.unpack import Text

MAX_COLUMNS = 10_000_000  # columns; each has a name, whether it occurs or not
BLOCK = 100_000  # numbers that are Python strings at a time; earlier ones are already packed
NUMBER = r"[-+]?(?:\d+(?:\.\d*)?|\.\d+)(?:[eE][-+]?\d+)?"  # unambiguous, hence linear time
PAIR = re.compile(rf"\d+:{NUMBER}")
ROW = re.compile(rf"\s*\S+(?:\s+\d+:{NUMBER})*\s*")


def read(path: Path, options: Mapping[str, Any]) -> Counts:
    text = Text(path)
    labels: list[str] = []
    lengths: list[int] = []
    block: list[str] = []
    packed: list[np.ndarray] = []
    for line in text:
        line = line.partition("#")[0]
        if not line.strip():
            continue
        if not ROW.fullmatch(line):
            wrong = (word for word in line.split()[1:] if not PAIR.fullmatch(word))
            raise Unavailable(
                f"line {text.line}: '{next(wrong, line.strip())[:40]}' is not index:value with an index and a number"
            )
        label, *numbers = line.replace(":", " ").split()
        labels.append(label)
        lengths.append(len(numbers) // 2)
        block += numbers
        if len(block) > BLOCK:
            packed.append(np.fromiter(map(float, block), float, len(block)))
            block.clear()
    if not labels:
        raise Unavailable("the file is empty")
    if not any(lengths):
        raise Unavailable("no line contains index:value")
    pairs = np.concatenate([*packed, np.fromiter(map(float, block), float, len(block))])
    if pairs[0::2].max() > MAX_COLUMNS:
        raise Unavailable(
            f"the index {pairs[0::2].max():.17g} is too large; there may be {MAX_COLUMNS:,} columns"
        )
    index, value = pairs[0::2].astype(np.int32), pairs[1::2]
    first = 0 if index.min() == 0 else 1  # some writers count from 0
    width = int(index.max()) + 1 - first
    rows = np.repeat(np.arange(len(labels), dtype=np.int32), lengths)
    X = from_triplets(rows, index - first, value, (len(labels), width))
    names = [str(j) for j in range(first, first + width)]
    return Counts(X, names, labels, np.zeros(len(labels), np.int8))
