"""Data frames of pandas, and what pandas writes into files."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from typing import Any

import numpy as np
import polars as pl

# Columns that an entry names.


def named_columns(entry: Mapping[str, Any], keys: Iterable[str]) -> set[str]:
    """The names under these keys, each of which holds a name, a list of names, or nothing."""
    given = (entry[key] for key in keys if key in entry)
    return {str(name) for one in given for name in (one if isinstance(one, list) else [one])}


# Columns of a pandas data frame as Polars columns: numbers as Float64, categories and text as String.


def columns(frame: Any) -> pl.DataFrame:
    return pl.DataFrame([_column(str(name), frame[name]) for name in frame.columns])


def _column(name: str, values: Any) -> pl.Series:
    if hasattr(values, "cat"):
        kinds = pl.Series([str(kind).strip() for kind in values.cat.categories], dtype=pl.String)
        codes = pl.Series(values.cat.codes.to_numpy().astype(np.int64))
        places = pl.select(pl.when(codes >= 0).then(codes)).to_series()  # −1 is missing
        return kinds.gather(places).alias(name)
    if values.dtype.kind in "iufb":
        numbers = values.to_numpy(dtype=float, na_value=np.nan)
        return pl.Series(name, numbers).fill_nan(None)
    texts = [
        None if missing else _unquoted(str(text).strip())
        for text, missing in zip(values, values.isna(), strict=True)
    ]
    return pl.Series(name, texts, dtype=pl.String)


def _unquoted(text: str) -> str:
    """scikit-learn removes single quotes around categories, but not around texts."""
    return text[1:-1] if len(text) > 1 and text[0] == text[-1] == "'" else text


# The index of a pandas data frame in Parquet: without a name of its own it numbers rows and describes none of them.

INDEX = re.compile(r"__index_level_\d+__")  # what pandas calls it
NAMING = ("target", "group", "drop", "categorical", "texts")  # keys of an entry


def unnamed_index(names: Iterable[str], entry: Mapping[str, Any]) -> list[str]:
    """Columns of the index that the entry does not name."""
    given = named_columns(entry, NAMING)
    return [name for name in names if INDEX.fullmatch(name) and name not in given]
