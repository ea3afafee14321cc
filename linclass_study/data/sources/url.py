"""A published file: what was downloaded before, then copies in mirrors, then the network."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from functools import partial
from pathlib import Path, PurePosixPath
from typing import Any
from urllib.parse import quote, unquote, urlsplit

from linclass_study.data.checksum import checked
from linclass_study.data.download import download
from linclass_study.data.places import Places


def offers(
    source: Mapping[str, Any], places: Places, last: bool
) -> Iterator[tuple[str, Callable[[], Path]]]:
    url, sha256 = source["url"], source.get("sha256")
    kept = place_of(url, places.downloads)
    copies = [kept, places.downloads / file_name(url)]
    for path in [*(copy for copy in copies if copy.is_file()), *places.mirrored(file_name(url))]:
        yield f"{url} (copy in {path.parent})", partial(checked, path, sha256)
    yield url, partial(download, url, kept, sha256, patient=last)


def file_name(url: str) -> str:
    return unquote(PurePosixPath(urlsplit(url).path).name)


def place_of(url: str, downloads: Path) -> Path:
    """downloads/{host}/{path}: two files of one name, from two places, stay two files."""
    parts = urlsplit(url)
    query = f"?{parts.query}" if parts.query else ""
    steps = [p for p in f"{parts.path}{query}".split("/") if p not in ("", ".", "..")] or ["index"]
    return downloads.joinpath(quote(parts.netloc, safe=""), *(quote(s, safe="~") for s in steps))
