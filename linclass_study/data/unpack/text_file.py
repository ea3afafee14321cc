"""Text files as lines, decompressed if necessary."""

from __future__ import annotations

import bz2
import gzip
import lzma
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO, Any

from linclass_study.data.unavailable import Unavailable
from linclass_study.data.unpack.size_limit import count_while_read, restart_count

# By the first bytes and not by the name, which servers and mirrors choose freely.
OPENERS: dict[bytes, Any] = {b"\x1f\x8b": gzip.open, b"BZh": bz2.open, b"\xfd7zXZ": lzma.open}


class Text:
    """Lines of a text file; `line` is the number of the last line read."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.line = 0

    def __iter__(self) -> Iterator[str]:
        with binary(self.path) as file:
            for line in file:
                self.line += 1
                try:
                    text = line.decode("utf-8-sig" if self.line == 1 else "utf-8")
                except UnicodeDecodeError:
                    raise Unavailable(
                        f"line {self.line} is not text in UTF-8; save the file as UTF-8"
                    ) from None
                yield text


@contextmanager
def binary(path: Path) -> Iterator[IO[bytes]]:
    """Open a file for reading bytes, decompressed and counted towards the size limit."""
    try:
        with open(path, "rb") as raw:
            head = raw.read(6)
            raw.seek(0)
            opener = next((o for magic, o in OPENERS.items() if head.startswith(magic)), None)
            if opener is None:
                yield raw
            else:
                restart_count(path.name)
                with opener(raw) as file:
                    yield count_while_read(file, path.name)
    except (EOFError, lzma.LZMAError, zlib.error, gzip.BadGzipFile) as error:
        raise Unavailable(f"the compressed file is damaged or cut short ({error})") from None
    except OSError as error:
        raise Unavailable(f"the file cannot be read ({error.strerror or error})") from None
