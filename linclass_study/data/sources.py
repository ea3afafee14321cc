"""Files of sources: local files and published files. Sources of other kinds produce rows (produced_rows.py).

`offers(source, folders, is_last)` yields (label, function) in the order in which they should be tried. The function
returns the path of a file (or the content that was produced), or raises Unavailable with the reason. `is_last` says
that no other source remains, so that downloads are retried.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from functools import partial
from importlib import import_module
from pathlib import Path
from typing import Any

from linclass_study.data.entry_keys import FILES, source_kind
from linclass_study.data.local_copies import SearchFolders, name_in_mirror, place_of, with_checksum
from linclass_study.errors import Unavailable

Offers = Iterator[tuple[str, Callable[[], Any]]]

PRODUCED = "linclass_study.data.produced_rows"  # imported only where it is needed


def offers(source: Mapping[str, Any], folders: SearchFolders, is_last: bool) -> Offers:
    kind = source_kind(source)
    if kind not in FILES:
        return iter(import_module(PRODUCED).OFFERS[kind](source, folders, is_last))
    return (_of_file if kind == "file" else _of_url)(source, folders, is_last)


def _of_file(source: Mapping[str, Any], folders: SearchFolders, is_last: bool) -> Offers:
    """A local file, relative to the study or to the project; a bare name is also searched in the mirrors."""
    name = source["file"]
    found = folders.found(name)
    for path in found:
        label = name if path == folders.local(name) else str(path)
        yield label, partial(with_checksum, path, source.get("sha256"))
    if not found:
        yield name, partial(_refuse, "there is no such file")


def _of_url(source: Mapping[str, Any], folders: SearchFolders, is_last: bool) -> Offers:
    """A published file: an earlier download, else a copy in a mirror, else from the network."""
    url, sha256 = source["url"], source.get("sha256")
    try:
        kept, name = place_of(url, folders.downloads), name_in_mirror(url)
    except ValueError:
        yield url, partial(_refuse, "invalid URL")
        return
    copies = [copy for copy in (kept, folders.downloads / name) if copy.is_file()]
    for path in [*copies, *folders.mirrored(name)]:
        yield f"{url} (copy in {path.parent})", partial(with_checksum, path, sha256)

    def downloaded() -> Path:
        from linclass_study.data.download import download  # slow to import

        return download(url, kept, sha256, retry=is_last, limits=folders.limits)

    yield url, downloaded


def _refuse(reason: str) -> None:
    raise Unavailable(reason)
