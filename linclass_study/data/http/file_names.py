"""File names for untrusted addresses: an address cannot name a file outside its folder.

    https://example.org/deep/a.csv?x=1   →   downloads/example.org/deep/a.csv%3Fx%3D1

Each segment of the path becomes one name of letters, digits, _ . - ~ and % (RFC 3986, §2.1), so it contains neither
`..` nor `%2f` nor control characters, and different addresses have different names.
"""

from __future__ import annotations

import hashlib
from pathlib import Path
from urllib.parse import quote, unquote, urlsplit

LONGEST = 200  # bytes of a name; file systems allow 255, and `.partial.json` is added to it
LONGEST_PLACE = 1000  # bytes of all names together; systems allow 4096, folder included


def place_of(url: str, downloads: Path) -> Path:
    """downloads/{host}/{path}: files of the same name from different places stay apart."""
    parts = urlsplit(url)
    host = parts.netloc.rpartition("@")[2]  # without a password
    query = f"?{parts.query}" if parts.query else ""
    steps = [as_name(step) for step in f"{parts.path}{query}".removeprefix("/").split("/")]
    if sum(map(len, steps)) > LONGEST_PLACE:
        steps = [_hash("/".join(steps)), steps[-1]]
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
    return f"{name[: LONGEST - 60]}-{_hash(name)}{suffix if '%' not in suffix else ''}"


def _is_plain(name: str) -> bool:
    """Whether this is the name of one visible file on any system."""
    return (
        name.isprintable()
        and not {"/", "\\", ":"} & {*name}
        and name.strip(". ") != ""
        and not name.endswith((".", " "))
        and len(name.encode(errors="surrogatepass")) <= LONGEST
    )


def _hash(text: str) -> str:
    return hashlib.blake2b(text.encode(), digest_size=16).hexdigest()
