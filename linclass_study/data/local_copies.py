"""Local copies of the files of sources: where they are searched and kept, under which names, and their checksums."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any
from urllib.parse import quote, unquote, urlsplit

from linclass_study.errors import Unavailable
from linclass_study.files.digests import sha256_of_file, short_digest
from linclass_study.project import ROOT

# File names for untrusted addresses: an address cannot name a file outside its folder.
#
#     https://example.org/deep/a.csv?x=1   →   downloads/example.org/deep/a.csv%3Fx%3D1
#
# Each segment of the path becomes one name of letters, digits, _ . - ~ and % (RFC 3986, §2.1), so it contains neither
# `..` nor `%2f` nor control characters, and different addresses have different names.

LONGEST = 200  # bytes of a name; file systems allow 255, and a temporary file has a suffix of 41
LONGEST_PLACE = 1000  # bytes of all names together; systems allow 4096, folder included


def place_of(url: str, downloads: Path) -> Path:
    """downloads/{host}/{path}: files of the same name from different places stay apart."""
    parts = urlsplit(url)
    host = parts.netloc.rpartition("@")[2]  # without a password
    query = f"?{parts.query}" if parts.query else ""
    steps = [as_name(step) for step in f"{parts.path}{query}".removeprefix("/").split("/")]
    if sum(map(len, steps)) > LONGEST_PLACE:
        steps = [short_digest("/".join(steps)), steps[-1]]
    return downloads.joinpath(as_name(host), *steps)


def name_in_mirror(url: str) -> str:
    """Name of a copy of the file in a mirror: 'a b.csv' for `a%20b.csv`."""
    step = urlsplit(url).path.rpartition("/")[2]
    name = unquote(step)
    return name if _is_plain(name) else as_name(step)


def as_name(text: str) -> str:
    """Encode a text as one file name; different texts have different names."""
    name = quote(text, safe="~", errors="backslashreplace") or "%"
    if name.endswith("."):  # `..`, and what some systems drop
        name = f"{name[:-1]}%2E"
    if len(name) <= LONGEST:
        return name
    suffix = Path(name).suffix[:20]
    return f"{name[: LONGEST - 60]}-{short_digest(name)}{suffix if '%' not in suffix else ''}"


def _is_plain(name: str) -> bool:
    """Whether this is the name of one visible file on any system."""
    return (
        name.isprintable()
        and not {"/", "\\", ":"} & {*name}
        and name.strip(". ") != ""
        and not name.endswith((".", " "))
        and len(name.encode(errors="surrogatepass")) <= LONGEST
    )


# sha256 of the published versions of a file; None accepts any
Checksums = str | Sequence[str] | None


def with_checksum(path: Path, wanted: Checksums) -> Path:
    """Return the path if the file has one of the wanted sha256, or if none is given."""
    if wanted is None:
        return path
    digest = sha256_of_file(path)
    accepted = [wanted] if isinstance(wanted, str) else list(wanted)
    if digest not in accepted:
        raise Unavailable(
            f"its sha256 is {digest[:12]}…, not {' or '.join(k[:12] + '…' for k in accepted)}"
        )
    return path


# Time and size limits of downloads.


@dataclass(frozen=True)
class DownloadLimits:
    seconds: float = 3600  # for one file in total, retries and pauses included
    megabytes: float = 4000  # of one file, and of the decompressed content of one source
    connect_timeout: float = 5.0  # seconds
    read_timeout: float = 20.0  # seconds without a byte
    pauses: tuple[float, ...] = (1, 2, 4, 8, 16, 32)  # before each retry, in seconds
    unreachable: int = 2  # retries if no server answers: there may be no network


# Folders in which data files are searched: mirrors, downloads and the project.


@dataclass(frozen=True)
class SearchFolders:
    """Where data files are searched, and the limits of downloads.

    mirrors     folders of local copies, searched by file name
    downloads   folder that keeps downloaded files
    root        folder of the project, for the paths in its catalogue
    limits      time and size limits of downloads
    """

    mirrors: list[Path] = field(default_factory=list)
    downloads: Path = Path("downloads")
    root: Path = ROOT
    limits: DownloadLimits = field(default_factory=DownloadLimits)

    def local(self, name: str) -> Path | None:
        """The existing file of a path, relative to the working directory or else to the project."""
        return next(
            (path for path in (Path(name).expanduser(), self.root / name) if path.exists()), None
        )

    def found(self, name: str) -> list[Path]:
        """The file of a path; for a bare name that does not exist here, its copies in the mirrors."""
        here = self.local(name)
        return [here] if here else [] if "/" in name else self.mirrored(name)

    def mirrored(self, name: str) -> list[Path]:
        """Copies of a published file in the mirrors, compressed or not."""
        names = [name, *(name + end for end in (".bz2", ".gz", ".xz"))]
        copies = (folder / copy for folder in self.mirrors for copy in names)
        return [copy for copy in copies if copy.is_file()]


def mirrors(values: Mapping[str, Any]) -> list[str]:
    """Mirrors of the study, then those of LINCLASS_MIRRORS."""
    of_environment = filter(None, os.environ.get("LINCLASS_MIRRORS", "").split(os.pathsep))
    return [os.path.expanduser(folder) for folder in (*values["mirrors"], *of_environment)]
