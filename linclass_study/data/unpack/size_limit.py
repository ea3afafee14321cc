"""How much is unpacked of one source: what decompressors give and members of archives, counted together.

    with at_most(4000): read(path)      # Unavailable at the byte after 4,000 MB

A file of 10 MB may hold 10 GB of zeros, so nobody reads on for longer than the limit says. The limit
belongs to whatever is read inside the block, so no format needs to know it.
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
    """What is unpacked inside the block has this many megabytes in all."""
    token = _quota.set(_Quota(megabytes))
    try:
        yield
    finally:
        _quota.reset(token)


def begin(name: str) -> None:
    """The file of this name is read from its beginning: an earlier reading of it counts no longer."""
    quota = _quota.get()
    if quota is not None:
        quota.sizes[name] = 0


def count(size: int, name: str) -> None:
    """So many bytes more were unpacked of the file of this name."""
    quota = _quota.get()
    if quota is not None:
        quota.sizes[name] = quota.sizes.get(name, 0) + size
        if sum(quota.sizes.values()) > quota.megabytes * 1e6:
            raise Unavailable(
                f"{name} unpacks to more than {quota.megabytes:g} MB; "
                "raise limits.download_mb if it is meant to be so large"
            )


def counted(file: Any, name: str) -> IO[bytes]:
    """A file that gives decompressed bytes, each of which counts."""
    return io.BufferedReader(_Counted(file, name), BLOCK)


class _Counted(io.RawIOBase):
    def __init__(self, file: Any, name: str):
        self.file, self.name = file, name

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int:
        content = self.file.read(len(buffer))
        count(len(content), self.name)
        buffer[: len(content)] = content
        return len(content)
