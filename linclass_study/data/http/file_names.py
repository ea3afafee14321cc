"""Names of files made from what others write: an address cannot name a file outside its folder.

    https://example.org/deep/a.csv?x=1   →   downloads/example.org/deep/a.csv%3Fx%3D1

Each step of the path becomes one name of letters, digits, _ . - ~ and % (RFC 3986, §2.1), so neither
`..`, nor `%2f`, nor a control character is left in it, and two addresses do not become one name.
"""

from __future__ import annotations

import hashlib
from pathlib import Path
from urllib.parse import quote, unquote, urlsplit

LONGEST = 200  # bytes of a name; file systems end at 255, and `.partial.json` is added to it
LONGEST_PLACE = 1000  # bytes of all names together; systems end at 4096 with the folder before it


def place_of(url: str, downloads: Path) -> Path:
    """downloads/{host}/{path}: two files of one name, from two places, stay two files."""
    parts = urlsplit(url)
    host = parts.netloc.rpartition("@")[2]  # without a password
    query = f"?{parts.query}" if parts.query else ""
    steps = [as_name(step) for step in f"{parts.path}{query}".removeprefix("/").split("/")]
    if sum(map(len, steps)) > LONGEST_PLACE:
        steps = [_hash("/".join(steps)), steps[-1]]
    return downloads.joinpath(as_name(host), *steps)


def file_name(url: str) -> str:
    """The name under which a copy of the file may lie in a folder: `a%20b.csv` is 'a b.csv'."""
    step = urlsplit(url).path.rpartition("/")[2]
    name = unquote(step)
    return name if _is_plain(name) else as_name(step)


def as_name(text: str) -> str:
    """A text as one name of a file: other texts have other names."""
    name = quote(text, safe="~", errors="backslashreplace") or "%"
    if name.endswith("."):  # `..`, and what some systems drop
        name = f"{name[:-1]}%2E"
    if len(name) <= LONGEST:
        return name
    suffix = Path(name).suffix[:20]
    return f"{name[: LONGEST - 60]}-{_hash(name)}{suffix if '%' not in suffix else ''}"


def _is_plain(name: str) -> bool:
    """Is it one name, of a file that one may see, on any system?"""
    return (
        name.isprintable()
        and not {"/", "\\", ":"} & {*name}
        and name.strip(". ") != ""
        and not name.endswith((".", " "))
        and len(name.encode(errors="surrogatepass")) <= LONGEST
    )


def _hash(text: str) -> str:
    return hashlib.blake2b(text.encode(), digest_size=16).hexdigest()
