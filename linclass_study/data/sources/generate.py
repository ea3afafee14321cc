"""Rows from a generator of linclass.datasets; they depend on the entry and its `seed:` alone."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Any

import numpy as np
import polars as pl
from scipy import sparse

from linclass import datasets as synthetic
from linclass_study.data.content import Columns, Content, Counts
from linclass_study.data.search_folders import SearchFolders
from linclass_study.data.unavailable import Unavailable

TARGET = "class"


def offers(
    source: Mapping[str, Any], folders: SearchFolders, last: bool
) -> Iterator[tuple[str, Callable[[], Content]]]:
    yield f"generated ({source['generate']})", lambda: _drawn(source)


def _drawn(source: Mapping[str, Any]) -> Content:
    name = source["generate"]
    keys = {k: v for k, v in source.items() if k not in ("generate", "seed", "part")}
    # The part (train or test) enters the seed; otherwise a generated test set would repeat the training set.
    seed = [source.get("seed", 0), source.get("part", 0)]
    try:
        X, y = synthetic.generate(name, seed, **keys)
    except (ValueError, TypeError) as error:
        raise Unavailable(str(error)) from None
    names = [f"x{j + 1}" for j in range(X.shape[1])]
    best = synthetic.bayes_error(name, **keys)
    if sparse.issparse(X):
        labels, train = [str(code) for code in y], np.zeros(len(y), np.int8)
        return Counts(X, names, labels, train, bayes_error=best)
    frame = pl.DataFrame({**dict(zip(names, X.T, strict=True)), TARGET: y.astype(float)})
    return Columns(frame, target=TARGET, bayes_error=best)
