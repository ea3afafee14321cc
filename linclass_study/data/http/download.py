"""Download one file over HTTP, with resumption, retries and a time limit.

Statuses 408, 429 and 5xx, timeouts and broken connections are retried after growing pauses or when the server says
(Retry-After), within the time limit of the file (limits.download_seconds). While another source is left there are no
retries, except for a file that has grown.                                          RFC 9110, §10.2.3, §15
"""

from __future__ import annotations

import random
import time
from contextlib import suppress
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from pathlib import Path
from typing import TYPE_CHECKING

from linclass_study.data.checksum import Checksums, with_checksum
from linclass_study.data.download_limits import DownloadLimits
from linclass_study.data.http import partial_file
from linclass_study.data.http.connection import TemporaryFailure, in_time, response
from linclass_study.data.http.partial_file import PartialFile
from linclass_study.data.unavailable import Unavailable

if TYPE_CHECKING:
    from requests import Response

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
        with partial_file.locked_partial_file(path, limits.seconds) as partial:
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
