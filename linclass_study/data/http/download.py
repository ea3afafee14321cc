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
from typing import Any

from linclass_study.data.checksum import checked
from linclass_study.data.http import partial_file
from linclass_study.data.http.connection import Trouble, in_time, response
from linclass_study.data.http.partial_file import Partial
from linclass_study.data.patience import Patience
from linclass_study.data.unavailable import Unavailable

BLOCK = 1 << 16
WEB_PAGE = (b"<!doctype html", b"<html")
HEAD = 64  # bytes that identify a web page
ENCODINGS = ("", "identity", "gzip", "x-gzip", "deflate")
WHOLE, PART, NO_SUCH_PART = 200, 206, 416
TEMPORARY = {408, 429, *range(500, 600)}  # statuses that are worth a retry


def download(
    url: str,
    path: Path,
    sha256: Any = None,
    patient: bool = False,
    patience: Patience = Patience(),  # noqa: B008 – it is frozen
) -> Path:
    """Download `url` to `path`; a partial file is kept if the server can resume it."""
    end = time.monotonic() + patience.seconds
    try:
        with partial_file.alone(path, patience.seconds) as partial:
            if partial is None:
                return checked(path, sha256)
            _persist(url, partial, sha256, patient, patience, end)
    except TimeoutError:
        raise Unavailable(
            f"another process downloads it for more than {patience.seconds:g} seconds "
            "(limits.download_seconds)"
        ) from None
    except OSError as error:
        raise Unavailable(
            f"cannot be stored in {path.parent} ({error.strerror or error})"
        ) from None
    return path


def _persist(
    url: str, partial: Partial, sha256: Any, patient: bool, patience: Patience, end: float
) -> None:
    """Retry until the file is complete or its time is over."""
    pauses = patience.pauses if patient else ()
    tries, most = 0, partial.kept
    while True:
        try:
            left = end - time.monotonic()
            goes_on = in_time(lambda: _transfer(url, partial, patience), left)
        except TimeoutError:
            raise Unavailable(_late(partial, patience)) from None
        except Trouble as trouble:
            if partial.kept > most:  # the file has grown, so the retries start again
                tries, most, pauses = 0, partial.kept, pauses or patience.pauses[:1]
            allowed = patience.unreachable if trouble.unreachable else len(pauses)
            if tries >= min(allowed, len(pauses)):
                raise
            _pause(pauses[tries], trouble, end - time.monotonic(), patience)
            tries += 1
        else:
            try:
                checked(partial.aside, sha256)
            except Unavailable:
                partial.discard()
                if goes_on:  # the resumed beginning may be wrong
                    continue
                raise
            return partial.finish()


def _pause(seconds: float, trouble: Trouble, left: float, patience: Patience) -> None:
    """Wait as long as the server says, or a random time around `seconds`, so that clients do not return together."""
    seconds = max(seconds * random.uniform(0.75, 1.25), trouble.wait)
    if seconds > left:
        why = f" and says to wait {trouble.wait:g} seconds," if trouble.wait == seconds else ","
        raise Unavailable(
            f"{trouble}{why} more than is left of limits.download_seconds = {patience.seconds:g}"
        )
    print(f"{trouble}; again in {seconds:.1f} seconds")
    time.sleep(seconds)


def _transfer(url: str, partial: Partial, patience: Patience) -> bool:
    """Send one request and receive its body; return whether it resumed the file."""
    asked = partial.request()
    with response(url, asked, patience) as found:
        goes_on = bool(asked) and found.status_code == PART and partial.goes_on(found.headers)
        if asked and not goes_on and found.status_code in (PART, NO_SUCH_PART):
            partial.discard()
        elif goes_on:
            print(f"{url}: resumed at {partial.kept / 1e6:.1f} MB")
            _receive(found, partial, patience)
            return True
        else:
            _refuse(found)
            partial.begin(found.headers)
            _receive(found, partial, patience)
            return False
    return _transfer(url, partial, patience)  # from the beginning, without a range


def _refuse(found: Any) -> None:
    """Raise for any response but the whole file."""
    if found.status_code != WHOLE:
        said = f"the server answers {found.status_code} {found.reason or ''}".strip()
        if found.status_code in TEMPORARY:
            raise Trouble(said, _wait(found.headers.get("Retry-After", "")))
        raise Unavailable(said)
    encoding = found.headers.get("Content-Encoding", "").strip().lower()
    if encoding not in ENCODINGS:
        raise Unavailable(f"the server sends the file as '{encoding[:20]}', which nobody asked for")


def _wait(said: str) -> float:
    """Seconds of a Retry-After header, which is a number or a date."""
    if said.strip().isdecimal():
        return float(said[:12])
    with suppress(ValueError, TypeError, OverflowError):
        return max((parsedate_to_datetime(said) - datetime.now(UTC)).total_seconds(), 0.0)
    return 0.0


def _receive(found: Any, partial: Partial, patience: Patience) -> None:
    """Write the body as it arrives, so that an interrupted download keeps its bytes."""
    size, head = partial.size, b""
    if (partial.whole or 0) > patience.megabytes * 1e6:
        partial.discard()
        raise Unavailable(_too_large(patience))
    while block := found.raw.read1(BLOCK, decode_content=True):
        if len(head) < HEAD and size == len(head):
            head += block[:HEAD]
            if head.lstrip()[:20].lower().startswith(WEB_PAGE):
                partial.discard()
                raise Unavailable("the server answers with a web page, not with data")
        size += len(block)
        if size > patience.megabytes * 1e6:
            partial.discard()
            raise Unavailable(_too_large(patience))
        partial.write(block)
    if partial.whole not in (None, size):
        raise Trouble("the connection broke off before the file was complete")


def _too_large(patience: Patience) -> str:
    return (
        f"it has more than {patience.megabytes:g} MB; "
        "raise limits.download_mb if it is meant to be so large"
    )


def _late(partial: Partial, patience: Patience) -> str:
    here = _shown(partial.size) + (f" of {_shown(partial.whole)}" if partial.whole else "")
    kept = ", which are kept for the next try" if partial.kept else ""
    return (
        f"not complete after {patience.seconds:g} seconds (limits.download_seconds): "
        f"{here} came{kept}"
    )


def _shown(size: int) -> str:
    return f"{size / 1e6:,.1f} MB" if size >= 1e6 else f"{size:,} bytes"
