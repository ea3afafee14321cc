"""A published file: an earlier download, else a copy in a mirror, else from the network."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from functools import partial
from pathlib import Path
from typing import Any

from linclass_study.data.checksum import Checksums, with_checksum
from linclass_study.data.search_folders import SearchFolders, name_in_mirror, place_of
from linclass_study.data.unavailable import Unavailable


def offers(
    source: Mapping[str, Any], folders: SearchFolders, last: bool
) -> Iterator[tuple[str, Callable[[], Path]]]:
    url, sha256 = source["url"], source.get("sha256")
    try:
        kept, name = place_of(url, folders.downloads), name_in_mirror(url)
    except ValueError:
        yield url, _no_address
        return
    copies = [copy for copy in (kept, folders.downloads / name) if copy.is_file()]
    for path in [*copies, *folders.mirrored(name)]:
        yield f"{url} (copy in {path.parent})", partial(with_checksum, path, sha256)
    yield url, partial(_downloaded, url, kept, sha256, last, folders)


def _downloaded(
    url: str, path: Path, sha256: Checksums, last: bool, folders: SearchFolders
) -> Path:
    from linclass_study.data.download import download  # slow to import

    return download(url, path, sha256, retry=last, limits=folders.limits)


def _no_address() -> Path:
    raise Unavailable("invalid URL")
