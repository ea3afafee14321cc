"""Read Parquet files of runs; errors name the file and the remedy."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import polars as pl

from linclass_study.refusal import Refused


def read_parquet(path: str | os.PathLike[str]) -> pl.DataFrame:
    with naming_errors(path):
        return pl.read_parquet(Path(path))


@contextmanager
def naming_errors(path: str | os.PathLike[str]) -> Iterator[None]:
    """Context for reading a file, which adds its name and the remedy to errors."""
    try:
        yield
    except (pl.exceptions.PolarsError, OSError) as error:
        reason = (str(error).strip().splitlines() or ["no reason was given"])[0]
        remedy = "delete it and run snakemake again, which recreates it"
        raise Refused(f"{os.fspath(path)} cannot be read ({reason}): {remedy}") from None


def refuse_unreadable(path: Path) -> None:
    """Raise an error if this file cannot be read."""
    with naming_errors(path):
        pl.scan_parquet(path).select(pl.all().len()).collect(engine="streaming")
