"""Parquet files between jobs, with the columns and types of workflow/schemas/tables.yaml."""

from __future__ import annotations

import re
from functools import cache
from typing import Any

import polars as pl
import yaml

from linclass_study.files.writing import Path_, atomic_write
from linclass_study.project import ROOT

SCHEMAS = ROOT / "workflow" / "schemas" / "tables.yaml"

#: Columns that identify a fit; every table is sorted by them.
FIT = ("dataset", "method", "protocol", "repeat", "fold")

FORMULA = r"^\s*[=+@-]|^[\t\r\n]"  # what a spreadsheet takes for one begins so

AND = "; "  # separates the names of a list in a cell of a CSV file


@cache
def _schemas() -> Any:
    return yaml.safe_load(SCHEMAS.read_text(encoding="utf-8"))


@cache
def table_schema(name: str) -> pl.Schema:
    """Columns and Polars types of a table (folds, predictions, fits, coefficients, …)."""
    return pl.Schema({column: _type(text) for column, text in _schemas()[name].items()})


def frame(name: str, columns: Any = None) -> pl.DataFrame:
    """The table `name` from columns or rows, with its fixed types; empty by default."""
    return pl.DataFrame([] if columns is None else columns, table_schema(name), orient="row")


def write_table(
    data: pl.DataFrame, name: str, path: Path_, metadata: dict[str, str] | None = None
) -> None:
    """Write atomically: a killed job leaves no incomplete file."""
    table = data.select(list(table_schema(name))).cast(table_schema(name))
    with atomic_write(path) as partial:
        table.write_parquet(partial, metadata=metadata)


def stream(data: pl.LazyFrame, name: str, path: Path_) -> None:
    """Write atomically, streaming rows that do not fit into memory."""
    with atomic_write(path) as partial:
        data.select(list(table_schema(name))).cast(table_schema(name)).sink_parquet(partial)


def without_formulas(data: pl.LazyFrame) -> pl.LazyFrame:
    """The table for a CSV file. Spreadsheets run texts that begin like a formula, so these get an apostrophe in front;
    numbers in columns of text stay as they are."""
    schema = data.collect_schema()
    text = pl.col(pl.String)
    is_formula = text.str.contains(FORMULA) & text.cast(pl.Float64, strict=False).is_null()
    cells = pl.when(is_formula).then(text.str.replace("^", "'")).otherwise(text)
    heads = {name: f"'{name}" for name in schema if re.search(FORMULA, name)}
    return data.with_columns(cells).rename(heads)


def write_csv(data: pl.DataFrame, path: Path_) -> None:
    """Write atomically, without formulas."""
    with atomic_write(path) as partial:
        without_formulas(data.lazy()).collect().write_csv(partial)


def _type(text: str) -> Any:
    if text.startswith("List("):
        return pl.List(_type(text[5:-1]))
    return getattr(pl, text)
