"""The size of a data set by its entry, before anything is fetched: for the plan of jobs and of the parts of a study."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

from linclass import datasets as synthetic
from linclass_study.data.entry_keys import source_kind
from linclass_study.data.local_copies import SearchFolders
from linclass_study.entries import Entry, as_list

BYTES = 4  # of a file per value: between 0/1 and full precision
# rows and features, from scikit-learn's descriptions
BUNDLED = {"iris": (150, 4), "wine": (178, 13), "breast_cancer": (569, 30), "digits": (1797, 64)}


class Size(NamedTuple):
    """Approximate number of values (rows × features, or nonzero ones of sparse rows), and of rows if known."""

    values: int
    rows: int | None = None


def expected_size(entry: Entry) -> Size | None:
    """Size from the entry's `size:`, else from its sources; None if unknown.

    It depends on the entry and on local files, never on downloads, so a plan based on it stays the same.
    """
    if "size" in entry:
        rows, features = entry["size"]["rows"], entry["size"].get("features", 1)
        return Size(entry["size"].get("nonzero", rows * features), rows)
    sources = [*as_list(entry.get("source")), *as_list(entry.get("test"))]
    return max((size for one in sources if (size := _size_of(one))), default=None)


def _size_of(source: Mapping[str, Any]) -> Size | None:
    kind = source_kind(source)
    if kind == "generate":  # the number of features is that of a sample of one row per class
        keys = {key: value for key, value in source.items() if key not in ("generate", "rows")}
        X, _ = synthetic.generate(source["generate"], rows=[1] * len(source["rows"]), **keys)
        return Size(sum(source["rows"]) * X.shape[1], sum(source["rows"]))
    if kind == "sklearn" and source["sklearn"] in BUNDLED:
        rows, features = BUNDLED[source["sklearn"]]
        return Size(rows * features, rows)
    if kind == "file" and (path := SearchFolders().local(source["file"])):
        files = path.rglob("*") if path.is_dir() else [path]
        return Size(sum(file.stat().st_size for file in files) // BYTES)
    return None
