"""The files of a run. They record the inputs of the run, so it is computed again only if these have changed.

runs/{dataset}/{method}/predictions.parquet   one row for each held-out row
                        coefficients.parquet  coefficients of each fit of a linear classifier (optional)
                        tuning.parquet        candidates of each tuned fit with their inner scores (optional)
                        paths.parquet         coefficients of the first fit along the strengths (optional)
                        traces.parquet        one row for each recorded step of a solver (optional)
                        boundary.npz          predicted classes of a plane, and margins at boundaries (optional)
                        fits.parquet          one row for each planned fit; written last; its metadata record the inputs

predictions.parquet has no metadata, so equal predictions are equal bytes.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

import polars as pl

KEY = "linclass.run"  # key in the metadata of fits.parquet
LAST = "fits.parquet"
TABLES = ("coefficients", "tuning", "paths", "traces")  # optional: absent rather than empty
BOUNDARY = "boundary.npz"
OTHERS = ("predictions.parquet", *(f"{table}.parquet" for table in TABLES), BOUNDARY)


@dataclass(frozen=True)
class RunInputs:
    """Digests of the inputs of a run.

    asked   the method's entry, its code, the evaluation and the limits
    rows    features, folds and classes
    parts   those of which `asked` consists, each by itself, to say which one has changed
    """

    asked: str
    rows: str
    parts: dict[str, str] = field(default_factory=dict, compare=False)


def asked_of(
    entry: Mapping[str, Any],
    code: str,
    evaluation: Mapping[str, Any],
    limits: Mapping[str, float],
) -> str:
    """Digest of everything that a study specifies for a run; known before the data."""
    return digest_of(entry, code, _used(entry, evaluation), limits)


def parts_of(
    entry: Mapping[str, Any],
    code: str,
    evaluation: Mapping[str, Any],
    limits: Mapping[str, float],
) -> dict[str, str]:
    """Digest of each part of what a study specifies for a run."""
    return {
        "entry": digest_of(entry),
        "code": code,
        "evaluation": digest_of(_used(entry, evaluation)),
        "limits": digest_of(limits),
    }


def _used(entry: Mapping[str, Any], evaluation: Mapping[str, Any]) -> dict[str, Any]:
    """The keys of the evaluation on which a method's fits depend."""
    unused = set() if entry.get("tune") else {"inner_folds", "tune_rule"}
    if unused and not evaluation.get("traces"):  # traces record the metric on the held-out rows
        unused.add("tune_metric")
    return {key: value for key, value in evaluation.items() if key not in unused}


def digest_of(*values: Any) -> str:
    """Short digest of JSON-serializable values; their order matters."""
    return hashlib.blake2b(json.dumps(values, default=str).encode(), digest_size=16).hexdigest()


def digest_of_file(path: Path) -> str:
    with path.open("rb") as file:
        return hashlib.file_digest(file, "blake2b").hexdigest()[:32]


def described(folder: Path, inputs: RunInputs) -> dict[str, str]:
    """Metadata of fits.parquet, after the other files are written."""
    there = (folder / name for name in OTHERS)
    files = {path.name: _about(path) for path in there if path.exists()}
    return {KEY: json.dumps(asdict(inputs) | {"files": files})}


def recorded_run(folder: Path) -> dict[str, Any] | None:
    """The inputs (`asked`, `rows`, `parts`) and `files` of a run; None if it is incomplete."""
    last = folder / LAST
    try:
        kept = json.loads(pl.read_parquet_metadata(last)[KEY])
        kept["files"] |= {LAST: _about(last)}
    except (OSError, KeyError, ValueError, pl.exceptions.PolarsError):
        return None
    return kept if are_there(folder, kept["files"]) else None


def current_run(folder: Path, inputs: RunInputs) -> dict[str, Any] | None:
    """recorded_run, if it was made of these inputs; else None."""
    record = recorded_run(folder)
    same = record is not None and RunInputs(record["asked"], record["rows"]) == inputs
    return record if same else None


def are_there(folder: Path, files: Mapping[str, Mapping[str, Any]]) -> bool:
    """Whether all files exist with their recorded sizes."""
    try:
        return all(
            (folder / name).stat().st_size == about["bytes"] for name, about in files.items()
        )
    except OSError:
        return False


def _about(path: Path) -> dict[str, Any]:
    return {"bytes": path.stat().st_size, "digest": digest_of_file(path)}
