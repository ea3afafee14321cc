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

NEVER_AGAIN = 412  # the one status after which scikit-learn does not try again


class Carrier(request.BaseHandler):
    """`reason` is why the last request failed, or None."""

    handler_order = 100  # before those of urllib

    def __init__(self, carry: Callable[[str], IO[bytes]]) -> None:
        self.carry = carry
        self.reason: Unavailable | None = None

    def https_open(self, asked: request.Request) -> Any:
        try:
            file = self.carry(asked.full_url)
        except Unavailable as reason:
            self.reason = reason
            raise HTTPError(asked.full_url, NEVER_AGAIN, str(reason), Message(), None) from None
        answer: Any = addinfourl(file, Message(), asked.full_url, 200)
        answer.msg = "OK"
        return answer

    http_open = https_open


@contextmanager
def carrying(carry: Callable[[str], IO[bytes]]) -> Iterator[Carrier]:
    """Context in which urlopen(url) returns carry(url)."""
    carrier = Carrier(carry)
    request.install_opener(request.build_opener(carrier))
    try:
        yield carrier
    finally:
        request.install_opener(None)  # the next use builds urllib's own
