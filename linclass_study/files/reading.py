"""Read the files of a results folder, which may come from anybody: no code runs, and memory is bounded.

Formats are JSON, Parquet and .npz without pickles. A file that would unpack to much more than its size is refused
before it is read, and so are links and devices. Errors name the file and the remedy.
"""

from __future__ import annotations

import json
import os
import zipfile
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from reprlib import repr as brief
from typing import IO, Any

import numpy as np
import polars as pl

from linclass_study.errors import StudyError
from linclass_study.files.parquet_size import require_shallow, unpacked_and_file_size
from linclass_study.files.writing import Path_

# limits of the unpacked size: a multiple of the file's, or bytes
MAX_EXPANSION, AT_LEAST = 100, 10**9
LARGEST_JSON = 10**8  # bytes
VALUE = 80  # bytes in memory of a small value of JSON
ABOUT: dict[str, type] = {"status": str, "reason": str, "classes": list, "class_counts": list}
ABOUT |= {"rows": int, "n_features": int}
REMEDY = "delete it and run the study again, which recreates it"


@contextmanager
def naming_errors(path: Path_) -> Iterator[None]:
    """Context for reading a file, which adds its name and the remedy to errors."""
    try:
        yield
    except StudyError:
        raise
    except Exception as error:  # zipfile, zlib, NumPy, Polars and JSON raise different exceptions
        raise Unreadable(path, error) from None
    except BaseException as error:  # Polars panics on some broken files
        if type(error).__name__ != "PanicException":
            raise
        raise Unreadable(path, error) from None


class Unreadable(StudyError):
    """A file cannot be read; `error` says why."""

    def __init__(self, path: Path_, error: BaseException):
        self.error = error
        reason = (str(error).strip().splitlines() or [type(error).__name__])[0][:200]
        super().__init__(f"{os.fspath(path)} cannot be read ({reason}): {REMEDY}")


def read_json(path: Path_) -> Any:
    """The value of a JSON file; OSError without the file."""
    size = os.stat(path).st_size
    with naming_errors(path):
        if size > LARGEST_JSON:
            most = LARGEST_JSON // 10**6
            raise ValueError(f"it has {size / 1e6:,.0f} MB; at most {most} are read")
        return parsed_json(Path(path).read_bytes())


def parsed_json(content: str | bytes) -> Any:
    """The value of a JSON text; nesting without end and half surrogates, which no file can hold, are ValueErrors."""
    text = content if isinstance(content, str) else content.decode()
    if (values := sum(map(text.count, ",:[{"))) * VALUE > AT_LEAST:
        raise ValueError(f"its {values:,} values need more than {AT_LEAST // 10**6:,} MB")
    try:
        value = json.loads(text)
        if "\\ud" in text.lower():
            json.dumps(value, ensure_ascii=False).encode()
    except RecursionError:
        raise ValueError("it is nested too deeply") from None
    return value


def json_of(array: np.ndarray) -> Any:
    """The value that `writing.json_array` stored in an .npz file."""
    return parsed_json(array.tobytes())


def read_mapping(path: Path_) -> dict[str, Any]:
    value = read_json(path)
    with naming_errors(path):
        if not isinstance(value, dict):
            raise ValueError("it holds no mapping")
        return value


def read_about(path: Path_) -> dict[str, Any]:
    """data/{dataset}.json of a data set: status, classes and sizes."""
    about = read_mapping(path)
    with naming_errors(path):
        for key, kind in ABOUT.items():
            if not isinstance(about.get(key, kind()), kind):
                raise ValueError(f"its {key} is {brief(about[key])}")
        classes = about.get("classes") or []
        if classes and (positive := about.get("positive", classes[0])) not in classes:
            what = f"its positive class {brief(positive)}"
            raise ValueError(f"{what} is not one of its classes")
    return about


def refuse_broken_records(results: Path, datasets: Iterable[str]) -> None:
    """Refuse JSON files that planning reads, and that are not of our form."""
    for name in datasets:
        if (about := results / "data" / f"{name}.json").exists():
            read_about(about)
        if (drawn := results / "exhibits" / f"{name}.json").exists():
            read_mapping(drawn)
    if (drawn := results / "exhibits.json").exists():
        read_mapping(drawn)


def read_parquet(path: Path_, **options: Any) -> pl.DataFrame:
    with naming_errors(path):
        _refuse_bomb(*unpacked_and_file_size(path))
        table = pl.read_parquet(Path(path), glob=False, **options)
        if pl.Categorical in table.dtypes:  # as text it may need any multiple of the file's size
            raise ValueError("it has a column of type Categorical, which linclass never writes")
        return table


def scan_parquet(path: Path_) -> pl.LazyFrame:
    """A file that is read later, inside `naming_errors`."""
    with naming_errors(path):
        _refuse_bomb(*unpacked_and_file_size(path))
        return pl.scan_parquet(Path(path), glob=False)


def read_metadata(path: Path_, key: str) -> Any:
    """The JSON under a key of a Parquet file's own metadata; None without it."""
    with naming_errors(path):
        require_shallow(path)
        text = pl.read_parquet_metadata(Path(path)).get(key)
        return None if text is None else parsed_json(text)


def refuse_unreadable(path: Path_) -> None:
    """Raise an error if this Parquet file cannot be read."""
    with naming_errors(path):
        scan_parquet(path).select(pl.all().len()).collect(engine="streaming")


@contextmanager
def opened_npz(path: Path_, file: IO[bytes] | None = None) -> Iterator[Any]:
    """Arrays of an .npz file by name; `file` if it is open already. Pickled objects are refused."""
    with naming_errors(path), file or open(path, "rb") as file:
        size = file.seek(0, os.SEEK_END)
        file.seek(0)
        with zipfile.ZipFile(file) as box:
            _refuse_bomb(sum(member.file_size for member in box.infolist()), size)
        file.seek(0)
        with np.load(file, allow_pickle=False) as arrays:
            yield arrays


def require_plain(folder: Path, given: str) -> None:
    """Refuse a folder with links or devices, through which files elsewhere could be read or overwritten."""
    waiting = [os.fspath(folder)] * os.path.lexists(folder)
    while waiting:
        with os.scandir(waiting.pop()) as entries:
            for entry in entries:
                if entry.is_dir(follow_symlinks=False):
                    waiting.append(entry.path)
                elif not entry.is_file(follow_symlinks=False):
                    name = f"{given}: {os.path.relpath(entry.path, folder)!r}"
                    raise StudyError(f"{name} is a link or a device; results are plain files")


def _refuse_bomb(needed: int, size: int) -> None:
    if not 0 <= needed <= max(MAX_EXPANSION * size, AT_LEAST):
        what = f"its {size:,} bytes unpack to {needed / 1e6:,.0f} MB"
        raise ValueError(f"{what}, more than {MAX_EXPANSION} times its size")
