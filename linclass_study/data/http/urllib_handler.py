"""Answer the requests of a library that uses urllib with our own downloads."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from email.message import Message
from typing import IO, Any
from urllib import request
from urllib.error import HTTPError
from urllib.response import addinfourl

from linclass_study.data.unavailable import Unavailable

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
