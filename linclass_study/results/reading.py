"""A run's Parquet file, or one line that names the file and what to do about it."""

from __future__ import annotations

import os
from pathlib import Path

import polars as pl

from linclass_study.refusal import Refused


def read(path: str | os.PathLike[str]) -> pl.DataFrame:
    try:
        return pl.read_parquet(Path(path))
    except (pl.exceptions.PolarsError, OSError) as error:
        said = (str(error).strip().splitlines() or ["no reason was given"])[0]
        remedy = "delete it and run snakemake again, which makes it anew"
        raise Refused(f"{os.fspath(path)} cannot be read ({said}): {remedy}") from None
