"""One file over HTTP: nobody waits for a network that is not there, and no half file stays.

Connecting, the name server included, has five seconds in all. Neither the resolver nor a list
of dead addresses obeys a socket's timeout, so the first handshake runs in a daemon thread that is
simply left behind when the time is over.
"""

from __future__ import annotations

import os
import socket
import threading
import time
from contextlib import suppress
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import requests
from requests import exceptions
from requests.adapters import HTTPAdapter
from requests.utils import select_proxy

from linclass_study.data.checksum import checked
from linclass_study.data.unavailable import Unavailable

CONNECT_SECONDS = 5.0
READ_SECONDS = 20.0  # of silence
PAUSES = (1.0, 4.0)  # before the second and the third try, when no other source is left
WEB_PAGE = (b"<!doctype html", b"<html")
AGENT = "linclass (a benchmark of linear classification)"

REASONS: dict[type[Exception], str] = {
    exceptions.ConnectTimeout: "no connection in time",
    exceptions.ChunkedEncodingError: "the connection broke off before the file was complete",
    exceptions.ContentDecodingError: "the file is not encoded as the server says",
    exceptions.TooManyRedirects: "the server redirects in circles",
    exceptions.InvalidURL: "this is no address",
    exceptions.MissingSchema: "this is no address",
}


class _Trouble(Unavailable):
    """A reason that may be gone when one tries again."""


def download(url: str, path: Path, sha256: Any = None, patient: bool = False) -> Path:
    """Fetch `url` to `path`. With patience, what may be a passing trouble is tried three times."""
    for pause in PAUSES if patient else ():
        try:
            return _fetch(url, path, sha256)
        except _Trouble:
            time.sleep(pause)
    return _fetch(url, path, sha256)


def _fetch(url: str, path: Path, sha256: Any) -> Path:
    partial = path.with_name(f"{path.name}.{os.getpid()}.partial")
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        with requests.Session() as session:
            for scheme in ("http://", "https://"):
                session.mount(scheme, _Prompt())
            _stream(session, url, partial)
        checked(partial, sha256)
        os.replace(partial, path)
    except exceptions.RequestException as error:
        raise _Trouble(_reason(error)) from None
    except OSError as error:
        raise Unavailable(
            f"cannot be stored in {path.parent} ({error.strerror or error})"
        ) from None
    finally:
        with suppress(OSError):
            partial.unlink()
    return path


def _stream(session: requests.Session, url: str, partial: Path) -> None:
    # identity: an archive must arrive as it is published, not unpacked on the way
    headers = {"Accept-Encoding": "identity", "User-Agent": AGENT}
    timeout = (CONNECT_SECONDS, READ_SECONDS)
    with session.get(url, headers=headers, timeout=timeout, stream=True) as answer:
        if answer.status_code >= 400:
            trouble = _Trouble if answer.status_code >= 500 else Unavailable
            raise trouble(f"the server answers {answer.status_code} {answer.reason}".strip())
        with open(partial, "wb") as file:
            for i, block in enumerate(answer.iter_content(1 << 16)):
                if i == 0 and block.lstrip()[:20].lower().startswith(WEB_PAGE):
                    raise Unavailable("the server answers with a web page, not with data")
                file.write(block)


class _Prompt(HTTPAdapter):
    """Every hop, redirects included, must shake hands in time before a request is sent."""

    def send(self, request: Any, **options: Any) -> Any:  # type: ignore[override]
        _reach(select_proxy(request.url, options.get("proxies")) or request.url)
        return super().send(request, **options)


def _reach(url: str) -> None:
    parts = urlsplit(url if "://" in url else f"http://{url}")
    address = (parts.hostname or "", parts.port or {"http": 80, "https": 443}.get(parts.scheme, 80))
    outcome: list[Exception | None] = []

    def shake_hands() -> None:
        try:
            socket.create_connection(address, timeout=CONNECT_SECONDS).close()
            outcome.append(None)
        except Exception as error:  # a thread's exception would be lost
            outcome.append(error)

    thread = threading.Thread(target=shake_hands, daemon=True)
    thread.start()
    thread.join(CONNECT_SECONDS)
    error = outcome[0] if outcome else TimeoutError()
    if isinstance(error, TimeoutError):
        raise _Trouble(f"no connection to {address[0]} within {CONNECT_SECONDS:g} seconds")
    if isinstance(error, socket.gaierror):
        raise _Trouble(f"the name {address[0]} cannot be resolved")
    if error is not None:
        raise _Trouble(
            f"no connection to {address[0]} ({getattr(error, 'strerror', None) or error})"
        )


def _reason(error: exceptions.RequestException) -> str:
    if "timed out" in str(error).lower() and not isinstance(error, exceptions.ConnectTimeout):
        return f"the server is silent for {READ_SECONDS:g} seconds"
    for kind, sentence in REASONS.items():
        if isinstance(error, kind):
            return sentence
    return f"{type(error).__name__}: {str(error).splitlines()[0][:120]}"
