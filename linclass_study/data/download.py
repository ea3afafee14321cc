"""Download a file over HTTP, with retries, a deadline for all attempts and a limit of its size.

Timeouts of sockets cover neither name resolution nor a server that sends its header byte by byte. Therefore an attempt
runs in a daemon thread, which is abandoned after its time.
"""

from __future__ import annotations

import itertools
import threading
import time
from collections.abc import Callable, Iterator
from concurrent.futures import Future
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import IO, TypeVar

import requests
from requests import exceptions
from urllib3 import exceptions as net
from urllib3.util import Retry

from linclass_study.data.local_copies import Checksums, DownloadLimits, with_checksum
from linclass_study.errors import Unavailable
from linclass_study.files.writing import atomic_write

# identity: the file must arrive as published, without transfer compression
HEADERS = {
    "Accept-Encoding": "identity",
    "User-Agent": "linclass (a benchmark of linear classification)",
}
BLOCK = 1 << 16
WEB_PAGE = (b"<!doctype html", b"<html")
ENCODINGS = ("", "identity", "gzip", "x-gzip", "deflate")
TEMPORARY = {408, 429, *range(500, 600)}  # statuses that are worth a retry

INVALID = exceptions.InvalidURL, exceptions.MissingSchema, exceptions.InvalidSchema
UNREACHABLE = net.NewConnectionError, net.ConnectTimeoutError, net.ProxyError  # no server answers
BROKEN = "the connection broke off before the file was complete"
# (exceptions, message, whether the failure is temporary); the first row that matches counts
FAILURES: list[tuple[tuple[type[Exception], ...], str, bool]] = [
    ((*INVALID, net.LocationParseError, UnicodeError), "invalid URL", False),
    ((exceptions.TooManyRedirects,), "the server redirects in a loop", False),
    ((exceptions.SSLError, net.SSLError), "TLS handshake failed", False),
    ((exceptions.ProxyError,), "the proxy refused the connection", True),
    ((net.NameResolutionError,), "the name of the server cannot be resolved", True),
    ((net.NewConnectionError,), "the server cannot be reached", True),
    ((net.ConnectTimeoutError,), "no connection within {limits.connect_timeout:g} seconds", True),
    ((net.DecodeError,), "the content encoding is not the one that the server states", False),
    (
        (exceptions.Timeout, net.TimeoutError),
        "no data received for {limits.read_timeout:g} seconds",
        True,
    ),
    ((exceptions.ConnectionError, net.ProtocolError), BROKEN, True),
]

T = TypeVar("T")


class TemporaryFailure(Unavailable):
    """A retry may help. `retry_after` is the delay in seconds that the server demands."""

    def __init__(self, reason: object, retry_after: float = 0.0, unreachable: bool = False):
        super().__init__(reason)
        self.retry_after, self.unreachable = retry_after, unreachable


def download(
    url: str,
    path: Path,
    sha256: Checksums = None,
    retry: bool = False,
    limits: DownloadLimits = DownloadLimits(),  # noqa: B008 – it is frozen
) -> Path:
    """Download `url` to `path`; temporary failures are retried if `retry`."""
    end = time.monotonic() + limits.seconds
    pauses = limits.pauses if retry else ()
    try:
        with atomic_write(path) as partial:
            with partial.open("wb") as file:  # a thread that is abandoned finds it closed
                for attempt in itertools.count():
                    left = end - time.monotonic()
                    try:
                        _with_deadline(lambda: _transfer(url, file, limits), left)
                        break
                    except TimeoutError:
                        size = file.tell()
                        arrived = f"{size / 1e6:,.1f} MB" if size >= 1e6 else f"{size:,} bytes"
                        raise Unavailable(
                            f"not complete after {limits.seconds:g} seconds (limits.download_seconds): "
                            f"{arrived} arrived"
                        ) from None
                    except TemporaryFailure as failure:
                        most = limits.unreachable if failure.unreachable else len(pauses)
                        if attempt >= min(most, len(pauses)):
                            raise
                        _wait(failure, pauses[attempt], end, limits)
            with_checksum(partial, sha256)
    except OSError as error:
        why = error.strerror or error
        raise Unavailable(f"cannot be stored in {path.parent} ({why})") from None
    return path


def _wait(failure: TemporaryFailure, pause: float, end: float, limits: DownloadLimits) -> None:
    delay = max(pause, failure.retry_after)
    if time.monotonic() + delay > end:
        raise Unavailable(
            f"{failure}; a retry in {delay:g} seconds would exceed "
            f"limits.download_seconds = {limits.seconds:g}"
        )
    print(f"{failure}; next attempt in {delay:.1f} seconds")
    time.sleep(delay)


def _with_deadline(call: Callable[[], T], seconds: float) -> T:
    """Return the value of a call; raise TimeoutError and abandon it if it takes longer."""
    outcome: Future[T] = Future()

    def run() -> None:
        try:
            outcome.set_result(call())
        except BaseException as error:  # exceptions of a thread are lost otherwise
            outcome.set_exception(error)

    threading.Thread(target=run, daemon=True).start()
    return outcome.result(timeout=max(seconds, 0))


def _transfer(url: str, file: IO[bytes], limits: DownloadLimits) -> None:
    """One attempt: send the request, check the response, write its body."""
    file.seek(0)
    file.truncate()
    timeout = (limits.connect_timeout, limits.read_timeout)
    with (
        _plain_errors(limits),
        requests.Session() as session,
        session.get(url, headers=HEADERS, stream=True, timeout=timeout) as answer,
    ):
        _check_response(answer)
        size, most = 0, limits.megabytes * 1e6
        blocks = answer.raw.stream(BLOCK, decode_content=True)
        while size <= most and (answer.raw.length_remaining or 0) <= most:
            block = next(blocks, b"")
            if not size and block.lstrip()[:20].lower().startswith(WEB_PAGE):
                raise Unavailable("the server returned a web page instead of data")
            if not block:
                return
            size += file.write(block)
    what = f"it has more than {limits.megabytes:g} MB"
    raise Unavailable(f"{what}; raise limits.download_mb if this size is intended")


def _check_response(answer: requests.Response) -> None:
    """Raise for any response but the whole file."""
    if answer.status_code != 200:
        message = f"the server answers {answer.status_code} {answer.reason or ''}".strip()
        if answer.status_code not in TEMPORARY:
            raise Unavailable(message)
        wait = 0.0
        with suppress(net.HTTPError, ValueError, OverflowError):
            wait = Retry().parse_retry_after(answer.headers.get("Retry-After", ""))
        raise TemporaryFailure(message, wait)
    encoding = answer.headers.get("Content-Encoding", "").strip().lower()
    if encoding not in ENCODINGS:
        what = f"the server sends the file as '{encoding[:20]}'"
        raise Unavailable(f"{what}, which was not requested")


@contextmanager
def _plain_errors(limits: DownloadLimits) -> Iterator[None]:
    """Translate exceptions of the HTTP libraries into messages that a user understands."""
    try:
        yield
    except (exceptions.RequestException, net.HTTPError, UnicodeError) as error:
        cause = getattr(error.args[0] if error.args else None, "reason", error)  # of urllib3
        for kinds, message, is_temporary in FAILURES:
            if isinstance(error, kinds) or isinstance(cause, kinds):
                text = message.format(limits=limits)
                if not is_temporary:
                    raise Unavailable(text) from None
                unreachable = isinstance(cause, UNREACHABLE)
                raise TemporaryFailure(text, unreachable=unreachable) from None
        raise TemporaryFailure(f"{type(error).__name__}: {str(error)[:120]}") from None
