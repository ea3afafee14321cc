"""The response to one HTTP request, or an exception whose message a user understands.

A socket's timeout covers neither name resolution, nor a list of dead addresses, nor a server that sends its header
byte by byte. So calls that may hang run in a daemon thread, which is abandoned after its time limit.
"""

from __future__ import annotations

import queue
import socket
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any, TypeVar
from urllib.parse import urljoin, urlsplit

import requests
import urllib3
from requests import exceptions
from requests.adapters import HTTPAdapter
from requests.cookies import extract_cookies_to_jar
from requests.utils import requote_uri, select_proxy

from linclass_study.data.patience import Patience
from linclass_study.data.unavailable import Unavailable

AGENT = "linclass (a benchmark of linear classification)"
MOST_REDIRECTS = 10
PORTS = {"http": 80, "https": 443}

# (exceptions, message, whether a retry may help). The first that matches counts.
NET = urllib3.exceptions
ENDINGS: list[tuple[tuple[type[Exception], ...], str, bool]] = [
    (
        (exceptions.InvalidURL, exceptions.MissingSchema, exceptions.InvalidSchema),
        "this is no address",
        False,
    ),
    ((NET.LocationParseError, UnicodeError), "this is no address", False),
    ((exceptions.SSLError, NET.SSLError), "there is no secure connection to it", False),
    ((exceptions.ProxyError,), "the proxy gives no connection to it", True),
    ((exceptions.ConnectTimeout,), "no connection in time", True),
    ((NET.DecodeError,), "the file is not encoded as the server says", False),
    ((exceptions.Timeout, NET.TimeoutError), "the server is silent for {silence:g} seconds", True),
    (
        (exceptions.ConnectionError, NET.ProtocolError),
        "the connection broke off before the file was complete",
        True,
    ),
]

T = TypeVar("T")


class Trouble(Unavailable):
    """A temporary failure: a retry may help. `wait` is the delay in seconds that the server asks for."""

    def __init__(self, reason: object, wait: float = 0.0, unreachable: bool = False):
        super().__init__(reason)
        self.wait, self.unreachable = wait, unreachable


@contextmanager
def response(url: str, headers: dict[str, str], patience: Patience) -> Iterator[requests.Response]:
    """The response after redirects, with its header read; the body is read from `.raw`."""
    with plain_errors(patience), requests.Session() as session:
        for scheme in ("http://", "https://"):
            session.mount(scheme, _Prompt(patience.connecting))
        for _ in range(1 + MOST_REDIRECTS):
            found = _one(session, url, headers, patience)
            with found:
                target = session.get_redirect_target(found)
                if not target:
                    yield found
                    return
            url = requote_uri(urljoin(url, target))
    raise Unavailable("the server redirects in circles")


def _one(
    session: requests.Session, url: str, headers: dict[str, str], patience: Patience
) -> requests.Response:
    """The response to one request, without following redirects (Session.get would read their whole bodies)."""
    # identity: the file must arrive as published, without transfer compression
    headers = {"Accept-Encoding": "identity", "User-Agent": AGENT, **headers}
    request = session.prepare_request(requests.Request("GET", url, headers=headers))
    address = request.url or url
    options = session.merge_environment_settings(address, {}, True, None, None)
    options["timeout"] = (patience.connecting, patience.silence)
    found = session.get_adapter(address).send(request, **options)
    extract_cookies_to_jar(session.cookies, request, found.raw)
    return found


class _Prompt(HTTPAdapter):
    """Each hop, redirects included, must accept a connection in time before a request is sent."""

    def __init__(self, seconds: float):
        super().__init__()
        self.seconds = seconds

    def send(self, request: Any, **options: Any) -> Any:  # type: ignore[override]
        _reach(select_proxy(request.url, options.get("proxies")) or request.url, self.seconds)
        return super().send(request, **options)


def _reach(url: str, seconds: float) -> None:
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
    raise Trouble(reason, unreachable=True)


def in_time(call: Callable[[], T], seconds: float) -> T:
    """Return the value of a call; raise TimeoutError and abandon it if it takes longer."""
    outcome: queue.SimpleQueue[tuple[Any, BaseException | None]] = queue.SimpleQueue()

    def run() -> None:
        try:
            outcome.put((call(), None))
        except BaseException as error:  # exceptions of a thread are lost otherwise
            outcome.put((None, error))

    threading.Thread(target=run, daemon=True).start()
    try:
        value, error = outcome.get(timeout=max(seconds, 0))
    except queue.Empty:
        raise TimeoutError from None
    if error is not None:
        raise error
    return value


@contextmanager
def plain_errors(patience: Patience) -> Iterator[None]:
    """Translate exceptions of the HTTP libraries into messages that a user understands."""
    try:
        yield
    except (exceptions.RequestException, NET.HTTPError, UnicodeError) as error:
        for kinds, words, passing in ENDINGS:
            if isinstance(error, kinds):
                kind = Trouble if passing else Unavailable
                raise kind(words.format(silence=patience.silence)) from None
        raise Trouble(f"{type(error).__name__}: {str(error).splitlines()[0][:120]}") from None
