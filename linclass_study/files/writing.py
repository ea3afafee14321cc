"""Atomic writes, JSON, and full disks: a fit that fails because the disk is full is not a result."""

from __future__ import annotations

import dataclasses
import errno
import json
import math
import os
import re
import shutil
import uuid
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np

from linclass_study.errors import StudyError

Path_ = str | os.PathLike[str]


@contextmanager
def atomic_write(path: Path_) -> Iterator[Path]:
    """Context with a temporary path in the same folder, which is renamed to `path` at the end."""
    path = Path(path)
    path.parent.mkdir(parents=True, exist_ok=True)
    partial = path.with_name(f"{path.name}.{uuid.uuid4().hex}.partial")  # unique across hosts, too
    try:
        yield partial
        os.replace(partial, path)
    finally:
        partial.unlink(missing_ok=True)


def write_json(path: Path_, value: Any) -> None:
    """Write a value as JSON, one entry a line."""
    text = json.dumps(as_json(value), indent=1, ensure_ascii=False, allow_nan=False)
    with atomic_write(path) as partial:
        partial.write_text(text + "\n", encoding="utf-8")


def write_npz(path: Path_, arrays: Mapping[str, np.ndarray], compressed: bool = False) -> None:
    with atomic_write(path) as partial, partial.open("wb") as file:
        (np.savez_compressed if compressed else np.savez)(file, allow_pickle=False, **arrays)


def json_array(value: Any, **options: Any) -> np.ndarray:
    """A value in an .npz file: the bytes of its JSON, which `reading.json_of` reads."""
    return np.frombuffer(json.dumps(value, **options).encode(), dtype=np.uint8)


def as_json(value: Any) -> Any:
    """The value as types of JSON, which has neither dataclasses nor arrays; NaN and infinities become null."""
    if dataclasses.is_dataclass(value):
        return {
            attribute.name: as_json(getattr(value, attribute.name))
            for attribute in dataclasses.fields(value)
        }
    if hasattr(value, "_asdict"):
        return as_json(value._asdict())
    if isinstance(value, Mapping):
        return {str(key): as_json(item) for key, item in value.items()}
    if isinstance(value, list | tuple | np.ndarray):
        return [as_json(item) for item in value]
    if isinstance(value, np.generic):
        value = value.item()
    return None if isinstance(value, float) and not math.isfinite(value) else value


FULL_MB = 50  # what is left of a disk on which a write may just have failed
ENDS = tuple(os.strerror(code) for code in (errno.ENOSPC, errno.EDQUOT))


def full_disk(folder: Path) -> str:
    """A sentence with the remedy if the disk of this folder is full; else empty."""
    existing = next(part for part in (folder, *folder.absolute().parents) if part.exists())
    free_mb = shutil.disk_usage(existing).free / 1e6
    if free_mb >= FULL_MB:
        return ""
    return f"The disk of {folder} is full ({free_mb:.0f} MB are left): make room, then run again."


def refuse_for_full_disk(reasons: list[str], folder: Path) -> None:
    """Refuse the outcomes of a run if one of them failed since the disk of its results is full."""
    failed = any(end in reason for reason in reasons for end in ENDS)
    if failed and (full := full_disk(folder)):
        raise StudyError(full)


# A name or label as it is written in a study: in quotes where YAML would read something else.

PLAIN = re.compile(r"[^\W\d][\w.-]*( [\w.-]+)*")
# read as truth values or as nothing
YAML_WORDS = {"false", "n", "no", "null", "off", "on", "true", "y", "yes"}


def yaml_text(text: object) -> str:
    """A text as YAML, also inside brackets: sex, "", "7 days", "yes"."""
    plain = PLAIN.fullmatch(str(text)) and str(text).lower() not in YAML_WORDS
    return str(text) if plain else json.dumps(str(text), ensure_ascii=False)
