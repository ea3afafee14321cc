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

RANGE = re.compile(r"bytes (\d{1,18})-\d{1,18}/(\d{1,18}|\*)")
LENGTH = re.compile(r"\d{1,18}")  # int() refuses numbers of more than 4,300 digits
POLL_SECONDS = 0.1  # seconds between checks whether another process has finished its download


class PartialFile:
    """The beginning of the file at `path`; one process at a time extends it."""

    def __init__(self, path: Path, partial_path: Path, file: IO[bytes]):
        self.path, self.partial_path, self.file = path, partial_path, file
        self.validator_path = partial_path.with_name(f"{partial_path.name}.json")
        self.validator = self._stored_validator()
        self.total_size: int | None = None  # total bytes, if the server says so
        self.is_done = False

    @property
    def size(self) -> int:
        return os.fstat(self.file.fileno()).st_size

    @property
    def resumable_size(self) -> int:
        """Number of bytes that need not be downloaded again."""
        return self.size if self.validator else 0

    def range_headers(self) -> dict[str, str]:
        """Headers that request the rest."""
        if not self.resumable_size or self.validator is None:
            return {}
        return {"Range": f"bytes={self.resumable_size}-", "If-Range": self.validator}

    def continues(self, headers: Mapping[str, str]) -> bool:
        """Whether a response 206 begins where the file ends; stores the total size."""
        found = RANGE.fullmatch(headers.get("Content-Range", "").strip())
        if found is None or int(found[1]) != self.resumable_size:
            return False
        self.total_size = None if found[2] == "*" else int(found[2])
        return validator(headers) in (None, self.validator)

    def begin(self, headers: Mapping[str, str]) -> None:
        """Start again with the version of these headers."""
        self.discard()
        length = headers.get("Content-Length", "")
        encoded = headers.get("Content-Encoding", "identity") != "identity"
        self.total_size = int(length) if LENGTH.fullmatch(length) and not encoded else None
        self.validator = None if encoded else validator(headers)  # ranges count encoded bytes
        if self.validator:
            self.validator_path.write_text(json.dumps({"validator": self.validator}))

    def discard(self) -> None:
        # first the bytes, so that none of them gets the validator of another version
        self.file.truncate(0)
        self.validator_path.unlink(missing_ok=True)
        self.validator = self.total_size = None

    def write(self, block: bytes) -> None:
        self.file.write(block)
        self.file.flush()  # so that `size` is correct

    def finish(self) -> None:
        """Move the complete file to its final path."""
        os.replace(self.partial_path, self.path)
        self.validator_path.unlink(missing_ok=True)
        self.is_done = True

    def clean_up(self) -> None:
        """Delete what cannot be resumed."""
        if not self.is_done and not self.resumable_size:
            self.partial_path.unlink(missing_ok=True)
            self.validator_path.unlink(missing_ok=True)

    def _stored_validator(self) -> str | None:
        try:
            return str(json.loads(self.validator_path.read_text())["validator"])
        except (OSError, ValueError, KeyError, TypeError):
            return None


@contextmanager
def locked_partial_file(path: Path, seconds: float) -> Iterator[PartialFile | None]:
    """The partial file of `path`, locked against other processes; None if another process has just completed it.

    Raises TimeoutError if another process holds the lock for more than `seconds`.
    """
    end = time.monotonic() + seconds
    before = _identity(path)
    path.parent.mkdir(parents=True, exist_ok=True)
    while (partial := _try_lock(path)) is None:
        if time.monotonic() > end:
            raise TimeoutError
        time.sleep(POLL_SECONDS)
    with partial.file:
        try:
            yield partial if _identity(path) == before else None
        finally:
            partial.clean_up()


def _try_lock(path: Path) -> PartialFile | None:
    """None while another process has the lock."""
    partial_path = path.with_name(f"{path.name}.partial")
    file = open(partial_path, "ab")  # noqa: SIM115 – it is closed where the lock ends
    try:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        if os.path.samestat(os.fstat(file.fileno()), os.stat(partial_path)):
            return PartialFile(path, partial_path, file)
    except (BlockingIOError, FileNotFoundError):  # FileNotFoundError: just completed by another
        pass
    except OSError:  # a file system without locks: use a private file, which is never resumed
        private_path = path.with_name(f"{path.name}.{os.getpid()}.partial")
        file.close()
        return PartialFile(path, private_path, open(private_path, "wb"))
    file.close()
    return None


def _identity(path: Path) -> tuple[int, int] | None:
    try:
        status = path.stat()
        return status.st_ino, status.st_mtime_ns
    except OSError:
        return None


def validator(headers: Mapping[str, str]) -> str | None:
    """The validator for If-Range: a strong ETag, else a Last-Modified older than the response."""
    etag = headers.get("ETag", "").strip()
    if etag.startswith('"'):
        return etag
    modified, date = (headers.get(name, "") for name in ("Last-Modified", "Date"))
    with suppress(ValueError, TypeError, OverflowError):
        if (parsedate_to_datetime(date) - parsedate_to_datetime(modified)).total_seconds() >= 1:
            return modified
    return None
