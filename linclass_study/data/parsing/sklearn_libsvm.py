"""LIBSVM files read by scikit-learn: the same rows as the strict reader's, or None where that is uncertain.

The strict reader (formats/libsvm.py) reports the line of each error, accepts indices in any order and adds duplicates.
scikit-learn reads well-formed files five times as fast, but is slow to import.
"""

from __future__ import annotations

import io
import re
from pathlib import Path
from typing import Any

import numpy as np

from linclass_study.data.sparse_rows import plain_csr
from linclass_study.data.unpack.text_file import binary

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
