"""What the files of a run were made of, recorded by the run's own files; so a run is computed again only if it must.

runs/{dataset}/{method}/predictions.parquet   a row for each held-out row
                        coefficients.parquet  of each fit of a linear classifier: what each feature weighs; else absent
                        tuning.parquet        of each tuned fit: every candidate with its inner score; else absent
                        paths.parquet         of the first fit: coefficients along the strengths; else absent
                        traces.parquet        a row for each step of a solver that was asked to tell; else absent
                        boundary.npz          the class of each point of the plane, where the data have one; else absent
                        fits.parquet          a row for each planned fit; written last, and its metadata tell the rest

Predictions themselves hold nothing but predictions, so the same predictions are the same bytes.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import polars as pl

KEY = "linclass.run"  # of the metadata of fits.parquet
LAST = "fits.parquet"
TABLES = ("coefficients", "tuning", "paths", "traces")  # that are absent rather than empty
BOUNDARY = "boundary.npz"
OTHERS = ("predictions.parquet", *(f"{table}.parquet" for table in TABLES), BOUNDARY)


@dataclass(frozen=True)
class RunInputs:
    """asked: the method's entry, its code, the evaluation and the limits; rows: features, folds and classes."""

    asked: str
    rows: str


def digest_of(*values: Any) -> str:
    """One short word for values that JSON can write, in which order counts."""
    return hashlib.blake2b(json.dumps(values, default=str).encode(), digest_size=16).hexdigest()


def digest_of_file(path: Path) -> str:
    with path.open("rb") as file:
        return hashlib.file_digest(file, "blake2b").hexdigest()[:32]


def described(folder: Path, made_of: RunInputs) -> dict[str, str]:
    """The metadata of fits.parquet, once the other files are written."""
    there = (folder / name for name in OTHERS)
    files = {path.name: _about(path) for path in there if path.exists()}
    return {KEY: json.dumps(asdict(made_of) | {"files": files})}


def recorded(folder: Path) -> dict[str, Any] | None:
    """asked, rows and files of a run; None where it is not whole."""
    last = folder / LAST
    try:
        kept = json.loads(pl.read_parquet_metadata(last)[KEY])
        kept["files"] |= {LAST: _about(last)}
    except (OSError, KeyError, ValueError, pl.exceptions.PolarsError):
        return None
    return kept if are_there(folder, kept["files"]) else None


def are_there(folder: Path, files: Mapping[str, Mapping[str, Any]]) -> bool:
    """Whether no file was deleted or cut short."""
    try:
        return all(
            (folder / name).stat().st_size == about["bytes"] for name, about in files.items()
        )
    except OSError:
        return False


def _about(path: Path) -> dict[str, Any]:
    return {"bytes": path.stat().st_size, "digest": digest_of_file(path)}
