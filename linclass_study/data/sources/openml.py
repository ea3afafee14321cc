"""A data set of openml.org by its number: its description first, then the ARFF file it names.

The description also says which column is the target and which ones are no features.
                                       Vanschoren et al. (2013), OpenML, SIGKDD Explorations 15(2)
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any

from linclass_study.data.content import Columns
from linclass_study.data.download import download
from linclass_study.data.formats import arff
from linclass_study.data.places import Places
from linclass_study.data.sources import url
from linclass_study.data.unavailable import Unavailable

SERVER = "https://www.openml.org"


def offers(
    source: Mapping[str, Any], places: Places, last: bool
) -> Iterator[tuple[str, Callable[[], Columns]]]:
    given = source["openml"]
    number = given["id"] if isinstance(given, dict) else given
    server = given.get("server", SERVER) if isinstance(given, dict) else SERVER
    yield f"openml {number}", lambda: _content(f"{server}/api/v1/json/data/{number}", places, last)


def _content(address: str, places: Places, last: bool) -> Columns:
    about = _description(address, places, last)
    if about.get("format", "arff").lower() != "arff":
        raise Unavailable(f"its format is {about['format']}; only ARFF can be read")
    reasons = []
    for name, get in url.offers({"url": about["url"]}, places, last):
        try:
            content = arff.read(_unspoilt(get(), about.get("md5_checksum")), {})
        except Unavailable as reason:
            reasons.append(f"{name}: {reason}")
            continue
        target = about.get("default_target_attribute")
        aside = {*_names(about.get("row_id_attribute")), *_names(about.get("ignore_attribute"))}
        left = [column for column in content.frame.columns if column not in aside - {target}]
        return Columns(content.frame.select(left), target)
    raise Unavailable("; ".join(reasons))


def _description(address: str, places: Places, last: bool) -> dict[str, Any]:
    path = url.place_of(address, places.downloads)
    if not path.is_file():
        download(address, path, patient=last)
    try:
        about = json.loads(path.read_bytes())["data_set_description"]
        return about | {"url": str(about["url"])}
    except (ValueError, KeyError, TypeError):
        path.unlink()  # not what was asked for: ask again next time
        raise Unavailable(f"the answer of {address} is no description of a data set") from None


def _unspoilt(path: Path, md5: str | None) -> Path:
    if md5 and hashlib.md5(path.read_bytes(), usedforsecurity=False).hexdigest() != md5:
        raise Unavailable("its md5 is not the one of its description")
    return path


def _names(value: Any) -> list[str]:
    """The API gives one name, several with commas between them, or a list."""
    if isinstance(value, list):
        return [str(name) for name in value]
    return [name.strip() for name in str(value).split(",")] if value else []
