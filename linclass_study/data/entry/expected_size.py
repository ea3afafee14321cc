"""Expected size of a data set, as far as its entry allows an estimate before anything is fetched."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, NamedTuple

from linclass import datasets as synthetic
from linclass_study.data.entry.source_keys import as_list, source_kind
from linclass_study.data.search_folders import SearchFolders
from linclass_study.project import ROOT

BYTES = 4  # of a file per value: between 0/1 and full precision


class Size(NamedTuple):
    """Approximate number of values (rows × features, or what is not 0 of sparse ones), and number of rows if known."""

    values: int
    rows: int | None = None


def expected_size(entry: Mapping[str, Any], root: Path = ROOT) -> Size | None:
    """Size from the entry's `size:`, else from its sources; None if unknown.

    It depends on the entry and on local files, never on downloads, so a plan based on it stays the same.
    """
    if "size" in entry:
        rows, features = entry["size"]["rows"], entry["size"].get("features", 1)
        return Size(entry["size"].get("nonzero", rows * features), rows)
    sources = [*as_list(entry.get("source")), *as_list(entry.get("test"))]
    known = [
        ESTIMATES[source_kind(source)](source, root)
        for source in sources
        if source_kind(source) in ESTIMATES
    ]
    return max((size for size in known if size), default=None)


def _drawn(source: Mapping[str, Any], root: Path) -> Size:
    """The entry gives the rows; the number of features is that of a sample of one row per class."""
    keys = {key: value for key, value in source.items() if key not in ("generate", "rows")}
    X, _ = synthetic.generate(source["generate"], rows=[1] * len(source["rows"]), **keys)
    return Size(sum(source["rows"]) * X.shape[1], sum(source["rows"]))


def _bundled(source: Mapping[str, Any], root: Path) -> Size | None:
    rows, features = BUNDLED.get(source["sklearn"], (None, None))
    return Size(rows * features, rows) if rows and features else None


def _file(source: Mapping[str, Any], root: Path) -> Size | None:
    path = SearchFolders(root=root).local(source["file"])
    if path is None:
        return None
    files = path.rglob("*") if path.is_dir() else [path]
    return Size(sum(file.stat().st_size for file in files) // BYTES)


BUNDLED = {  # rows and features, from scikit-learn's descriptions
    "iris": (150, 4),
    "wine": (178, 13),
    "breast_cancer": (569, 30),
    "digits": (1797, 64),
}
ESTIMATES: dict[str, Callable[[Mapping[str, Any], Path], Size | None]] = {
    "file": _file,
    "sklearn": _bundled,
    "generate": _drawn,
}
