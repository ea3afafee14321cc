"""Download a file over HTTP, with retries, a deadline for all attempts and a limit of its size.

Timeouts of sockets cover neither name resolution, nor a list of dead addresses, nor a server that sends its header
byte by byte. Therefore calls that may hang run in a daemon thread, which is abandoned after its time.
"""

from __future__ import annotations

import itertools
import socket
import threading
import time
from collections.abc import Callable, Iterator
from concurrent.futures import Future
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import IO, TypeVar
from urllib.parse import urljoin, urlsplit

import requests
from requests import exceptions
from requests.cookies import extract_cookies_to_jar
from requests.utils import requote_uri, select_proxy
from urllib3 import exceptions as net
from urllib3.util import Retry

from linclass_study.data.local_copies import Checksums, DownloadLimits, with_checksum
from linclass_study.errors import Unavailable
from linclass_study.files.writing import atomic_write

AGENT = "linclass (a benchmark of linear classification)"
MOST_REDIRECTS = 10
BLOCK = 1 << 16
WEB_PAGE = (b"<!doctype html", b"<html")
ENCODINGS = ("", "identity", "gzip", "x-gzip", "deflate")
TEMPORARY = {408, 429, *range(500, 600)}  # statuses that are worth a retry

INVALID = exceptions.InvalidURL, exceptions.MissingSchema, exceptions.InvalidSchema
BROKEN = "the connection broke off before the file was complete"
# (exceptions, message, whether the failure is temporary); the first row that matches counts
FAILURES: list[tuple[tuple[type[Exception], ...], str, bool]] = [
    ((*INVALID, net.LocationParseError, UnicodeError), "invalid URL", False),
    ((exceptions.SSLError, net.SSLError), "TLS handshake failed", False),
    ((exceptions.ProxyError,), "the proxy refused the connection", True),
    ((exceptions.ConnectTimeout,), "connection timed out", True),
    ((net.DecodeError,), "the content encoding is not the one that the server states", False),
    ((exceptions.Timeout, net.TimeoutError), "no data received for {seconds:g} seconds", True),
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
                        _in_time(lambda: _transfer(url, file, limits), left)
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
    seconds = max(pause, failure.retry_after)
    if time.monotonic() + seconds > end:
        raise Unavailable(
            f"{failure}; a retry in {seconds:g} seconds would exceed "
            f"limits.download_seconds = {limits.seconds:g}"
        )
    print(f"{failure}; next attempt in {seconds:.1f} seconds")
    time.sleep(seconds)


def _in_time(call: Callable[[], T], seconds: float) -> T:
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
    with _plain_errors(limits), _response(url, limits) as answer:
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


@contextmanager
def _response(url: str, limits: DownloadLimits) -> Iterator[requests.Response]:
    """The response after redirects, whose bodies are not read (Session.get would)."""
    # identity: the file must arrive as published, without transfer compression
    headers = {"Accept-Encoding": "identity", "User-Agent": AGENT}
    with requests.Session() as session:
        for _ in range(1 + MOST_REDIRECTS):
            request = session.prepare_request(requests.Request("GET", url, headers=headers))
            address = request.url or url
            options = session.merge_environment_settings(address, {}, True, None, None)
            options["timeout"] = (limits.connect_timeout, limits.read_timeout)
            adapter, proxy = session.get_adapter(address), select_proxy(address, options["proxies"])
            _check_connection(proxy or address, limits.connect_timeout)
            answer = adapter.send(request, **options)
            extract_cookies_to_jar(session.cookies, request, answer.raw)
            with answer:
                target = session.get_redirect_target(answer)
                if not target:
                    yield answer
                    return
            url = requote_uri(urljoin(url, target))
    raise Unavailable("the server redirects in a loop")


def _check_connection(url: str, seconds: float) -> None:
    """Refuse a server that accepts no connection in time, name resolution included."""
    parts = urlsplit(url if "://" in url else f"http://{url}")
    host, port = parts.hostname or "", parts.port or {"https": 443}.get(parts.scheme, 80)
    try:
        _in_time(lambda: socket.create_connection((host, port), seconds).close(), seconds)
    except TimeoutError:
        reason = f"no connection to {host} within {seconds:g} seconds"
    except socket.gaierror:
        reason = f"the name {host} cannot be resolved"
    except OSError as error:
        reason = f"no connection to {host} ({error.strerror or error})"
    else:
        return
    raise TemporaryFailure(reason, unreachable=True)


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
        for kinds, message, is_temporary in FAILURES:
            if isinstance(error, kinds):
                kind = TemporaryFailure if is_temporary else Unavailable
                raise kind(message.format(seconds=limits.read_timeout)) from None
        raise TemporaryFailure(f"{type(error).__name__}: {str(error)[:120]}") from None
