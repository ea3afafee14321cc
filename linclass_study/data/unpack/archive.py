"""Iterate over the files in a .tar (of any compression), a .zip or a folder.

Nothing is written to disk. Members that are not regular files inside the archive (links, devices, names with `..`)
are skipped and logged; the others are read.
"""

from __future__ import annotations

import re
import stat
import tarfile
import zipfile
import zlib
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path

from linclass_study.data.unavailable import Unavailable
from linclass_study.data.unpack.size_limit import count_while_read
from linclass_study.data.unpack.text_file import binary

LOGGED = 20  # skipped members that are logged by name; the others are counted
ENCRYPTED = 1  # a flag of a member of a .zip
DRIVE = re.compile(r"[A-Za-z]:")
# \ud800…: bytes beside UTF-8
NO_TEXT = re.compile(r"[\x00-\x1f\x7f-\x9f\u2028\u2029\ud800-\udfff]")
NO_FILES = {
    tarfile.SYMTYPE: "a symbolic link",
    tarfile.LNKTYPE: "a hard link",
    tarfile.CHRTYPE: "a device",
    tarfile.BLKTYPE: "a device",
    tarfile.FIFOTYPE: "a named pipe",
    tarfile.GNUTYPE_SPARSE: "a sparse file",
}

Member = tuple[str, str, Callable[[], bytes]]  # name, reason to skip it or "", its content


def members(path: Path) -> Iterator[tuple[str, bytes]]:
    """(name inside the archive, content) of every file that is not hidden."""
    if path.is_dir():
        for name, file in files_below(path):
            yield name, file.read_bytes()
        return
    seen: set[str] = set()
    left_out = 0
    for name, wrong, content in _zip(path) if zipfile.is_zipfile(path) else _tar(path):
        wrong = wrong or _misnamed(name) or ("a second file of this name" if name in seen else "")
        if wrong:
            left_out += 1
            if left_out <= LOGGED:
                print(f"left out of {path.name}: {name!a} ({wrong})")
        elif not _hidden(name):
            seen.add(name)
            yield name, content()
    if left_out > LOGGED:
        print(f"left out of {path.name}: {left_out} members in all")


def files_below(folder: Path) -> Iterator[tuple[str, Path]]:
    """(name inside the folder, path) of every file, sorted by name."""
    for file in sorted(folder.rglob("*")):
        name = file.relative_to(folder).as_posix()
        if file.is_file() and not _hidden(name):
            yield name, file


def _hidden(name: str) -> bool:
    return any(part.startswith(".") for part in Path(name).parts)


def _misnamed(name: str) -> str:
    """Why a name is not that of a file inside the archive; "" if it is."""
    if NO_TEXT.search(name):
        return "its name is not text in UTF-8 on one line"
    parts = name.replace("\\", "/").split("/")
    return (
        "it lies outside the archive" if ".." in parts or not parts[0] or DRIVE.match(name) else ""
    )


def _zip(path: Path) -> Iterator[Member]:
    try:
        with zipfile.ZipFile(path) as box:
            for about in box.infolist():
                link = "a symbolic link" if stat.S_ISLNK(about.external_attr >> 16) else ""
                wrong = "it is encrypted" if about.flag_bits & ENCRYPTED else link
                if not about.is_dir():
                    yield about.orig_filename, wrong, partial(_unzipped, box, about, path.name)
    except (zipfile.BadZipFile, zlib.error, UnicodeDecodeError, NotImplementedError) as error:
        raise Unavailable(f"the archive cannot be read ({error})") from None


def _unzipped(box: zipfile.ZipFile, about: zipfile.ZipInfo, archive: str) -> bytes:
    with box.open(about) as file:
        return count_while_read(file, archive).read()


def _tar(path: Path) -> Iterator[Member]:
    with binary(path) as raw:
        try:
            with tarfile.open(fileobj=raw, mode="r|") as box:
                for about in box:
                    kind = tarfile.GNUTYPE_SPARSE if about.issparse() else about.type
                    wrong = NO_FILES.get(kind, "" if about.isreg() else "no file")
                    if not about.isdir():
                        yield about.name.removeprefix("./"), wrong, partial(_untarred, box, about)
        except tarfile.TarError as error:
            raise Unavailable(f"the archive cannot be read ({error})") from None


def _untarred(box: tarfile.TarFile, about: tarfile.TarInfo) -> bytes:
    file = box.extractfile(about)
    assert file is not None  # it is a regular file
    return file.read()
