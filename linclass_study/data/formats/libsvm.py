"""LIBSVM format: one row per line, `label index:value index:value …`, zeros left out.

Columns are named by their index. Duplicate indices in a row are added. # starts a comment.
                              Chang & Lin (2011), LIBSVM, ACM TIST 2(3), and the README of it
"""

from __future__ import annotations

import io
import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np

from linclass_study.data.content import Counts, from_triplets, plain_csr
from linclass_study.data.unavailable import Unavailable
from linclass_study.data.unpack import Text, binary

MOST = 10_000_000  # columns; each has a name, whether it occurs or not
BLOCK = 100_000  # numbers that are Python strings at a time; earlier ones are already packed
NUMBER = r"[-+]?(?:\d+(?:\.\d*)?|\.\d+)(?:[eE][-+]?\d+)?"  # unambiguous, hence linear time
ROW = re.compile(rf"\s*\S+(?:\s+\d+:{NUMBER})*\s*")


def read(path: Path, options: Mapping[str, Any]) -> Counts:
    X, labels, first = plain_libsvm(path, MOST) or _read_strictly(path)
    names = [str(j) for j in range(first, first + X.shape[1])]
    return Counts(X, names, labels, np.zeros(len(labels), np.int8))


def _read_strictly(path: Path) -> tuple[Any, list[str], int]:
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
            raise Unavailable(_complaint(line, text.line))
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
    if pairs[0::2].max() > MOST:
        raise Unavailable(
            f"the index {pairs[0::2].max():.17g} is too large; there may be {MOST:,} columns"
        )
    index, value = pairs[0::2].astype(np.int32), pairs[1::2]
    first = 0 if index.min() == 0 else 1  # some writers count from 0
    width = int(index.max()) + 1 - first
    rows = np.repeat(np.arange(len(labels), dtype=np.int32), lengths)
    return from_triplets(rows, index - first, value, (len(labels), width)), labels, first


def _complaint(line: str, number: int) -> str:
    pair = re.compile(rf"\d+:{NUMBER}")
    wrong = next((word for word in line.split()[1:] if not pair.fullmatch(word)), line.strip())
    return f"line {number}: '{wrong[:40]}' is not index:value with an index and a number"


# LIBSVM files read by scikit-learn: the same rows as the strict reader's, or None where that is uncertain.
#
# The strict reader (formats/libsvm.py) reports the line of each error, accepts indices in any order and adds
# duplicates. scikit-learn reads well-formed files five times as fast, but is slow to import.

SMALL = 4_000_000  # bytes: the strict reader finishes smaller files before scikit-learn is imported
LABEL = re.compile(rb"(?m)^[^\S\n]*\S+")
ODD = re.compile(rb"_|qid|\s\+\d+:")  # accepted by Python or scikit-learn, not by the format


def plain_libsvm(path: Path, most: int) -> tuple[Any, list[str], int] | None:
    """(X, labels, the first index) of a file with up to `most` columns."""
    with binary(path) as file:
        content = file.read()
    if len(content) < SMALL or not content.isascii() or ODD.search(content):
        return None
    if b"#" in content:
        content = re.sub(rb"#[^\n]*", b"", content)
    labels = [words[0].decode() for line in content.split(b"\n") if (words := line.split(None, 1))]
    from sklearn.datasets import load_svmlight_file

    try:  # labels may be any word, so they are replaced by 0
        X, _ = load_svmlight_file(io.BytesIO(LABEL.sub(b"0", content)), zero_based=True)
    except (ValueError, OverflowError):
        return None
    if not X.nnz or X.shape != (len(labels), X.shape[1]) or X.shape[1] > most:
        return None
    if not np.isfinite(X.data).all():
        return None
    first = 0 if X.indices.min() == 0 else 1  # some writers count from 0
    return plain_csr(X[:, first:]), labels, first
