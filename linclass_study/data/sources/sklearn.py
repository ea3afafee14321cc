"""A data set bundled with scikit-learn: `sklearn: iris` is ``sklearn.datasets.load_iris``."""

from __future__ import annotations

import csv
from collections.abc import Callable, Iterator, Mapping
from functools import partial
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import polars as pl

from linclass_study.data.content import Columns
from linclass_study.data.search_folders import SearchFolders
from linclass_study.data.unavailable import Unavailable
from linclass_study.errors import suggest_name

TARGET = "target"
BUNDLED = "datasets/data/iris.csv"
IRIS = ["sepal length (cm)", "sepal width (cm)", "petal length (cm)", "petal width (cm)"]


def offers(
    source: Mapping[str, Any], folders: SearchFolders, last: bool
) -> Iterator[tuple[str, Callable[[], Columns]]]:
    name = source["sklearn"]
    read = {"iris": _iris}.get(name, partial(_loaded, name))
    yield f"scikit-learn's {name}", read


def _iris() -> Columns:
    """Read load_iris's file without importing scikit-learn, which takes more than a second."""
    package = find_spec("sklearn")
    path = Path(package.origin if package and package.origin else "").parent / BUNDLED
    if not path.is_file():
        return _loaded("iris")
    with open(path, newline="", encoding="utf-8") as file:
        (_, _, *classes), *rows = csv.reader(file)
    columns = {name: [float(row[j]) for row in rows] for j, name in enumerate(IRIS)}
    labels = [classes[int(row[-1])] for row in rows]
    return Columns(pl.DataFrame({**columns, TARGET: labels}), target=TARGET)


def _loaded(name: str) -> Columns:
    from sklearn import datasets

    loaders = [n.removeprefix("load_") for n in dir(datasets) if n.startswith("load_")]
    try:
        bunch = getattr(datasets, f"load_{name}")()
        X, y, columns = bunch.data, bunch.target, map(str, bunch.feature_names)
    except (AttributeError, TypeError, KeyError):
        raise Unavailable(
            f"scikit-learn has no data set '{name}'; {suggest_name(name, loaders)}"
        ) from None
    if y.ndim != 1:
        raise Unavailable(
            f"scikit-learn's '{name}' has {y.shape[1]} targets, not one class per row"
        )
    names = getattr(bunch, "target_names", None)
    labels = y.astype(float) if names is None else [str(names[int(code)]) for code in y]
    frame = pl.DataFrame({**dict(zip(columns, X.T.astype(float), strict=True)), TARGET: labels})
    return Columns(frame, target=TARGET)
