"""Read archives and compressed files, with a limit of their unpacked size."""

from __future__ import annotations

import bz2
import gzip
import io
import lzma
import re
import stat
import tarfile
import zipfile
import zlib
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import IO, Any

from linclass_study.errors import Unavailable

# Limit the decompressed size of one source: compressed files and archive members together.
#
#     with at_most(4000): read(path)      # Unavailable at the byte after 4,000 MB
#
# A file of 10 MB may contain 10 GB of zeros. The limit applies to everything that is read inside the `with` block, so
# formats need not know it.

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
        if quota := _quota.get():
            quota.sizes[self.name] = quota.sizes.get(self.name, 0) + len(content)
            if sum(quota.sizes.values()) > quota.megabytes * 1e6:
                raise Unavailable(
                    f"{self.name} unpacks to more than {quota.megabytes:g} MB; "
                    "raise limits.download_mb if this size is intended"
                )
        buffer[: len(content)] = content
        return len(content)


# Text files as lines, decompressed if necessary.

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
                    what = f"line {self.line} is not text in UTF-8; save the file as UTF-8"
                    if line.startswith(b"PK"):  # also that of a spreadsheet
                        what = "it is a zip archive, not text; unpack it or, for a spreadsheet, save it as CSV"
                    raise Unavailable(what) from None
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
                return
            if quota := _quota.get():
                quota.sizes[path.name] = 0  # it may be read again from its beginning
            with opener(raw) as file:
                yield count_while_read(file, path.name)
    except (EOFError, lzma.LZMAError, zlib.error, gzip.BadGzipFile) as error:
        raise Unavailable(f"the compressed file is damaged or cut short ({error})") from None
    except OSError as error:
        raise Unavailable(f"the file cannot be read ({error.strerror or error})") from None


# Iterate over the files in a .tar (of any compression), a .zip or a folder.
#
# Nothing is written to disk. Members that are not regular files inside the archive (links, devices, names with `..`)
# are skipped and logged; the others are read.

MOST_LOGGED = 20  # skipped members that are logged by name; the others are counted
ENCRYPTED = 1  # a flag of a member of a .zip
DRIVE = re.compile(r"[A-Za-z]:")
# \ud800…: bytes beside UTF-8
NO_TEXT = re.compile(r"[\x00-\x1f\x7f-\x9f\u2028\u2029\ud800-\udfff]")

Member = tuple[str, str, Callable[[], Any]]  # name, reason to skip it or "", how to open it


def members(path: Path) -> Iterator[tuple[str, bytes]]:
    """(name inside the archive, content) of every file that is not hidden."""
    if path.is_dir():
        for name, file in files_below(path):
            yield name, file.read_bytes()
        return
    seen: set[str] = set()
    left_out, is_zip = 0, zipfile.is_zipfile(path)
    for name, wrong, opened in (_zip_members if is_zip else _tar_members)(path):
        parts = name.replace("\\", "/").split("/")
        if wrong:
            pass
        elif NO_TEXT.search(name):
            wrong = "its name is not text in UTF-8 on one line"
        elif ".." in parts or not parts[0] or DRIVE.match(name):
            wrong = "it lies outside the archive"
        elif name in seen:
            wrong = "a second file of this name"
        if wrong:
            left_out += 1
            if left_out <= MOST_LOGGED:
                print(f"left out of {path.name}: {name!a} ({wrong})")
        elif not _hidden(name):
            seen.add(name)
            with opened() as file:
                content = (count_while_read(file, path.name) if is_zip else file).read()
            yield name, content
    if left_out > MOST_LOGGED:
        print(f"left out of {path.name}: {left_out} members in all")


def files_below(folder: Path) -> Iterator[tuple[str, Path]]:
    """(name inside the folder, path) of every file, sorted by name."""
    for file in sorted(folder.rglob("*")):
        name = file.relative_to(folder).as_posix()
        if file.is_file() and not _hidden(name):
            yield name, file


def _hidden(name: str) -> bool:
    return any(part.startswith(".") for part in Path(name).parts)


def _zip_members(path: Path) -> Iterator[Member]:
    try:
        with zipfile.ZipFile(path) as box:
            for about in box.infolist():
                link = "not a regular file" if stat.S_ISLNK(about.external_attr >> 16) else ""
                wrong = "it is encrypted" if about.flag_bits & ENCRYPTED else link
                if not about.is_dir():
                    yield about.orig_filename, wrong, partial(box.open, about)
    except (zipfile.BadZipFile, zlib.error, UnicodeDecodeError, NotImplementedError) as error:
        raise Unavailable(f"the archive cannot be read ({error})") from None


def _tar_members(path: Path) -> Iterator[Member]:
    with binary(path) as raw:
        try:
            with tarfile.open(fileobj=raw, mode="r|") as box:
                for about in box:
                    regular = about.isreg() and not about.issparse()
                    wrong = "" if regular else "not a regular file"
                    if not about.isdir():
                        yield about.name.removeprefix("./"), wrong, partial(box.extractfile, about)
        except tarfile.TarError as error:
            raise Unavailable(f"the archive cannot be read ({error})") from None
