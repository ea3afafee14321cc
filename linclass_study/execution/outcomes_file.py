"""Outcomes of fits as the content of an .npz file: arrays, and all else as JSON. Reading it runs no code."""

from __future__ import annotations

import io
import json
from collections.abc import Iterable
from dataclasses import astuple
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl

from linclass_study.execution.records import Added
from linclass_study.execution.run_files import fits_made
from linclass_study.files.reading import opened_npz, parsed_json
from linclass_study.files.tables import table_schema

ARRAYS = ("y_true", "y_pred", "score", "log_proba", "grid", "margins")


def outcomes_to_bytes(outcomes: Iterable[Added] | None) -> bytes:
    """None, in place of outcomes that were not needed, is kept as such."""
    arrays: dict[str, np.ndarray] = {}
    about: list[Any] = []
    for number, (fit, test, given, made) in enumerate(outcomes or ()):
        arrays[f"{number}.test"] = test
        for name in ARRAYS:
            if given is not None and given[name] is not None:
                arrays[f"{number}.{name}"] = np.asarray(given[name])
        row = {column: fit.get(column) for column in table_schema("fits")}
        about.append([row, None if given is None else given["kept"], astuple(made)])
    text = json.dumps(None if outcomes is None else about, default=_plain)
    arrays["about"] = np.frombuffer(text.encode(), dtype=np.uint8)
    file = io.BytesIO()
    np.savez(file, **arrays)  # type: ignore[arg-type]
    return file.getvalue()


def outcomes_from_bytes(path: Path, content: bytes) -> list[Added] | None:
    """The outcomes of `content`, which was read from `path`."""
    with opened_npz(path, io.BytesIO(content)) as arrays:
        about = parsed_json(arrays["about"].tobytes())
        if about is None:
            return None
        found: list[Added] = []
        for number, (row, kept, made) in enumerate(about):
            known = {name: arrays.get(f"{number}.{name}") for name in ARRAYS} | {"kept": kept}
            given = None if kept is None else known
            found.append((row, arrays[f"{number}.test"], given, *fits_made({"made": [made]})))
        return found


def _plain(value: Any) -> Any:
    """An array, a column or a number of NumPy as JSON has it."""
    return value.to_list() if isinstance(value, pl.Series) else value.tolist()
