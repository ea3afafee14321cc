"""Columns of a pandas data frame as Polars columns: numbers as Float64, categories and text as String."""

from __future__ import annotations

from typing import Any

import numpy as np
import polars as pl


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
