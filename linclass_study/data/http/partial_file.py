"""Partially downloaded files, kept so that a download can be resumed.

    a.csv.partial         the first bytes
    a.csv.partial.json    the server's validator, which identifies their version

Only a file with a validator (a strong ETag, else Last-Modified) can be resumed, because the server then says whether
the rest belongs to the same version (If-Range); without one the download starts again.    RFC 9110, §13.1.5, §14
"""

from __future__ import annotations

import fcntl
import json
import os
import re
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from email.utils import parsedate_to_datetime
from pathlib import Path
from typing import IO

RANGE = re.compile(r"bytes (\d+)-\d+/(\d+|\*)")
LOOK_EVERY = 0.1  # seconds between checks whether another process has finished its download


class Partial:
    """The beginning of the file at `path`; one process at a time extends it."""

    def __init__(self, path: Path, aside: Path, file: IO[bytes]):
        self.path, self.aside, self.file = path, aside, file
        self.note = aside.with_name(f"{aside.name}.json")
        self.validator = self._noted()
        self.whole: int | None = None  # total bytes, if the server says so
        self.is_done = False

    @property
    def size(self) -> int:
        return os.fstat(self.file.fileno()).st_size

    @property
    def kept(self) -> int:
        """Number of bytes that need not be downloaded again."""
        return self.size if self.validator else 0

    def request(self) -> dict[str, str]:
        """Headers that request the rest."""
        if not self.kept or self.validator is None:
            return {}
        return {"Range": f"bytes={self.kept}-", "If-Range": self.validator}

    def goes_on(self, headers: Mapping[str, str]) -> bool:
        """Whether a response 206 begins where the file ends; stores the total size."""
        found = RANGE.fullmatch(headers.get("Content-Range", "").strip())
        if found is None or int(found[1]) != self.kept:
            return False
        self.whole = None if found[2] == "*" else int(found[2])
        return validator(headers) in (None, self.validator)

    def begin(self, headers: Mapping[str, str]) -> None:
        """Start again with the version of these headers."""
        self.discard()
        length = headers.get("Content-Length", "")
        encoded = headers.get("Content-Encoding", "identity") != "identity"
        self.whole = int(length) if length.isdecimal() and not encoded else None
        self.validator = None if encoded else validator(headers)  # ranges count encoded bytes
        if self.validator:
            self.note.write_text(json.dumps({"validator": self.validator}))

    def discard(self) -> None:
        self.file.truncate(
            0
        )  # before the note, so that no bytes get the validator of another version
        self.note.unlink(missing_ok=True)
        self.validator = self.whole = None

    def write(self, block: bytes) -> None:
        self.file.write(block)
        self.file.flush()  # so that `size` is correct

    def finish(self) -> None:
        """Move the complete file to its final path."""
        os.replace(self.aside, self.path)
        self.note.unlink(missing_ok=True)
        self.is_done = True

    def leave(self) -> None:
        """Delete what cannot be resumed."""
        if not self.is_done and not self.kept:
            self.aside.unlink(missing_ok=True)
            self.note.unlink(missing_ok=True)

    def _noted(self) -> str | None:
        try:
            return str(json.loads(self.note.read_text())["validator"])
        except (OSError, ValueError, KeyError, TypeError):
            return None


@contextmanager
def alone(path: Path, seconds: float) -> Iterator[Partial | None]:
    """The partial file of `path`, locked against other processes; None if another process has just completed it.

    Raises TimeoutError if another process holds the lock for more than `seconds`.
    """
    end = time.monotonic() + seconds
    before = _identity(path)
    path.parent.mkdir(parents=True, exist_ok=True)
    while (partial := _locked(path)) is None:
        if time.monotonic() > end:
            raise TimeoutError
        time.sleep(LOOK_EVERY)
    with partial.file:
        try:
            yield partial if _identity(path) == before else None
        finally:
            partial.leave()


def _locked(path: Path) -> Partial | None:
    """None while another process has the lock."""
    aside = path.with_name(f"{path.name}.partial")
    file = open(aside, "ab")  # noqa: SIM115 – it is closed where the lock ends
    try:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        if os.path.samestat(os.fstat(file.fileno()), os.stat(aside)):
            return Partial(path, aside, file)
    except (BlockingIOError, FileNotFoundError):  # FileNotFoundError: just completed by another
        pass
    except OSError:  # a file system without locks: use a private file, which is never resumed
        own = path.with_name(f"{path.name}.{os.getpid()}.partial")
        file.close()
        return Partial(path, own, open(own, "wb"))
    file.close()
    return None


def _identity(path: Path) -> tuple[int, int] | None:
    try:
        about = path.stat()
        return about.st_ino, about.st_mtime_ns
    except OSError:
        return None


def validator(headers: Mapping[str, str]) -> str | None:
    """The validator for If-Range: a strong ETag, else a Last-Modified older than the response."""
    etag = headers.get("ETag", "").strip()
    if etag.startswith('"'):
        return etag
    changed, now = (headers.get(name, "") for name in ("Last-Modified", "Date"))
    with suppress(ValueError, TypeError):
        if (parsedate_to_datetime(now) - parsedate_to_datetime(changed)).total_seconds() >= 1:
            return changed
    return None
