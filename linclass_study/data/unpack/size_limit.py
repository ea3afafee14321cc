"""Limit the decompressed size of one source: compressed files and archive members together.

    with at_most(4000): read(path)      # Unavailable at the byte after 4,000 MB

A file of 10 MB may contain 10 GB of zeros. The limit applies to everything that is read inside the `with` block, so
formats need not know it.
"""

from __future__ import annotations

import io
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, field
from typing import IO, Any

from linclass_study.data.unavailable import Unavailable

BLOCK = 1 << 18


@dataclass
class _Quota:
    megabytes: float
    sizes: dict[str, int] = field(default_factory=dict)  # by file


_quota: ContextVar[_Quota | None] = ContextVar("quota", default=None)


@contextmanager
def at_most(megabytes: float) -> Iterator[None]:
    """Limit what is unpacked inside the block to this many megabytes in total."""
    token = _quota.set(_Quota(megabytes))
    try:
        yield
    finally:
        _quota.reset(token)


def restart_count(name: str) -> None:
    """Reset the count of a file that is read again from its beginning."""
    quota = _quota.get()
    if quota is not None:
        quota.sizes[name] = 0


def count_bytes(size: int, name: str) -> None:
    """Add `size` unpacked bytes of the named file."""
    quota = _quota.get()
    if quota is not None:
        quota.sizes[name] = quota.sizes.get(name, 0) + size
        if sum(quota.sizes.values()) > quota.megabytes * 1e6:
            raise Unavailable(
                f"{name} unpacks to more than {quota.megabytes:g} MB; "
                "raise limits.download_mb if this size is intended"
            )


def count_while_read(file: Any, name: str) -> IO[bytes]:
    """Wrap a decompressing file so that its bytes are counted."""
    return io.BufferedReader(_Counted(file, name), BLOCK)


class _Counted(io.RawIOBase):
    def __init__(self, file: Any, name: str):
        self.file, self.name = file, name

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int:
        content = self.file.read(len(buffer))
        count_bytes(len(content), self.name)
        buffer[: len(content)] = content
        return len(content)
