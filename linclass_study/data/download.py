"""Downloads: retried, resumed, with a checksum and an overall deadline."""

from __future__ import annotations

import fcntl
import json
import os
import random
import re
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from pathlib import Path
from typing import IO, TYPE_CHECKING

from linclass_study.data.checksum import Checksums, with_checksum
from linclass_study.data.connection import TemporaryFailure, in_time, response
from linclass_study.data.search_folders import DownloadLimits
from linclass_study.data.unavailable import Unavailable

if TYPE_CHECKING:
    from requests import Response


# Partially downloaded files, kept so that a download can be resumed.
#
#     a.csv.partial         the first bytes
#     a.csv.partial.json    the server's validator, which identifies their version
#
# Only a file with a validator (a strong ETag, else Last-Modified) can be resumed, because the server then says whether
# the rest belongs to the same version (If-Range); without one the download starts again.    RFC 9110, §13.1.5, §14

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


# Download one file over HTTP, with resumption, retries and a time limit.
#
# Statuses 408, 429 and 5xx, timeouts and broken connections are retried after growing pauses or when the server says
# (Retry-After), within the time limit of the file (limits.download_seconds). While another source is left there are no
# retries, except for a file that has grown.                                          RFC 9110, §10.2.3, §15

BLOCK = 1 << 16
WEB_PAGE = (b"<!doctype html", b"<html")
HEAD = 64  # bytes that identify a web page
ENCODINGS = ("", "identity", "gzip", "x-gzip", "deflate")
WHOLE, PART, NO_SUCH_PART = 200, 206, 416
TEMPORARY = {408, 429, *range(500, 600)}  # statuses that are worth a retry


def download(
    url: str,
    path: Path,
    sha256: Checksums = None,
    retry: bool = False,
    limits: DownloadLimits = DownloadLimits(),  # noqa: B008 – it is frozen
) -> Path:
    """Download `url` to `path`; a partial file is kept if the server can resume it."""
    end = time.monotonic() + limits.seconds
    try:
        with locked_partial_file(path, limits.seconds) as partial:
            if partial is None:
                return with_checksum(path, sha256)
            _download_with_retries(url, partial, sha256, retry, limits, end)
    except TimeoutError:
        raise Unavailable(
            f"another process has been downloading it for more than {limits.seconds:g} seconds "
            "(limits.download_seconds)"
        ) from None
    except OSError as error:
        raise Unavailable(
            f"cannot be stored in {path.parent} ({error.strerror or error})"
        ) from None
    return path


def _download_with_retries(
    url: str,
    partial: PartialFile,
    sha256: Checksums,
    retry: bool,
    limits: DownloadLimits,
    end: float,
) -> None:
    """Retry until the file is complete or its time is over."""
    pauses = limits.pauses if retry else ()
    tries, largest = 0, partial.resumable_size
    while True:
        try:
            left = end - time.monotonic()
            was_resumed = in_time(lambda: _transfer(url, partial, limits), left)
        except TimeoutError:
            raise Unavailable(_timed_out(partial, limits)) from None
        except TemporaryFailure as failure:
            if partial.resumable_size > largest:  # the file has grown, so the retries start again
                tries, largest, pauses = 0, partial.resumable_size, pauses or limits.pauses[:1]
            allowed = limits.unreachable if failure.unreachable else len(pauses)
            if tries >= min(allowed, len(pauses)):
                raise
            _pause(pauses[tries], failure, end - time.monotonic(), limits)
            tries += 1
        else:
            try:
                with_checksum(partial.partial_path, sha256)
            except Unavailable:
                partial.discard()
                if was_resumed:  # the resumed beginning may be wrong
                    continue
                raise
            return partial.finish()


def _pause(seconds: float, failure: TemporaryFailure, left: float, limits: DownloadLimits) -> None:
    """Wait as long as the server says, or a random time around `seconds`, so that clients do not return together."""
    seconds = max(seconds * random.uniform(0.75, 1.25), failure.retry_after)
    if seconds > left:
        why = (
            f" and asks to wait {failure.retry_after:g} seconds,"
            if failure.retry_after == seconds
            else ","
        )
        raise Unavailable(
            f"{failure}{why} more than is left of limits.download_seconds = {limits.seconds:g}"
        )
    print(f"{failure}; again in {seconds:.1f} seconds")
    time.sleep(seconds)


def _transfer(url: str, partial: PartialFile, limits: DownloadLimits) -> bool:
    """Send one request and receive its body; return whether it resumed the file."""
    headers = partial.range_headers()
    with response(url, headers, limits) as answer:
        is_resumed = (
            bool(headers) and answer.status_code == PART and partial.continues(answer.headers)
        )
        if headers and not is_resumed and answer.status_code in (PART, NO_SUCH_PART):
            partial.discard()
        elif is_resumed:
            print(f"{url}: resumed at {partial.resumable_size / 1e6:.1f} MB")
            _receive(answer, partial, limits)
            return True
        else:
            _check_response(answer)
            partial.begin(answer.headers)
            _receive(answer, partial, limits)
            return False
    return _transfer(url, partial, limits)  # from the beginning, without a range


def _check_response(answer: Response) -> None:
    """Raise for any response but the whole file."""
    if answer.status_code != WHOLE:
        message = f"the server answers {answer.status_code} {answer.reason or ''}".strip()
        if answer.status_code in TEMPORARY:
            raise TemporaryFailure(message, _retry_after(answer.headers.get("Retry-After", "")))
        raise Unavailable(message)
    encoding = answer.headers.get("Content-Encoding", "").strip().lower()
    if encoding not in ENCODINGS:
        raise Unavailable(
            f"the server sends the file as '{encoding[:20]}', which was not requested"
        )


def _retry_after(header: str) -> float:
    """Seconds of a Retry-After header, which is a number or a date."""
    if header.strip().isdecimal():
        return float(header[:12])
    with suppress(ValueError, TypeError, OverflowError):
        return max((parsedate_to_datetime(header) - datetime.now(UTC)).total_seconds(), 0.0)
    return 0.0


def _receive(answer: Response, partial: PartialFile, limits: DownloadLimits) -> None:
    """Write the body as it arrives, so that an interrupted download keeps its bytes."""
    size, head = partial.size, b""
    if (partial.total_size or 0) > limits.megabytes * 1e6:
        partial.discard()
        raise Unavailable(_too_large(limits))
    while block := answer.raw.read1(BLOCK, decode_content=True):
        if len(head) < HEAD and size == len(head):
            head += block[:HEAD]
            if head.lstrip()[:20].lower().startswith(WEB_PAGE):
                partial.discard()
                raise Unavailable("the server returned a web page instead of data")
        size += len(block)
        if size > limits.megabytes * 1e6:
            partial.discard()
            raise Unavailable(_too_large(limits))
        partial.write(block)
    if partial.total_size not in (None, size):
        raise TemporaryFailure("the connection broke off before the file was complete")


def _too_large(limits: DownloadLimits) -> str:
    return (
        f"it has more than {limits.megabytes:g} MB; "
        "raise limits.download_mb if this size is intended"
    )


def _timed_out(partial: PartialFile, limits: DownloadLimits) -> str:
    received = _readable(partial.size) + (
        f" of {_readable(partial.total_size)}" if partial.total_size else ""
    )
    kept = ", which are kept for the next try" if partial.resumable_size else ""
    return (
        f"not complete after {limits.seconds:g} seconds (limits.download_seconds): "
        f"{received} came{kept}"
    )


def _readable(size: int) -> str:
    return f"{size / 1e6:,.1f} MB" if size >= 1e6 else f"{size:,} bytes"
