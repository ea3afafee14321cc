"""The response to one HTTP request, or an exception whose message a user understands.

A socket's timeout covers neither name resolution, nor a list of dead addresses, nor a server that sends its header
byte by byte. So calls that may hang run in a daemon thread, which is abandoned after its time limit.
"""

from __future__ import annotations

import socket
import threading
from collections.abc import Callable, Iterator
from concurrent.futures import Future
from contextlib import contextmanager
from email.message import Message
from typing import IO, Any, TypeVar
from urllib import request
from urllib.error import HTTPError
from urllib.parse import urljoin, urlsplit
from urllib.response import addinfourl

import requests
import urllib3
from requests import exceptions
from requests.adapters import HTTPAdapter
from requests.cookies import extract_cookies_to_jar
from requests.utils import requote_uri, select_proxy

from linclass_study.data.search_folders import DownloadLimits
from linclass_study.data.unavailable import Unavailable

AGENT = "linclass (a benchmark of linear classification)"
MOST_REDIRECTS = 10
PORTS = {"http": 80, "https": 443}

# (exceptions, message, whether the failure is temporary). The first that matches counts.
NET = urllib3.exceptions
FAILURES: list[tuple[tuple[type[Exception], ...], str, bool]] = [
    (
        (exceptions.InvalidURL, exceptions.MissingSchema, exceptions.InvalidSchema),
        "invalid URL",
        False,
    ),
    ((NET.LocationParseError, UnicodeError), "invalid URL", False),
    ((exceptions.SSLError, NET.SSLError), "TLS handshake failed", False),
    ((exceptions.ProxyError,), "the proxy refused the connection", True),
    ((exceptions.ConnectTimeout,), "connection timed out", True),
    ((NET.DecodeError,), "the content encoding is not the one that the server states", False),
    (
        (exceptions.Timeout, NET.TimeoutError),
        "no data received for {read_timeout:g} seconds",
        True,
    ),
    (
        (exceptions.ConnectionError, NET.ProtocolError),
        "the connection broke off before the file was complete",
        True,
    ),
]

T = TypeVar("T")


class TemporaryFailure(Unavailable):
    """A temporary failure: a retry may help. `retry_after` is the delay in seconds that the server demands."""

    def __init__(self, reason: object, retry_after: float = 0.0, unreachable: bool = False):
        super().__init__(reason)
        self.retry_after, self.unreachable = retry_after, unreachable


@contextmanager
def response(
    url: str, headers: dict[str, str], limits: DownloadLimits
) -> Iterator[requests.Response]:
    """The response after redirects, with its header read; the body is read from `.raw`."""
    with plain_errors(limits), requests.Session() as session:
        for scheme in ("http://", "https://"):
            session.mount(scheme, _PromptAdapter(limits.connect_timeout))
        for _ in range(1 + MOST_REDIRECTS):
            answer = _send(session, url, headers, limits)
            with answer:
                target = session.get_redirect_target(answer)
                if not target:
                    yield answer
                    return
            url = requote_uri(urljoin(url, target))
    raise Unavailable("the server redirects in a loop")


def _send(
    session: requests.Session, url: str, headers: dict[str, str], limits: DownloadLimits
) -> requests.Response:
    """The response to one request, without following redirects (Session.get would read their whole bodies)."""
    # identity: the file must arrive as published, without transfer compression
    headers = {"Accept-Encoding": "identity", "User-Agent": AGENT, **headers}
    request = session.prepare_request(requests.Request("GET", url, headers=headers))
    address = request.url or url
    options = session.merge_environment_settings(address, {}, True, None, None)
    options["timeout"] = (limits.connect_timeout, limits.read_timeout)
    answer = session.get_adapter(address).send(request, **options)
    extract_cookies_to_jar(session.cookies, request, answer.raw)
    return answer


class _PromptAdapter(HTTPAdapter):
    """Each hop, redirects included, must accept a connection in time before a request is sent."""

    def __init__(self, seconds: float):
        super().__init__()
        self.seconds = seconds

    def send(self, request: Any, **options: Any) -> Any:  # type: ignore[override]
        _check_connection(
            select_proxy(request.url, options.get("proxies")) or request.url, self.seconds
        )
        return super().send(request, **options)


def _check_connection(url: str, seconds: float) -> None:
    parts = urlsplit(url if "://" in url else f"http://{url}")
    host = parts.hostname or ""
    address = (host, parts.port or PORTS.get(parts.scheme, 80))
    try:
        in_time(lambda: socket.create_connection(address, timeout=seconds).close(), seconds)
    except TimeoutError:
        reason = f"no connection to {host} within {seconds:g} seconds"
    except socket.gaierror:
        reason = f"the name {host} cannot be resolved"
    except OSError as error:
        reason = f"no connection to {host} ({error.strerror or error})"
    else:
        return
    raise TemporaryFailure(reason, unreachable=True)


def in_time(call: Callable[[], T], seconds: float) -> T:
    """Return the value of a call; raise TimeoutError and abandon it if it takes longer."""
    outcome: Future[T] = Future()

    def run() -> None:
        try:
            outcome.set_result(call())
        except BaseException as error:  # exceptions of a thread are lost otherwise
            outcome.set_exception(error)

    threading.Thread(target=run, daemon=True).start()
    return outcome.result(timeout=max(seconds, 0))


@contextmanager
def plain_errors(limits: DownloadLimits) -> Iterator[None]:
    """Translate exceptions of the HTTP libraries into messages that a user understands."""
    try:
        yield
    except (exceptions.RequestException, NET.HTTPError, UnicodeError) as error:
        for kinds, message, is_temporary in FAILURES:
            if isinstance(error, kinds):
                kind = TemporaryFailure if is_temporary else Unavailable
                raise kind(message.format(read_timeout=limits.read_timeout)) from None
        raise TemporaryFailure(f"{type(error).__name__}: {str(error)[:120]}") from None


# Answer the requests of a library that uses urllib with our own downloads.

NOT_RETRIED = 412  # the one status after which scikit-learn does not try again

Opener = Callable[[str], IO[bytes]]  # the content of an address, or Unavailable


class DownloadHandler(request.BaseHandler):
    """`reason` is why the last request failed, or None."""

    handler_order = 100  # before those of urllib

    def __init__(self, open_url: Opener) -> None:
        self.open_url = open_url
        self.reason: Unavailable | None = None

    def https_open(self, wanted: request.Request) -> Any:
        url = wanted.full_url
        try:
            file = self.open_url(url)
        except Unavailable as reason:
            self.reason = reason
            raise HTTPError(url, NOT_RETRIED, str(reason), Message(), None) from None
        response: Any = addinfourl(file, Message(), url, 200)
        response.msg = "OK"
        return response

    http_open = https_open


@contextmanager
def replaced_urlopen(open_url: Opener) -> Iterator[DownloadHandler]:
    """Context in which urlopen(url) returns open_url(url)."""
    handler = DownloadHandler(open_url)
    request.install_opener(request.build_opener(handler))
    try:
        yield handler
    finally:
        request.install_opener(None)  # the next use builds urllib's own
