"""A local file, relative to the study or to the project; a bare name is also searched in the mirrors."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from functools import partial
from pathlib import Path
from typing import Any

from linclass_study.data.checksum import with_checksum
from linclass_study.data.search_folders import SearchFolders
from linclass_study.data.unavailable import Unavailable


def offers(
    source: Mapping[str, Any], folders: SearchFolders, last: bool
) -> Iterator[tuple[str, Callable[[], Path]]]:
    name = source["file"]
    found = folders.found(name)
    for path in found:
        is_local = path == folders.local(name)
        yield name if is_local else str(path), partial(with_checksum, path, source.get("sha256"))
    if not found:
        yield name, _missing


def _missing() -> Path:
    raise Unavailable("there is no such file")
