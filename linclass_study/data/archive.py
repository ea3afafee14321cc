"""The files inside a .tar (however compressed), a .zip or a folder, one after another."""

from __future__ import annotations

import tarfile
import zipfile
from collections.abc import Iterator
from pathlib import Path

from linclass_study.data.text_file import binary
from linclass_study.data.unavailable import Unavailable


def members(path: Path) -> Iterator[tuple[str, bytes]]:
    """(name inside the archive, content) of every file, hidden ones left out."""
    for name, content in _all(path):
        if not _hidden(name):
            yield name, content


def files(folder: Path) -> Iterator[tuple[str, Path]]:
    """(name inside the folder, path) of every file, in the order of their names."""
    for file in sorted(folder.rglob("*")):
        name = file.relative_to(folder).as_posix()
        if file.is_file() and not _hidden(name):
            yield name, file


def _hidden(name: str) -> bool:
    return any(part.startswith(".") for part in Path(name).parts)


def _all(path: Path) -> Iterator[tuple[str, bytes]]:
    if path.is_dir():
        for name, file in files(path):
            yield name, file.read_bytes()
    elif zipfile.is_zipfile(path):
        with zipfile.ZipFile(path) as box:
            for name in box.namelist():
                if not name.endswith("/"):
                    yield name, box.read(name)
    else:
        yield from _tar(path)


def _tar(path: Path) -> Iterator[tuple[str, bytes]]:
    with binary(path) as raw:
        try:
            with tarfile.open(fileobj=raw, mode="r|") as box:
                for member in box:
                    file = box.extractfile(member)
                    if member.isfile() and file is not None:
                        yield member.name.removeprefix("./"), file.read()
        except tarfile.TarError as error:
            raise Unavailable(f"the archive cannot be read ({error})") from None
