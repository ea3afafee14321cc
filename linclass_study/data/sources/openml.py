"""A data set of openml.org by its number, read by scikit-learn's fetch_openml.

Its cache is in downloads/openml; a mirror may contain such a folder, too (a copy of the folder scikit_learn_data).
Its requests are answered by our own downloads, which resume, respect Retry-After and have time limits.
                                       Vanschoren et al. (2013), OpenML, SIGKDD Explorations 15(2)
"""

from __future__ import annotations

import io
import warnings
from collections.abc import Callable, Iterator, Mapping
from functools import partial
from pathlib import Path
from typing import IO, Any
from urllib.parse import urlsplit

import numpy as np

from linclass_study.data.content import Columns, Content, Counts, plain_csr
from linclass_study.data.search_folders import SearchFolders, place_of
from linclass_study.data.unavailable import Unavailable, one_line

HOSTS = ("www.openml.org", "api.openml.org", "openml.org")
DESCRIPTION = "openml/openml.org/api/v1/json/data/{}.gz"  # in the cache of scikit-learn


def offers(
    source: Mapping[str, Any], folders: SearchFolders, last: bool
) -> Iterator[tuple[str, Callable[[], Content]]]:
    given = source["openml"]
    number, server = (given, None) if isinstance(given, int) else (given["id"], given.get("server"))
    for folder in folders.mirrors:
        if (folder / DESCRIPTION.format(number)).is_file():
            yield (
                f"openml {number} (copy in {folder})",
                partial(_content, number, folder, _not_in_mirror),
            )
    open_url = partial(_download, server=server, folders=folders, retry=last)
    yield f"openml {number}", partial(_content, number, folders.downloads, open_url)


def _download(url: str, server: str | None, folders: SearchFolders, retry: bool) -> IO[bytes]:
    from linclass_study.data.download import download  # slow to import

    parts = urlsplit(url)
    if server and parts.hostname in HOSTS:
        url = f"{server.rstrip('/')}{parts.path}"
    path = place_of(url, folders.downloads / "openml" / "arriving")
    content = download(url, path, retry=retry, limits=folders.limits).read_bytes()
    path.unlink()  # scikit-learn keeps a copy in its cache
    return io.BytesIO(content)


def _not_in_mirror(url: str) -> IO[bytes]:
    raise Unavailable(f"{urlsplit(url).path} is not in it")


def _content(number: int, home: Path, open_url: Callable[[str], IO[bytes]]) -> Content:
    from sklearn.datasets import fetch_openml  # slow to import

    from linclass_study.data.connection import replaced_urlopen

    with warnings.catch_warnings(record=True) as caught, replaced_urlopen(open_url) as handler:
        warnings.simplefilter("always")
        try:
            bunch = fetch_openml(data_id=number, data_home=home)
        except Exception as error:  # from parsers, the network or unexpected answers of the server
            if not handler.reason:
                (home / DESCRIPTION.format(number)).unlink(missing_ok=True)  # request it again
            raise Unavailable(handler.reason or _in_short(error, number)) from None
    print(f"openml {number}: {bunch.details['name']}, version {bunch.details['version']}")
    print(*(f"openml {number}: {one_line(warning.message)}" for warning in caught), sep="\n")
    target = bunch.target_names[0] if len(bunch.target_names) == 1 else None
    if bunch.frame is not None:
        from linclass_study.data.data_frames import columns

        return Columns(columns(bunch.frame), target)
    if target is None:
        raise Unavailable(f"its {len(bunch.target_names)} targets are not one class per row")
    labels = [str(label) for label in bunch.target]
    return Counts(
        plain_csr(bunch.data), bunch.feature_names, labels, np.zeros(len(labels), np.int8)
    )


def _in_short(error: Exception, number: int) -> str:
    if isinstance(error, KeyError):
        return f"the answer for number {number} does not describe a data set ({error} is missing)"
    return f"it cannot be read ({type(error).__name__}: {one_line(error)[:300]})"
