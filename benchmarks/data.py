"""The rows of the benchmarks: synthetic ones, and published files from folders in LINCLASS_MIRRORS."""

from __future__ import annotations

import io
import os
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
from scipy import sparse

from linclass_study.data.formats import arff, libsvm
from linclass_study.files.unpack import members


def gaussian(n: int, d: int, seed: int = 0) -> tuple[np.ndarray, np.ndarray]:
    """Rows N(0, I), labels from a noisy linear score."""
    rng = np.random.default_rng(seed)
    X = rng.standard_normal((n, d))
    z = X @ rng.standard_normal(d) / np.sqrt(d) * 2
    return X, (z + rng.logistic(size=n) > 0).astype(int)


@cache
def iris() -> tuple[np.ndarray, np.ndarray]:
    from sklearn.datasets import load_iris

    return load_iris(return_X_y=True)


@cache
def libsvm_file(name: str) -> tuple[Any, np.ndarray]:
    content = libsvm.read(mirror(name), {})
    return _csr(content.X), np.unique(np.array(content.labels), return_inverse=True)[1]


@cache
def letter() -> tuple[np.ndarray, np.ndarray]:
    """26 letters, 16 standardized features."""
    frame = arff.read(mirror("letter.arff"), {}).frame
    label = frame.columns[-1]
    X = frame.drop(label).to_numpy().astype(float)
    X = (X - X.mean(axis=0)) / X.std(axis=0)
    return np.ascontiguousarray(X), np.unique(frame[label].to_numpy(), return_inverse=True)[1]


@cache
def newsgroups() -> tuple[Any, np.ndarray]:
    """Training documents of all 20 groups, word counts; only the words that occur in them."""
    files = dict(members(mirror("20news-bydate-matlab.tgz")))
    part = {Path(name).name: content for name, content in files.items()}
    document, word, count = np.loadtxt(io.BytesIO(part["train.data"]), dtype=int).T
    label = np.loadtxt(io.BytesIO(part["train.label"]), dtype=int)
    named = (line.split() for line in part["train.map"].decode().splitlines())
    names = {int(number): name for name, number in named}
    X = sparse.coo_array((count.astype(float), (document - 1, word - 1)))
    return _occurring(_csr(X)), np.array([names[k] for k in label])


def newsgroups_two() -> tuple[Any, np.ndarray]:
    """Religion versus politics, binary counts."""
    X, groups = newsgroups()
    religion = np.isin(groups, ["alt.atheism", "soc.religion.christian", "talk.religion.misc"])
    politics = np.char.startswith(groups.astype(str), "talk.politics")
    kept = religion | politics
    X = _occurring(X[kept])
    X.data[:] = 1
    return X, politics[kept].astype(int)


def newsgroups_twenty() -> tuple[Any, np.ndarray]:
    """ln(1 + count), rows of length 1."""
    X, groups = newsgroups()
    X = X.copy()
    X.data = np.log1p(X.data)
    lengths = np.sqrt((X * X).sum(axis=1))
    X = sparse.csr_array(sparse.diags_array(1 / np.maximum(lengths, 1e-300)) @ X)
    return _csr(X), np.unique(groups, return_inverse=True)[1]


def mirror(name: str) -> Path:
    folders = os.environ.get("LINCLASS_MIRRORS", "").split(os.pathsep)
    for folder in filter(None, folders):
        if (Path(folder) / name).is_file():
            return Path(folder) / name
    raise FileNotFoundError(f"no folder of LINCLASS_MIRRORS has {name}")


def _csr(X: Any) -> Any:
    X = sparse.csr_array(X, dtype=float)
    X.indices, X.indptr = X.indices.astype(np.int32), X.indptr.astype(np.int32)
    return X


def _occurring(X: Any) -> Any:
    return _csr(X[:, np.flatnonzero(np.bincount(X.indices, minlength=X.shape[1]))])
