"""Open a results folder or an archive of one, which is unpacked safely.

Archives are untrusted: files are written below a temporary folder whatever their names, and links, devices and
archives of excessive size are refused. The files of an archive by `linclass publish` are compared with its checksums.
"""

from __future__ import annotations

import hashlib
import shutil
import stat
import tarfile
import tempfile
import zipfile
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path, PurePosixPath
from typing import IO, Any

from linclass.base.suggestions import near_names
from linclass_study.command.results_folder import ResultsFolder
from linclass_study.data.unavailable import Unavailable
from linclass_study.data.unpack import at_most, binary
from linclass_study.errors import StudyError
from linclass_study.files.reading import require_plain

MAX_PLACES = 3  # places that are named
ARCHIVES = (".zip", ".tar", ".gz", ".bz2", ".xz", ".tgz")


def suggest_places(path: Path) -> list[Path]:
    """What exists instead of the first step of the path that does not, with its other steps if these exist."""
    missing = path
    while not missing.parent.exists():
        missing = missing.parent
    rest = path.relative_to(missing)
    try:
        there = [
            entry.name
            for entry in missing.parent.iterdir()
            if entry.is_dir() or entry.name.endswith(ARCHIVES)
        ]
    except OSError:  # a file, or a folder that may not be read
        return []
    near = [missing.with_name(name) for name in near_names(missing.name, there)[:MAX_PLACES]]
    return [place / rest if (place / rest).exists() else place for place in near]


SUMS = "sha256sums.txt"
GROWTH, AT_LEAST = 100, 10**8  # limits of the unpacked size: a multiple of the archive's, or bytes
BLOCK = 4096  # bytes of an empty file on a disk

Member = tuple[str, int, IO[bytes] | None]  # name, size, content; None is a link or a device


@contextmanager
def open_results(given: str) -> Iterator[ResultsFolder]:
    """The results at `given`: a folder, a .zip, or a .tar of any compression."""
    path = Path(given).expanduser()
    if path.is_dir():
        root = _root(given, path)
        require_plain(root, given)
        yield ResultsFolder(given, root)
    elif path.is_file():
        with tempfile.TemporaryDirectory(prefix="linclass-") as folder:
            unpack(given, path, Path(folder))
            root = _root(given, Path(folder))
            _check(given, root)
            yield ResultsFolder(given, root)
    else:
        near = " or ".join(map(str, suggest_places(path)))
        meant = f"; did you mean {near}?" if near else ""
        raise StudyError(f"{given}: no such folder or archive{meant}")


def unpack(given: str, archive: Path, folder: Path) -> None:
    """Unpack all files of the archive below the folder."""
    remaining = most = max(GROWTH * archive.stat().st_size, AT_LEAST)
    too_large = f"{given}: unpacks to more than {GROWTH} times its size; not unpacked"
    try:
        with at_most(most / 1e6):  # of a .tar, with what is between its files
            for name, size, source in _members(given, archive):
                remaining -= size + BLOCK
                if remaining < 0:
                    raise StudyError(too_large)
                target = folder.joinpath(*_parts(given, name))
                target.parent.mkdir(parents=True, exist_ok=True)
                if source is None:
                    raise StudyError(
                        f"{given}: '{name}' is a link or a device; results are plain files"
                    )
                with source, target.open("xb") as file:
                    shutil.copyfileobj(source, file)
    except Unavailable as reason:
        is_bomb = "unpacks to more than" in str(reason)
        raise StudyError(
            too_large if is_bomb else f"{given}: cannot be unpacked ({reason})"
        ) from None
    except (zipfile.BadZipFile, tarfile.TarError, zlib.error, EOFError, OSError) as error:
        raise StudyError(f"{given}: cannot be unpacked ({error})") from None
    except (NotImplementedError, RuntimeError) as error:  # unknown compression or a password
        raise StudyError(f"{given}: cannot be unpacked ({error})") from None


def _members(given: str, archive: Path) -> Iterator[Member]:
    with binary(archive) as raw:
        try:  # before .zip, as a .tar may end with a .zip
            tar: Any = tarfile.open(fileobj=raw, mode="r|")  # noqa: SIM115 – it holds nothing but `raw`
        except tarfile.ReadError:
            tar = None
        for entry in tar or ():
            tar.members.clear()  # else all of them stay in memory
            if not entry.isdir():
                yield entry.name, entry.size, tar.extractfile(entry) if entry.isreg() else None
    if tar:
        return
    if zipfile.is_zipfile(archive):
        with zipfile.ZipFile(archive) as box:
            for member in box.infolist():
                if not member.is_dir():
                    link = stat.S_ISLNK(member.external_attr >> 16)
                    yield member.filename, member.file_size, None if link else box.open(member)
    else:
        raise StudyError(f"{given}: is neither a folder nor a .zip or .tar archive")


def _parts(given: str, name: str) -> tuple[str, ...]:
    """Parts of a member's name, which must stay below the folder."""
    path = PurePosixPath(name)
    outside = path.is_absolute() or ".." in path.parts or not path.parts
    if outside or "\\" in name or ":" in path.parts[0] or "\0" in name:
        raise StudyError(f"{given}: {name!r} would be written outside the archive's own folder")
    return path.parts


def _root(given: str, folder: Path) -> Path:
    """The folder that contains runs/: this one, or its only subfolder."""
    inside = [entry for entry in folder.iterdir() if entry.is_dir() and not entry.is_symlink()]
    for place in (folder, *(inside if len(inside) == 1 else [])):
        if (place / "runs").is_dir():
            return place
    studies = sorted(place.name for place in inside if (place / "runs").is_dir())
    several = (
        f"; it holds those of {', '.join(studies)}: give one, as {given}/{studies[0]}"
        if studies
        else ""
    )
    raise StudyError(f"{given}: there is no runs/ in it, so it holds no results{several}")


def _check(given: str, root: Path) -> None:
    """Check that the files are the published ones."""
    sums = root / SUMS
    if not sums.exists():
        return
    lines = [line.split("  ", 1) for line in sums.read_text(encoding="utf-8").splitlines()]
    published = {line[1]: line[0] for line in lines if len(line) == 2}
    there = {path.relative_to(root).as_posix() for path in root.rglob("*") if path.is_file()}
    for name in sorted(there - {SUMS} | set(published)):
        same = name in there and name in published and published[name] == sha256(root / name)
        if not same:
            problem = "differs from what was published" if name in there else "is missing"
            raise StudyError(f"{given}: {name} {problem} ({SUMS}); get the archive again")


def sha256(path: Path) -> str:
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()
